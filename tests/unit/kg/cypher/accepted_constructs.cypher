## nodes
MATCH (n) RETURN n
MATCH () RETURN count(*)
MATCH (n:Molecule) RETURN n
MATCH (n :Molecule) RETURN n
MATCH (n:`A label`) RETURN n
MATCH (n:A:B) RETURN n
MATCH (n:A&B) RETURN n
MATCH (n:A|B) RETURN n
MATCH (n:!A) RETURN n
MATCH (n:(A|B)&!C) RETURN n
MATCH (n:%) RETURN n
MATCH (:Molecule) RETURN 1 AS one
MATCH ({name: 'C'}) RETURN 1 AS one
MATCH (n {name: 'C', id: 3}) RETURN n
MATCH (n $properties) RETURN n
MATCH (n:Molecule WHERE n.name = 'C') RETURN n
MATCH (n IS Molecule) RETURN n
MATCH (n IS A|B) RETURN n
MATCH (n:$('Molecule')) RETURN n
MATCH (n:$all(['A', 'B'])) RETURN n
MATCH (n:$any(['A', 'B'])) RETURN n
MATCH (a), (b) RETURN a, b
MATCH (ünïcödé:Ångström) RETURN ünïcödé
MATCH (分子:Molecule) RETURN 分子
MATCH (_n) RETURN _n
MATCH (`a ``quoted`` name`) RETURN `a ``quoted`` name`
## relationships
MATCH (a)-->(b) RETURN a
MATCH (a)<--(b) RETURN a
MATCH (a)--(b) RETURN a
MATCH (a)<-->(b) RETURN a
MATCH (a)-[]->(b) RETURN a
MATCH (a)<-[]-(b) RETURN a
MATCH (a)-[]-(b) RETURN a
MATCH (a)<-[]->(b) RETURN a
MATCH (a)-[r]->(b) RETURN r
MATCH (a)-[:REACTS_IN]->(b) RETURN a
MATCH (a)-[r:REACTS_IN]->(b) RETURN r
MATCH (a)-[r:A|B]->(b) RETURN r
MATCH (a)-[r:A|:B]->(b) RETURN r
MATCH (a)-[r:A|B|C]->(b) RETURN r
MATCH (a)-[r:!A]->(b) RETURN r
MATCH (a)-[r:A&B]->(b) RETURN r
MATCH (a)-[r:%]->(b) RETURN r
MATCH (a)-[r IS A]->(b) RETURN r
MATCH (a)-[r:`A type`]->(b) RETURN r
MATCH (a)-[r:$('A')]->(b) RETURN r
MATCH (a)-[r:PRODUCES {yield: 90.5}]->(b) RETURN r
MATCH (a)-[r:PRODUCES WHERE r.yield > 90]->(b) RETURN r
MATCH (a)-[r $properties]->(b) RETURN r
MATCH (a)-[{yield: 1}]->(b) RETURN a
MATCH (a)-[:A]->(b)<-[:B]-(c)--(d) RETURN a
MATCH (a)-[:A]->()-[:B]->(c) RETURN a
MATCH (a) - [:A] -> (b) RETURN a
MATCH (a)⟨—[:A]—(b) RETURN a
MATCH (a)–[:A]–＞(b) RETURN a
MATCH (m)-[:REACTS_IN]->(r:Reaction)-[:PRODUCES]->(p), (r)-[:USES_AGENT]->(a) RETURN m, a
## path lengths
MATCH (a)-[*]->(b) RETURN a
MATCH (a)-[:A*]->(b) RETURN a
MATCH (a)-[:A*2]->(b) RETURN a
MATCH (a)-[:A*1..3]->(b) RETURN a
MATCH (a)-[:A*..3]->(b) RETURN a
MATCH (a)-[:A*2..]->(b) RETURN a
MATCH (a)-[r:A*0..1]-(b) RETURN r
MATCH (a)-[r:A|B*1..4]->(b) RETURN r
MATCH (a)-[* 1 .. 3]->(b) RETURN a
MATCH (a)-[:A*1..3 {k: 1}]->(b) RETURN a
MATCH p = (a)-[*4]->(b) RETURN p
## paths
MATCH p = (a)-->(b) RETURN p
MATCH p = (a) RETURN p
MATCH p = (a)-[:A]->(b), q = (b)-[:B]->(c) RETURN p, q
MATCH p = shortestPath((a)-[*]-(b)) RETURN p
MATCH p = shortestPath((a)-[:A*1..5]->(b)) RETURN p
MATCH p = allShortestPaths((a)-[*]->(b)) RETURN p
MATCH shortestPath((a)-[*]->(b)) RETURN a
MATCH p = SHORTEST 1 (a)-[:A]->+(b) RETURN p
MATCH p = ALL SHORTEST (a)-[:A]->+(b) RETURN p
MATCH p = SHORTEST 2 GROUPS (a)-[:A]->+(b) RETURN p
MATCH p = ANY (a)-[:A]->+(b) RETURN p
MATCH p = ANY SHORTEST (a)-[:A]->+(b) RETURN p
MATCH p = ANY 3 PATHS (a)-[:A]->+(b) RETURN p
MATCH p = ALL PATHS (a)-[:A]->(b) RETURN p
MATCH REPEATABLE ELEMENTS (a)-[:A]->(b) RETURN a
MATCH DIFFERENT RELATIONSHIPS (a)-[:A]->(b) RETURN a
MATCH (a)-[:A]->+(b) RETURN a
MATCH (a)-[:A]->*(b) RETURN a
MATCH (a)-[:A]->{2}(b) RETURN a
MATCH (a)-[:A]->{2,}(b) RETURN a
MATCH (a)-[:A]->{,3}(b) RETURN a
MATCH (a)-[:A]->{2,3}(b) RETURN a
MATCH (a)-->+(b) RETURN a
MATCH (a)--{1,2}(b) RETURN a
MATCH (a)((x)-[:A]->(y)){2,3}(b) RETURN x
MATCH (a)((x)-[:A]->(y)-[:B]->(z))+(b) RETURN x
MATCH (a)((x)-[:A]->(y) WHERE x.id < y.id)*(b) RETURN x
MATCH ((x)-[:A]->(y)){2} RETURN x
MATCH p = ((x)-[:A]->(y)){1,2} RETURN p
MATCH p = (a)(()-[:A]->()){3}(b) RETURN p
MATCH (p = (x)-[:A]->(y)) RETURN x
MATCH p = SHORTEST 1 ((a)-[:A]->+(b) WHERE a.id > 1) RETURN p
MATCH (start:Molecule {name: 'C'})(()-[:REACTS_IN]->(r:Reaction)-[:PRODUCES]->()){2}(end:Molecule) RETURN [x IN r | x.id] AS ids
## matching
OPTIONAL MATCH (n) RETURN n
MATCH (n) OPTIONAL MATCH (n)-->(m) RETURN n, m
MATCH (n) WHERE n.id = 1 RETURN n
MATCH (n) WHERE n:Molecule RETURN n
MATCH (n) WHERE n:A|B RETURN n
MATCH (n) WHERE n IS Molecule RETURN n
MATCH (n) WHERE n:$('A') RETURN n
MATCH (n)-[r]->() WHERE type(r) = 'A' RETURN r
MATCH (n) WHERE (n)-->() RETURN n
MATCH (n) WHERE NOT (n)-[:A]->(:B) RETURN n
MATCH (n) WHERE (n)-[:A]->()-[:B]->() AND n.id > 1 RETURN n
MATCH (n) WHERE exists((n)-->()) RETURN n
MATCH (n) WHERE EXISTS { (n)-->() } RETURN n
MATCH (n) WHERE EXISTS { MATCH (n)-->(m) WHERE m.id = 1 } RETURN n
MATCH (n) WHERE EXISTS { MATCH (n)-->(m) RETURN m } RETURN n
MATCH (n) WHERE EXISTS { (n)-->(m) WHERE m.id = 1 } RETURN n
MATCH (n) WHERE NOT EXISTS { (n)--() } RETURN n
MATCH (n) WHERE COUNT { (n)-->() } > 2 RETURN n
MATCH (n) WHERE COUNT { MATCH (n)-->(m) RETURN DISTINCT m } > 2 RETURN n
MATCH (n) WHERE COLLECT { MATCH (n)-->(m) RETURN m.id } = [1, 2] RETURN n
MATCH (n) WHERE size([(n)-->(m) | m]) > 1 RETURN n
MATCH (n:A) USING INDEX n:A(id) WHERE n.id = 1 RETURN n
MATCH (n:A) USING SCAN n:A RETURN n
MATCH (n:A)-->(m:B) USING JOIN ON m RETURN n
MATCH (n:A) USING RANGE INDEX n:A(id) WHERE n.id = 1 RETURN n
MATCH (n:A) USING TEXT INDEX SEEK n:A(name) WHERE n.name STARTS WITH 'x' RETURN n
## returning
RETURN 1
RETURN 1 AS one
RETURN 1 AS `one column`
RETURN 1, 2, 3
RETURN DISTINCT 1 AS x
MATCH (n) RETURN *
MATCH (n) RETURN *, n.id AS id
MATCH (n) RETURN DISTINCT *
MATCH (n) RETURN n ORDER BY n.id
MATCH (n) RETURN n ORDER BY n.id ASC, n.name DESC
MATCH (n) RETURN n ORDER BY n.id ASCENDING, n.name DESCENDING
MATCH (n) RETURN n SKIP 1
MATCH (n) RETURN n OFFSET 1
MATCH (n) RETURN n LIMIT 1
MATCH (n) RETURN n SKIP 1 LIMIT 2
MATCH (n) RETURN n SKIP $skip LIMIT $limit
MATCH (n) RETURN n LIMIT 1 + 2
MATCH (n) RETURN n.id AS id, count(*) AS c ORDER BY c DESC, id LIMIT 10
MATCH (n) RETURN n.`a property`
MATCH (n) RETURN n.yield, n.name, n.type, n.end
MATCH (n) RETURN n[$key]
MATCH (n) RETURN n['na' + 'me']
MATCH (n) RETURN n {.name}
MATCH (n) RETURN n {.*}
MATCH (n) RETURN n {.id, .name, x: 1, n}
MATCH (n) RETURN n {.*, degree: COUNT { (n)--() }} AS map
MATCH (n) FINISH
RETURN 1;
## with
WITH 1 AS x RETURN x
WITH 1 AS x, 2 AS y RETURN x + y
MATCH (n) WITH n RETURN n
MATCH (n) WITH * RETURN n
MATCH (n) WITH DISTINCT n RETURN n
MATCH (n) WITH n, count(*) AS c WHERE c > 1 RETURN n
MATCH (n) WITH n ORDER BY n.id LIMIT 3 RETURN n
MATCH (n) WITH n SKIP 1 LIMIT 3 WHERE n.id > 1 RETURN n
MATCH (n) WITH collect(n) AS ns UNWIND ns AS n RETURN n
MATCH (n) ORDER BY n.id LIMIT 3 RETURN n
MATCH (n) LIMIT 3 RETURN n
## unwind, union, subqueries
UNWIND [1, 2, 3] AS x RETURN x
UNWIND $rows AS row MATCH (n {id: row.id}) RETURN n
UNWIND range(1, 3) AS x UNWIND [x, x * 2] AS y RETURN y
RETURN 1 AS x UNION RETURN 2 AS x
RETURN 1 AS x UNION ALL RETURN 2 AS x
RETURN 1 AS x UNION DISTINCT RETURN 2 AS x
RETURN 1 AS x UNION RETURN 2 AS x UNION RETURN 3 AS x
CALL { RETURN 1 AS x } RETURN x
CALL { MATCH (n) RETURN n UNION MATCH (n) RETURN n } RETURN n
MATCH (n) CALL { WITH n MATCH (n)-->(m) RETURN m } RETURN n, m
MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN m } RETURN n, m
MATCH (n) CALL (*) { MATCH (n)-->(m) RETURN m } RETURN n, m
MATCH (n) CALL () { RETURN 1 AS one } RETURN n, one
MATCH (n) OPTIONAL CALL (n) { MATCH (n)-->(m) RETURN m } RETURN n, m
CALL { CREATE (n) } IN TRANSACTIONS
UNWIND range(1, 10) AS i CALL { WITH i CREATE (:A {id: i}) } IN TRANSACTIONS OF 5 ROWS
UNWIND range(1, 10) AS i CALL (i) { CREATE (:A {id: i}) } IN 2 CONCURRENT TRANSACTIONS OF 5 ROWS ON ERROR CONTINUE REPORT STATUS AS s RETURN s
USE neo4j MATCH (n) RETURN n
USE graph.byName('neo4j') RETURN 1
## procedures
CALL db.labels()
CALL db.labels
CALL db.labels() YIELD label
CALL db.labels() YIELD label AS l RETURN l
CALL db.labels() YIELD *
CALL db.labels() YIELD label WHERE label = 'A' RETURN label
CALL db.index.fulltext.queryNodes('names', 'C*') YIELD node, score RETURN node, score
OPTIONAL CALL db.labels() YIELD label RETURN label
CALL dbms.components() YIELD name, versions, edition UNWIND versions AS v RETURN name, v
CALL `db`.`labels`()
## literals
RETURN 4_000 AS x
RETURN 0x_1F AS x
RETURN 0o17 AS x
RETURN 1_0.5_0 AS x
RETURN 1.5f AS x
RETURN -9223372036854775808 AS x
RETURN 9223372036854775808.0 AS x
RETURN 9.223372036854775807e18 AS x
RETURN 0, 1, -1, +1, 1234567890
RETURN 0x1F, 0o17, -0xff
RETURN 1_000_000
RETURN 1.5, .5, 1e3, 1.5e-3, 2E+4, 6.022_140e23
RETURN 'single', "double"
RETURN 'it\'s', "say \"x\"", 'it"s', "it's"
RETURN 'back\\slash', 'tab\t', 'line\n', 'F/C=C\\F'
RETURN 'unknown \d escape'
RETURN '\u0041\u00e9'
RETURN ''
RETURN "CC(=O)Oc1ccccc1C(=O)O", '[O-][N+](=O)c1ccc(Cl)cc1', 'C/C=C/C', 'N[C@@H](C)C(=O)O', 'C#N'
RETURN '// no comment', '/* no comment */', '`no name`'
RETURN true, false, TRUE, False, null, NULL
RETURN INF, INFINITY, NaN
RETURN [], [1], [1, 'a', [2]], {}
RETURN {a: 1, `b c`: 'x', d: {e: [1]}}
RETURN $param, $0, $`a param`
RETURN date('2024-01-31'), duration('P1D'), point({x: 1, y: 2})
## operators
RETURN 1 + 2 - 3 * 4 / 5 % 6 ^ 7
RETURN -(1), - - 1, +1 - -1
RETURN (1 + 2) * 3
RETURN 'a' + 'b', 'a' || 'b'
RETURN [1] + [2], [1] || [2]
RETURN 1 = 1, 1 <> 2, 1 < 2, 1 <= 2, 2 > 1, 2 >= 1
RETURN 1 < 2 < 3, 1 = 1 = 1
RETURN true AND false OR true XOR NOT false
RETURN NOT NOT true
RETURN 1 IN [1, 2], NOT 1 IN [1]
RETURN null IS NULL, 1 IS NOT NULL
RETURN 'abc' STARTS WITH 'a', 'abc' ENDS WITH 'c', 'abc' CONTAINS 'b'
RETURN 'abc' =~ 'a.*'
RETURN 1 IS :: INTEGER, 1 IS NOT :: STRING
RETURN 1 IS TYPED INTEGER, 1 :: INTEGER
RETURN 1 :: INTEGER | STRING NOT NULL
RETURN [1] :: LIST<INTEGER NOT NULL>
RETURN date() :: DATE, 1.0 :: FLOAT, 'a' :: STRING NOT NULL, true :: BOOLEAN
RETURN 'é' IS NORMALIZED, 'é' IS NOT NFC NORMALIZED
RETURN [1, 2, 3][0], [1, 2, 3][-1], [1, 2, 3][0..2], [1, 2, 3][1..], [1, 2, 3][..2]
RETURN {a: 1}.a, {a: {b: 1}}.a.b, {a: 1}['a']
MATCH (n) RETURN n.a.b.c, n.list[0].x
## functions
RETURN count(*)
MATCH (n) RETURN count(n), count(DISTINCT n), count(DISTINCT n.id)
MATCH (n) RETURN collect(n.id), collect(DISTINCT n.id)[0..3], sum(n.id), avg(n.id), min(n.id), max(n.id)
MATCH (n) RETURN percentileCont(n.id, 0.5), stDev(n.id)
MATCH (n) RETURN id(n), elementId(n), labels(n), keys(n), properties(n)
MATCH p = (a)-->(b) RETURN nodes(p), relationships(p), length(p)
MATCH ()-[r]->() RETURN type(r), startNode(r), endNode(r)
RETURN size('abc'), size([1]), toUpper('a'), trim(' a '), split('a.b', '.')
RETURN trim(BOTH 'x' FROM 'xax'), trim(LEADING 'x' FROM 'xa'), trim(FROM ' a ')
RETURN normalize('é'), normalize('é', NFKD)
RETURN coalesce(null, 1), toInteger('1'), toFloat('1.5'), range(1, 10, 2)
RETURN head([1]), last([1]), tail([1]), reverse([1, 2])
RETURN apoc.text.join(['a', 'b'], ',')
RETURN point.distance(point({x: 1, y: 1}), point({x: 2, y: 2}))
RETURN datetime().year, duration.between(date('2020-01-01'), date())
RETURN any(x IN [1, 2] WHERE x > 1), all(x IN [1] WHERE x > 0), none(x IN [1] WHERE x > 1), single(x IN [1] WHERE x = 1)
RETURN reduce(total = 0, x IN [1, 2] | total + x) AS total
RETURN exists((:A)-->(:B))
RETURN vector.similarity.cosine([1.0], [1.0])
RETURN CASE 1 WHEN 1 THEN 'a' ELSE 'b' END
RETURN CASE WHEN 1 = 1 THEN 'a' WHEN 2 = 2 THEN 'b' END
RETURN CASE 1 WHEN 1, 2 THEN 'a' WHEN > 3 THEN 'b' WHEN IS NULL THEN 'c' END
MATCH (n) RETURN CASE n.id WHEN IS NOT NULL THEN 1 ELSE 0 END AS x
## comprehensions
RETURN [x IN [1, 2, 3]]
RETURN [x IN [1, 2, 3] WHERE x > 1]
RETURN [x IN [1, 2, 3] | x * 2]
RETURN [x IN range(1, 3) WHERE x > 1 | [y IN [x] | y]]
MATCH (n) RETURN [(n)-->(m) | m.name]
MATCH (n) RETURN [(n)-[r:A]->(m:B) WHERE r.x > 1 | m.name]
MATCH (n) RETURN [p = (n)-->(m) | length(p)]
MATCH (n) RETURN [(n)-->() | 1] AS ones, size([(n)--() | 1]) AS degree
MATCH (n) RETURN [(n)-[:A*1..2]->(m) | m {.id}] AS list
MATCH p = (a)-[*1..3]->(b) RETURN [n IN nodes(p) | n.id] AS ids
MATCH p = (a)-[*1..3]->(b) WHERE all(n IN nodes(p) WHERE n:A) RETURN p
MATCH p = (a)-[*1..3]->(b) WHERE none(r IN relationships(p) WHERE type(r) = 'A') RETURN p
MATCH (n) RETURN EXISTS { (n)-->() } AS e, COUNT { (n)--() } AS c, COLLECT { MATCH (n)--(m) RETURN m.id } AS l
## writing
CREATE (n)
CREATE (n:A {id: 1})-[:B {x: 1}]->(m) RETURN n
CREATE (a), (b), (a)-[:C]->(b)
CREATE p = (a)-[:C]->(b) RETURN p
INSERT (n:A&B {id: 1})
INSERT (a)-[:C]->(b)
MERGE (n:A {id: 1})
MERGE (n:A {id: 1}) ON CREATE SET n.x = 1 ON MATCH SET n.x = 2 RETURN n
MATCH (a), (b) MERGE (a)-[r:C]->(b) RETURN r
MATCH (n) SET n.x = 1
MATCH (n) SET n.x = 1, n.y = 2, n:A:B
MATCH (n) SET n += {x: 1}
MATCH (n) SET n = {x: 1}
MATCH (n) SET n:$('A')
MATCH (n) SET n['x'] = 1
MATCH (n) REMOVE n.x, n:A
MATCH (n) DELETE n
MATCH (n) DETACH DELETE n
MATCH (n) NODETACH DELETE n
MATCH p = (a)-->(b) FOREACH (n IN nodes(p) | SET n.x = 1)
FOREACH (i IN range(1, 3) | CREATE (:A {id: i}) MERGE (:B {id: i}))
LOAD CSV FROM 'file:///x.csv' AS row RETURN row
LOAD CSV WITH HEADERS FROM 'file:///x.csv' AS row FIELDTERMINATOR ';' RETURN row.name
## administration
SHOW DATABASES
SHOW DATABASE neo4j
SHOW INDEXES
SHOW INDEXES YIELD name, type WHERE type = 'RANGE' RETURN name
SHOW CONSTRAINTS
SHOW FUNCTIONS YIELD name
SHOW PROCEDURES EXECUTABLE
SHOW TRANSACTIONS
SHOW SETTINGS
SHOW SETTING 'server.memory.heap.max_size'
SHOW USERS
SHOW CURRENT USER
TERMINATE TRANSACTIONS 'neo4j-transaction-1'
TERMINATE TRANSACTION 'a', 'b' YIELD message
CREATE INDEX names FOR (n:Molecule) ON (n.name)
CREATE INDEX names IF NOT EXISTS FOR (n:Molecule) ON (n.name, n.id)
CREATE TEXT INDEX names FOR (n:Molecule) ON (n.name)
CREATE RANGE INDEX y FOR ()-[r:PRODUCES]-() ON (r.yield)
CREATE FULLTEXT INDEX f FOR (n:A|B) ON EACH [n.name]
CREATE VECTOR INDEX v FOR (n:A) ON n.embedding OPTIONS {indexConfig: {`vector.dimensions`: 3}}
CREATE LOOKUP INDEX l FOR (n) ON EACH labels(n)
CREATE CONSTRAINT c FOR (n:Molecule) REQUIRE n.name IS UNIQUE
CREATE CONSTRAINT c IF NOT EXISTS FOR (n:A) REQUIRE (n.x, n.y) IS NODE KEY
CREATE CONSTRAINT c FOR (n:A) REQUIRE n.x IS NOT NULL
CREATE CONSTRAINT c FOR (n:A) REQUIRE n.x IS :: STRING
DROP INDEX names
DROP INDEX names IF EXISTS
DROP CONSTRAINT c
CREATE DATABASE x
CREATE USER u SET PASSWORD 'secret' CHANGE NOT REQUIRED
ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'
DROP USER u
GRANT ROLE r TO u
DENY READ {x} ON GRAPH * TO r
STOP DATABASE x
## surprising: keywords that are variables here, a map projection, a double negation
RETURN NOT
RETURN [(a)-->(b)]
RETURN count(DISTINCT)
MATCH (n) WHERE EXISTS { } RETURN n
MATCH (n) RETURN n -- comment
## text
match (n) return n
Match (N) Return N.Name As Name
MATCH(n)RETURN(n)
MATCH (n) /* a comment */ RETURN n // another
MATCH (n) RETURN n /* 'quote */
MATCH (n:Reaction)-[p:PRODUCES]->(m) RETURN p.yield AS yield ORDER BY yield
MATCH (match) WHERE match.where = 1 RETURN match AS return
MATCH (order:Order) RETURN order.limit AS limit, order.by AS skip
RETURN 1 AS count, 2 AS type, 3 AS end, 4 AS all
MATCH (n) \u0052ETURN n
\u0045XPLAIN MATCH (n) RETURN n
MATCH (n:\u0041) RETURN n
RETURN \u0027abc\u0027 AS x
MATCH (n) RETURN n.name AS `näme`
EXPLAIN MATCH (n) RETURN n
PROFILE MATCH (n) RETURN n
explain match (n) return n
CYPHER 5 MATCH (n) RETURN n
CYPHER runtime=slotted MATCH (n) RETURN n
CYPHER 5 planner=cost runtime=interpreted MATCH (n) RETURN n
EXPLAIN CYPHER 5 MATCH (n) RETURN n
CYPHER 5 EXPLAIN MATCH (n) RETURN n
/* first */ EXPLAIN /* then */ MATCH (n) RETURN n
