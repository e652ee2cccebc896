MATCH (molecule:Molecule)
WHERE molecule.name IN [{names}]
RETURN DISTINCT molecule.name AS name
