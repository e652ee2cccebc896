MATCH (seed:Molecule)
WHERE seed.name IN [{names}]
MATCH (seed)-[*1..{reach}]-(reaction:Reaction)
WITH DISTINCT reaction
ORDER BY reaction.id
LIMIT {cap}
OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)
OPTIONAL MATCH (reaction)-[:PRODUCES]->(product:Molecule)
OPTIONAL MATCH (reaction)-[:USES_AGENT]->(agent:Molecule)
OPTIONAL MATCH (reaction)-[:USES_SOLVENT]->(solvent:Molecule)
RETURN reaction.id AS id,
       collect(DISTINCT reactant.name) AS reactants,
       collect(DISTINCT product.name) AS products,
       collect(DISTINCT agent.name) AS agents,
       collect(DISTINCT solvent.name) AS solvents
ORDER BY id
