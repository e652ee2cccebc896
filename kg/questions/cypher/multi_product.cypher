MATCH (reaction:Reaction)-[:PRODUCES]->(wanted:Molecule)
WHERE wanted.name IN $products
WITH reaction, count(DISTINCT wanted) AS made
WHERE made = $product_count
OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)
OPTIONAL MATCH (reaction)-[:PRODUCES]->(product:Molecule)
OPTIONAL MATCH (reaction)-[:USES_AGENT]->(agent:Molecule)
OPTIONAL MATCH (reaction)-[:USES_SOLVENT]->(solvent:Molecule)
RETURN reaction.id AS id,
       collect(DISTINCT reactant.name) AS reactants,
       collect(DISTINCT product.name) AS products,
       collect(DISTINCT agent.name) AS agents,
       collect(DISTINCT solvent.name) AS solvents
