CALL db.labels() YIELD label
RETURN 'label' AS kind, label AS name ORDER BY name LIMIT 100
UNION ALL
CALL db.relationshipTypes() YIELD relationshipType
RETURN 'type' AS kind, relationshipType AS name ORDER BY name LIMIT 100
