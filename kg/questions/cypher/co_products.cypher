MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: $target})
OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)
OPTIONAL MATCH (reaction)-[:PRODUCES]->(product:Molecule)
OPTIONAL MATCH (reaction)-[:USES_AGENT]->(agent:Molecule)
OPTIONAL MATCH (reaction)-[:USES_SOLVENT]->(solvent:Molecule)
OPTIONAL MATCH (reaction)-[:PRODUCES]->(co_product:Molecule)
WHERE co_product <> target
RETURN reaction.id AS id,
       collect(DISTINCT reactant.name) AS reactants,
       collect(DISTINCT product.name) AS products,
       collect(DISTINCT agent.name) AS agents,
       collect(DISTINCT solvent.name) AS solvents,
       collect(DISTINCT co_product.name) AS co_products
