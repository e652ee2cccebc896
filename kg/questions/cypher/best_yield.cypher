MATCH (reaction:Reaction)-[produces:PRODUCES]->(target:Molecule {name: $target})
WHERE produces.yield IS NOT NULL
WITH reaction, produces.yield AS target_yield
ORDER BY target_yield DESC
LIMIT 1
OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)
OPTIONAL MATCH (reaction)-[:PRODUCES]->(product:Molecule)
OPTIONAL MATCH (reaction)-[:USES_AGENT]->(agent:Molecule)
OPTIONAL MATCH (reaction)-[:USES_SOLVENT]->(solvent:Molecule)
RETURN reaction.id AS id,
       collect(DISTINCT reactant.name) AS reactants,
       collect(DISTINCT product.name) AS products,
       collect(DISTINCT agent.name) AS agents,
       collect(DISTINCT solvent.name) AS solvents,
       target_yield
