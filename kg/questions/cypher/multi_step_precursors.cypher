MATCH path = (precursor:Molecule)-[:REACTS_IN|PRODUCES*$hops]->(target:Molecule {name: $target})
WITH [node IN nodes(path) WHERE node:Reaction] AS reaction_nodes
RETURN DISTINCT reaction_nodes
