MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: $target})
OPTIONAL MATCH (precursor:Molecule)-[:REACTS_IN]->(reaction)
OPTIONAL MATCH (reaction)-[:PRODUCES]->(product:Molecule)
OPTIONAL MATCH (reaction)-[:USES_AGENT]->(agent:Molecule)
OPTIONAL MATCH (reaction)-[:USES_SOLVENT]->(solvent:Molecule)
RETURN reaction.id AS id,
       collect(DISTINCT precursor.name) AS reactants,
       collect(DISTINCT product.name) AS products,
       collect(DISTINCT agent.name) AS agents,
       collect(DISTINCT solvent.name) AS solvents
