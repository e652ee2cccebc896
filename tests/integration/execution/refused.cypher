## Queries that are never run, one a line: they read files, settings or other queries, or write.
LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line
LOAD CSV FROM 'http://127.0.0.1:1/' AS line RETURN line
MATCH (n) WITH n LIMIT 1 \u004cOAD CSV FROM 'file:///etc/passwd' AS line RETURN line
MATCH (n) WITH n LIMIT 1 LO\u0041D /* quiet */ CSV FROM 'file:///etc/passwd' AS line RETURN line
RETURN COUNT { LOAD CSV FROM 'file:///x' AS line RETURN line } AS c
RETURN [x IN [1] | COLLECT { LOAD CSV FROM 'file:///x' AS line RETURN line }] AS c
RETURN CASE WHEN true THEN COLLECT { LOAD CSV FROM 'file:///x' AS l RETURN l } ELSE [] END AS c
RETURN 'a\u0027 AS a, [x IN [1] | COLLECT { LOAD CSV FROM \u0027x' AS l RETURN l }] AS b
CALL dbms.listConfig() YIELD name, value RETURN name, value
CALL `dbms` . listConfig() YIELD name RETURN name
RETURN reduce(a = 0, x IN [1] | a + COUNT { CALL dbms.listConfig() YIELD name RETURN name }) AS r
RETURN reduce(a = 0, x IN [1] | a + COUNT { CALL db.info() YIELD name RETURN name }) AS r
CALL db.clearQueryCaches()
CALL tx.setMetaData({retrocypher: 'x'})
SHOW TRANSACTIONS
SHOW SETTINGS
SHOW USERS
SHOW CURRENT USER
SHOW DATABASES
SHOW INDEXES
TERMINATE TRANSACTIONS 'neo4j-transaction-1'
SHOW TRANSACTIONS YIELD transactionId AS t TERMINATE TRANSACTIONS t YIELD message RETURN message
CREATE (n:Molecule {name: 'guarded'}) RETURN n
MERGE (n:Molecule {name: 'guarded'})
MATCH (n:Molecule) SET n.guarded = 1
MATCH (n:Molecule) DETACH DELETE n
MATCH (n:Molecule) REMOVE n.name
FOREACH (x IN [1] | CREATE (:Guarded))
INSERT (n:Guarded)
CREATE INDEX guarded FOR (n:Molecule) ON (n.name2)
DROP CONSTRAINT guarded IF EXISTS
MATCH (n) CALL { WITH n DELETE n } IN TRANSACTIONS
MATCH (n) CALL { WITH n RETURN n.x AS x } IN TRANSACTIONS RETURN x
/* x */ PROFILE CREATE (n:Guarded) RETURN n
PROFILE MATCH (n) SET n.guarded = 1
EXPLAIN CREATE (n:Guarded)
CYPHER runtime=slotted CREATE (n:Guarded)
CREATE USER guarded SET PASSWORD 'guarded1'
ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'
STOP DATABASE neo4j
