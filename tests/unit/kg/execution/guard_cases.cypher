## refused by its tokens, where a plan hides it
RETURN [x IN [1] | COLLECT { LOAD CSV FROM 'f' AS l RETURN l }] AS r
RETURN [x IN [1] | COLLECT { lo\u0061d /* c */ csv FROM 'f' AS l RETURN l }] AS r
RETURN reduce(a = 0, x IN [1] | a + COUNT { CALL db.awaitIndexes(1) RETURN 1 AS o }) AS r
RETURN [x IN [1] | COUNT { CALL `db` . `stats`.clear('a') YIELD section RETURN 1 AS o }] AS r
MATCH (n) WHERE apoc.cypher.runFirstColumnSingle('LOAD CSV', {}) RETURN n
RETURN `apoc`.`load`.x ('y')
RETURN \u0061poc.util.sleep(1)
## not refused by its tokens
MATCH (m:Molecule {name: 'LOAD CSV FROM apoc.x()'}) RETURN m // CALL dbms.listConfig()
MATCH (call:Molecule)-[load]->(csv) WHERE call.name IN ['a'] RETURN load, call.name AS n
MATCH (m) RETURN duration.between(date('2020-01-01'), date.truncate('year', m.day)) AS d
CALL db.labels() YIELD label RETURN label
CALL { MATCH (n) RETURN n.id AS i } RETURN i, point.distance(point({x: 1, y: 1}), null) AS d
MATCH (a)-[:REACTS_IN]->(r:Reaction) WHERE r.id = a.id MATCH (r)-[p:PRODUCES]->() RETURN p.yield
