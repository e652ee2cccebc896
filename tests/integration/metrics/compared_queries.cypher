// Scalars, lists and maps
RETURN 1 AS x
RETURN 1.0 AS x
RETURN true AS x
RETURN '1' AS x
RETURN null AS x
RETURN 0.0/0.0 AS x
RETURN -0.0 AS x
RETURN 0 AS x
RETURN [] AS x
RETURN {} AS x
RETURN '' AS x
RETURN 9007199254740993 AS x
RETURN 9007199254740992 AS x
RETURN 9007199254740992.0 AS x
RETURN 1.0000000001 AS x
RETURN 1.00000001 AS x
RETURN 0.1+0.2 AS x
RETURN 0.3 AS x
RETURN 1e300 AS x
RETURN 1/0.0 AS x
RETURN -1/0.0 AS x
RETURN 123456789012 AS x
RETURN 123456789012.0 AS x
RETURN 123456789013.0 AS x
RETURN 'é' AS x
RETURN 'é' AS x
RETURN 'A' AS x
RETURN 'a' AS x
RETURN [1] AS x
RETURN [1.0] AS x
RETURN [true] AS x
RETURN [null] AS x
RETURN null + 1 AS x
RETURN 9223372036854775807 AS x
RETURN 9223372036854775806 AS x
RETURN 9.223372036854775807e18 AS x
RETURN 1234567891.2 AS x
RETURN 1234567891.0 AS x
RETURN 1234567891 AS x
RETURN -1 AS x
RETURN 'null' AS x
RETURN '1.0' AS x
RETURN 0.1234567891 AS x
RETURN 0.1234567894 AS x
RETURN 'a\u0000' AS x
RETURN '\uD83D\uDE00' AS x
RETURN 5e-324 AS x
RETURN 1e-320 AS x
RETURN NaN AS x
RETURN Infinity AS x
// Times and points
RETURN date('2020-01-02') AS x
RETURN '2020-01-02' AS x
RETURN datetime('2020-01-02') AS x
RETURN localdatetime('2020-01-02') AS x
RETURN localdatetime('2020-01-02T00:00:00.000') AS x
RETURN datetime('2020-01-02T00:00Z') AS x
RETURN datetime('2020-01-02T00:00+00:00') AS x
RETURN datetime('2020-01-02T01:00+01:00') AS x
RETURN datetime('2020-01-02T00:00[Europe/London]') AS x
RETURN datetime({year:2020,month:1,day:2,timezone:'Europe/Paris'}) AS x
RETURN datetime('2020-01-02T00:00+01:00') AS x
RETURN time('10:00Z') AS x
RETURN time('10:00+00:00') AS x
RETURN localtime('10:00') AS x
RETURN localtime('10:00:00.000000001') AS x
RETURN localtime('10:00:00.000000002') AS x
RETURN duration('P1D') AS x
RETURN duration('PT24H') AS x
RETURN duration('P1M') AS x
RETURN duration('P30D') AS x
RETURN duration({seconds:1}) AS x
RETURN duration({milliseconds:1000}) AS x
RETURN duration('P7D') AS x
RETURN duration('P1W') AS x
RETURN [date('2020-01-02')] AS x
RETURN point({x:1,y:2}) AS x
RETURN point({x:1,y:2,crs:'wgs-84'}) AS x
RETURN point({x:1.0,y:2.0}) AS x
RETURN point({x:1,y:2,z:3}) AS x
RETURN point({longitude:1,latitude:2}) AS x
RETURN [1.0,2.0] AS x
// Nodes, relationships and paths
MATCH (r:Reaction {id: 1}) RETURN r
MATCH (r:Reaction {id: 1}) RETURN r AS q
MATCH (r:Reaction {id: 1}) RETURN properties(r)
MATCH (r:Reaction {id: 1}) RETURN elementId(r)
MATCH (r:Reaction {id: 1}) RETURN [r]
MATCH (r:Reaction {id: 1}) RETURN {a:r}
MATCH (r:Reaction {id: 1}) RETURN r{.*}
MATCH (r:Reaction {id: 1}) RETURN id(r)
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN p
MATCH (r:Reaction {id: 1}) MATCH p=(m)<-[e:PRODUCES]-(r) RETURN p
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN e
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN relationships(p)
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN [e]
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN nodes(p)
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN [r,m]
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN [r,e,m]
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN [p]
MATCH (r:Reaction {id: 1}) MATCH p=(r) RETURN p
MATCH (r:Reaction {id: 1}) MATCH p=(r)-[e:PRODUCES]->(m) RETURN properties(e)
MATCH (r:Reaction {id: 1}) MATCH p=(r)--(m) RETURN p
MATCH (r:Reaction {id: 1}) MATCH p=(m)--(r) RETURN p
// ORDER BY, SKIP, LIMIT
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY r.id
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS i ORDER BY i DESC
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY -r.id
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY r.id % 2
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY r.id % 2, r.id
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY r.id % 2, r.id DESC
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY r.id % 2 DESC
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY 1
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY r.id LIMIT 2
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY r.id DESC SKIP 1
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id ORDER BY r.id SKIP 0 LIMIT 3
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id LIMIT 2
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH r ORDER BY r.id DESC RETURN r.id
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH r ORDER BY r.id RETURN collect(r.id)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH r ORDER BY r.id DESC RETURN collect(r.id)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN collect(r.id)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN [3,2,1]
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN [1,2,3]
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH r ORDER BY r.id DESC WITH collect(r.id) AS c RETURN c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH r.id AS i ORDER BY i DESC WITH collect(i) AS c RETURN c AS d, size(c) AS s ORDER BY s
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x ORDER BY x % 2 SKIP 1
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN DISTINCT r.id % 2 AS x ORDER BY x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id % 2 AS x, count(*) AS n ORDER BY n
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id % 2 AS x, count(*) AS n ORDER BY count(*) DESC
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id % 2 AS x, count(*) AS n ORDER BY n DESC, x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id % 2 AS x, collect(r.id) AS n ORDER BY n
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id % 2 AS x, collect(r.id) AS n ORDER BY size(n)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS r, r.id AS i ORDER BY r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x, r.id AS y ORDER BY x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x, 4 - r.id AS y
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN 4 - r.id AS x, r.id AS y ORDER BY x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r ORDER BY r.id DESC
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN * ORDER BY r.id
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN * ORDER BY r.id DESC
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x, 1 AS y ORDER BY y
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN [r.id] AS x ORDER BY x DESC
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x ORDER BY [x % 2, 1]
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x ORDER BY CASE WHEN x = 2 THEN null ELSE 1 END
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x ORDER BY any(k IN [x] WHERE k = 2)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x ORDER BY COUNT { (r)--() }
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS `a b` ORDER BY `a b`
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS `a b` ORDER BY -`a b`
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x UNION ALL MATCH (r:Reaction {id:4}) RETURN r.id AS x ORDER BY x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x ORDER BY x UNION ALL MATCH (r:Reaction {id:4}) RETURN r.id AS x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x, r.patent AS y ORDER BY r.id % 2, y
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x ORDER BY r.nothing
CALL { MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x ORDER BY x DESC } RETURN x
CALL { MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id AS x } RETURN x ORDER BY x DESC
// Columns
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0],v[1],v[2]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[2],v[1],v[0]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[1] AS a,v[0] AS b,v[2] AS c
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0],v[1]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0],v[0] AS w,v[1]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[1],v[1] AS w,v[0]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0],v[1] AS w,v[1]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0] AS a,v[0] AS b,v[0] AS c,v[0] AS d,v[0] AS e,v[0] AS f,v[0] AS g,v[0] AS h
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0] AS a,v[0] AS b,v[0] AS c,v[0] AS d,v[0] AS e,v[0] AS f,v[0] AS g,v[1] AS h
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[1] AS a,v[0] AS b,v[0] AS c,v[0] AS d,v[0] AS e,v[0] AS f,v[0] AS g,v[0] AS h
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[2] AS a,v[0] AS b,v[1] AS c
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0] AS a, v[1] AS b, v[2] AS c ORDER BY a
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0] AS a, v[1] AS b, v[2] AS c ORDER BY b
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0] AS a, v[1] AS b, v[2] AS c ORDER BY c
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v[0] AS a, null AS b
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN null AS a, v[0] AS b
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN DISTINCT 1 AS x
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN 1 AS x
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN v AS w ORDER BY w[1]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN [v[2],v[1],v[0]]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN {a:v[0],b:v[1]}
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN {b:v[1],a:v[0]}
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN {a:v[1],b:v[0]}
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN {a:v[0],b:v[1]*1.0}
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN collect(v)
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN collect(v[0])
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN collect(DISTINCT v[1])
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN [x IN collect(v[0]) | x]
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN collect({a:v})
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN max(v)
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN collect([3,2,1])
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN collect([1,2,3])
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN [1,2,3] AS x, collect(v[0]) AS y
UNWIND [[1,2,3],[2,3,1],[3,1,2]] AS v RETURN [3,2,1] AS x, collect(v[0]) AS y
// Empty and failing
UNWIND [] AS x RETURN x
UNWIND [] AS x RETURN x, 1 AS y
UNWIND [] AS x RETURN count(x)
UNWIND [] AS x RETURN collect(x)
RETURN 0
RETURN []
UNWIND [] AS x RETURN x ORDER BY x
MATCH (n:Nothing) RETURN n
OPTIONAL MATCH (n:Nothing) RETURN n
RETURN null
MATCH (n) WHERE false RETURN n
RETURN 1 LIMIT 0
RETURN x
RETURN 1/0
CREATE (n) RETURN n
MATCH (n RETURN n
FINISH
MATCH (n:Nothing) FINISH
// Lists that are collected
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH r ORDER BY r.id MATCH (r)-[:PRODUCES]->(m) RETURN collect(m.name)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[:PRODUCES]->(m) WITH m ORDER BY m.name RETURN collect(m.name)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[:PRODUCES]->(m) WITH m ORDER BY m.name DESC RETURN collect(m.name)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[:PRODUCES]->(m) RETURN collect(m.name)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN COLLECT { MATCH (r)-[:PRODUCES]->(m) RETURN m.name } AS c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN COLLECT { MATCH (r)-[:PRODUCES]->(m) RETURN m.name ORDER BY m.name DESC } AS c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN COLLECT { MATCH (r)-[:PRODUCES]->(m) RETURN m.name ORDER BY m.name } AS c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN [(r)-[:PRODUCES]->(m) | m.name] AS c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN [(r)-[:REACTS_IN]-(m) | m.name] AS c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN COLLECT { MATCH (r)-[:REACTS_IN]-(m) RETURN m.name ORDER BY m.name DESC } AS c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN COLLECT { MATCH (r)-[:REACTS_IN]-(m) RETURN m.name ORDER BY m.name } AS c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, m ORDER BY m.name WITH r, collect(m.name) AS c WITH r, c, size(c) AS s RETURN c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, m ORDER BY m.name DESC WITH r, collect(m.name) AS c RETURN c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, m ORDER BY m.name DESC RETURN r.id, collect(m.name)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, m ORDER BY m.name RETURN r.id, collect(m.name)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) RETURN r.id, collect(m.name)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) RETURN r.id, collect(m.name) ORDER BY r.id
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH p=(r)-[:PRODUCES]->(m) RETURN collect(nodes(p))
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH p=(r)-[:PRODUCES]->(m) RETURN collect([x IN reverse(nodes(p)) | x])
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, apoc.coll.sort(collect(m.name)) AS c RETURN c
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH collect(r) AS rs UNWIND rs AS r RETURN r.id ORDER BY r.id
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH collect(r) AS rs RETURN [x IN rs | x.id]
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH collect(r) AS rs UNWIND rs AS q RETURN [q.id, 1]
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] WITH collect(r) AS rs UNWIND rs AS q RETURN [1, q.id]
// MATCH, OPTIONAL MATCH, EXISTS, WITH, variable length
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-->(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)<--(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[:PRODUCES]->(m) RETURN m.name
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] OPTIONAL MATCH (r)-[:USES_AGENT]-(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] OPTIONAL MATCH (r)-[:NONE]->(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[*1..2]-() RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[*0..1]-() RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[*2]-(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[:PRODUCES|REACTS_IN*2..2]-(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[:PRODUCES]-{1,2}(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r) (()-[:PRODUCES]-()){1,2} (m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r) ((a)-[:PRODUCES]-(b)){1,2} (m) RETURN m, a
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH p = shortestPath((r)-[*..4]-(:Reaction {id:5})) RETURN p
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH p = allShortestPaths((r)-[*..4]-(:Reaction {id:5})) RETURN length(p)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH p = ANY SHORTEST (r)-[:PRODUCES]-{1,4}(x:Molecule) RETURN length(p)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH ANY SHORTEST (r)-[:PRODUCES]-{1,4}(x:Molecule) RETURN x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH DISTINCT r WHERE r.id > 1 RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH DISTINCT r, m WHERE r.id > 1 RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r WHERE r.id > 1 MATCH (r)-->(m) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r MATCH (m)-[:PRODUCES]-(r) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH * WHERE r.id > 1 RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH *, 1 AS one RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH *, 1 AS one MATCH (m)--(x) RETURN x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH *, r AS q RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r AS q WHERE q.id > 1 RETURN q
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r AS r WHERE r.id > 1 RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH m, r LIMIT 1 RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH m, r ORDER BY r.id LIMIT 1 MATCH (m)--(x) RETURN x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH m, r ORDER BY r.id MATCH (m)<-[:PRODUCES]-(x) RETURN x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH m, r SKIP 1 RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH m, r ORDER BY r.id WHERE r.id > 2 RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, count(m) AS n WHERE n > 99 RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, collect(m) AS ms UNWIND ms AS m MATCH (m)--(x) RETURN x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH m.name AS n MATCH (x {name: n}) RETURN x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] AND EXISTS { (r)-[:USES_AGENT]-() } RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] AND EXISTS { MATCH (r)--(x) WHERE x.name STARTS WITH 'C' } RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] AND COUNT { (r)--() } > 3 RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] AND (r)-[:PRODUCES]->() RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] AND NOT (r)-[:NONE]->() RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN [(r)--(m) | m.name]
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN COLLECT { MATCH (r)--(m) RETURN m }
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN EXISTS { (r)--() }
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] UNWIND [1,2] AS i MATCH (r)--(m) WHERE r.id = i RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] UNWIND labels(r) AS l RETURN l
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] UNWIND labels(r) AS l MATCH (r)-[:PRODUCES]->(m) RETURN l, m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r UNWIND [1] AS m MATCH (r)-[:PRODUCES]->(x) RETURN x, m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m), (r)--(k) WHERE m.name < k.name RETURN count(*)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m:Molecule|Reaction) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (a:Reaction {id: 9}) RETURN a
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r.id AS i RETURN i ORDER BY i
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r) WHERE r.id = 1 RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH q = (r)--(m) WHERE length(q) = 1 RETURN q
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH q = (r)--(m) WITH q, r RETURN nodes(q)
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH q = (r)--(m) WITH q MATCH (x) WHERE x IN nodes(q) RETURN x
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH q = (r)--(m) WITH r MATCH q = (r)-[:PRODUCES]->() RETURN q
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[e]-(m) WITH e MATCH (a)-[e]->(b) RETURN a
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[e]-(m) WITH startNode(e) AS s RETURN s
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)-[es*1..2]-(m) WITH es MATCH (z:Reaction {id: 9}) RETURN z, es
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH p = ((r)-[:PRODUCES]->(m)) RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) USING SCAN m:Molecule RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m WHERE m.name STARTS WITH 'C') RETURN m
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, (m) RETURN r
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH 1 AS x, r MATCH (r)-->(k) RETURN k
MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] MATCH (r)--(m) WITH r, m AS k RETURN k
WITH 1 AS i MATCH (r:Reaction {id: i}) RETURN r
WITH 1 AS i, 2 AS j MATCH (r:Reaction {id: i}) WITH r, j MATCH (q:Reaction {id: j}) RETURN q
WITH [1,2] AS ids UNWIND ids AS i MATCH (r:Reaction {id: i}) RETURN r
WITH [1,2] AS ids UNWIND ids AS i WITH i MATCH (r:Reaction {id: i}) RETURN r
UNWIND [1,2] AS i WITH i * 1 AS j MATCH (r:Reaction {id: j}) RETURN r
MATCH (r:Reaction {id: 1}), (q:Reaction {id: 2}) RETURN r
OPTIONAL MATCH (r:Reaction {id: -5}) RETURN r
OPTIONAL MATCH (r:Reaction {id: 1}) RETURN r
OPTIONAL MATCH (r:Reaction {id: -5}) MATCH (q:Reaction {id: 1}) RETURN q
MATCH (r:Reaction {id: 1}) FINISH
MATCH (__p:Reaction {id: 1}) RETURN __p
MATCH (__n:Reaction {id: 1}) RETURN __n
RETURN 1 AS x
RETURN 2 AS x
CALL db.labels() YIELD label MATCH (r:Reaction {id: 1}) RETURN label, r
CALL db.labels() YIELD label AS l MATCH (r:Reaction {id: 1}) WHERE l = 'Reaction' RETURN r
CALL db.labels() YIELD label RETURN label
MATCH (r:Reaction {id: 1}) CALL db.labels() YIELD label WITH r, label MATCH (r)--(m) RETURN m, label
// UNION and CALL
MATCH (r:Reaction {id: 1}) RETURN r.id AS i UNION MATCH (q:Reaction {id: 2}) RETURN q.id AS i
MATCH (r:Reaction {id: 1}) RETURN r.id AS i UNION ALL MATCH (q:Reaction {id: 2}) RETURN q.id AS i
MATCH (r:Reaction {id: 1}) RETURN r.id AS i UNION MATCH (q:Reaction {id: 1}) RETURN q.id AS i
MATCH (r:Reaction {id: 1}) RETURN r.id AS i UNION ALL MATCH (q:Reaction {id: 1}) RETURN q.id AS i
MATCH (r:Reaction {id: 1}) RETURN r.id AS i UNION RETURN 5 AS i
MATCH (r:Reaction {id: 1}) RETURN r.id AS i UNION RETURN 2 AS i
MATCH (r:Reaction {id: 1}) RETURN r.id AS i
MATCH (r:Reaction {id: 1}) RETURN 1 AS i
MATCH (r:Reaction {id: 1}) RETURN r.id AS i UNION DISTINCT MATCH (q:Reaction {id: 2}) WITH q.id AS i MATCH (k:Reaction {id: 3}) RETURN i
MATCH (r:Reaction {id: 1}) RETURN r.id AS i ORDER BY i UNION MATCH (q:Reaction {id: 2}) RETURN q.id AS i ORDER BY i DESC
MATCH (r:Reaction {id: 1}) MATCH (r)--(m) RETURN m.name AS i UNION MATCH (q:Reaction {id: 2})--(m) RETURN m.name AS i
MATCH (r:Reaction {id: 1}) CALL { WITH r MATCH (r)--(m) RETURN m } RETURN m.name
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)--(m) RETURN m } RETURN m.name
MATCH (r:Reaction {id: 1}) CALL (*) { MATCH (r)--(m) RETURN m } RETURN m.name
MATCH (r:Reaction {id: 1}) CALL () { MATCH (m:Reaction {id: 2}) RETURN m } RETURN m.id
MATCH (r:Reaction {id: 1}) CALL { MATCH (m:Reaction {id: 2}) RETURN m } RETURN m.id
MATCH (r:Reaction {id: 1}) CALL { MATCH (m:Reaction {id: 2}) RETURN m UNION MATCH (m:Reaction {id: 3}) RETURN m } RETURN m.id
MATCH (r:Reaction {id: 1}) CALL { WITH r MATCH (r)-[:PRODUCES]->(m) RETURN m UNION WITH r MATCH (r)<--(m) RETURN m } RETURN m.name
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)-[:PRODUCES]->(m) RETURN m UNION MATCH (r)<--(m) RETURN m } RETURN m.name
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)--(m) RETURN count(m) AS n } RETURN n
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)--(m) RETURN m } MATCH (m)-[:PRODUCES]-(x) RETURN x.id
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)--(m) RETURN m } WITH r, m WHERE m.name STARTS WITH 'C' RETURN m
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)--(m) RETURN m LIMIT 1 } RETURN m
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)--(m) WITH m LIMIT 1 RETURN m } MATCH (m)--(x) RETURN x.id
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)--(m) CALL (m) { MATCH (m)--(x) RETURN x } RETURN m, x } RETURN x.id
MATCH (r:Reaction {id: 1}) CALL (r) { MATCH (r)--(m) CALL { WITH m MATCH (m)<--(x) RETURN x } RETURN x } RETURN x.id
MATCH (r:Reaction {id: 1}) WITH r CALL (r) { MATCH (r)--(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) WITH r.id AS i CALL (i) { MATCH (m:Reaction {id: i}) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) CALL { MATCH (r:Reaction {id: 3}) RETURN r.id AS i } RETURN r.id, i
MATCH (r:Reaction {id: 1}) OPTIONAL CALL (r) { MATCH (r)-[:NONE]->(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) CALL (r) { WITH r AS q MATCH (q)--(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) CALL (r) { WITH r, 1 AS one MATCH (r)--(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) CALL (r) { UNWIND [1] AS one MATCH (r)--(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) CALL (r) { WITH r WHERE r.id = 2 MATCH (r)--(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) CALL { WITH r WITH r WHERE r.id = 1 MATCH (r)--(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) CALL { WITH r WITH r AS q MATCH (q)--(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) CALL { WITH * MATCH (r)--(m) RETURN m } RETURN m
MATCH (r:Reaction {id: 1}) MATCH (r)--(m) CALL { WITH r MATCH (r)-[:PRODUCES]->(k) RETURN k } RETURN k
MATCH (r:Reaction {id: 1}) MATCH (r)--(m) CALL { MATCH (m:Reaction {id:3}) RETURN m.id AS i } RETURN i
MATCH (r:Reaction {id: 1}) MATCH (r)-->(m) CALL (m) { MATCH (m)<-[:PRODUCES]-(k) RETURN k.id AS r2 } RETURN r2
CALL { MATCH (r:Reaction {id: 1}) RETURN r } RETURN r.id
CALL { MATCH (r:Reaction {id: 1}) RETURN r UNION MATCH (r:Reaction {id: 2}) RETURN r } RETURN r.id
CALL { MATCH (r:Reaction {id: 1}) RETURN r } MATCH (r)--(m) RETURN m.name
CALL { MATCH (r:Reaction {id: 1}) RETURN r } WITH DISTINCT r WHERE r.id = 5 RETURN r
CALL { RETURN 1 AS i } MATCH (r:Reaction {id: i}) RETURN r.id
CALL { CALL { MATCH (r:Reaction {id: 1}) RETURN r } RETURN r } RETURN r.id
MATCH (r:Reaction {id: -1}) CALL { MATCH (m:Reaction {id: 2}) RETURN m } RETURN m.id
MATCH (r:Reaction {id: 1}) CALL { MATCH (r)--(m) RETURN m LIMIT 0 } RETURN m
{ MATCH (r:Reaction {id: 1}) RETURN r.id AS i } UNION { MATCH (r:Reaction {id: 2}) RETURN r.id AS i }
// Ways to write a query
MATCH (r:Reaction {id: 1}) RETURN r.id;
match (r:Reaction {id: 1}) return r.id
MATCH (r:Reaction {id: 1}) /* MATCH (n) */ RETURN r.id
/* ORDER BY */ MATCH (r:Reaction {id: 1}) RETURN r.id
EXPLAIN MATCH (r:Reaction {id: 1}) RETURN r.id
PROFILE MATCH (r:Reaction {id: 1}) RETURN r.id
CYPHER 5 MATCH (r:Reaction {id: 1}) RETURN r.id
CYPHER runtime=slotted MATCH (r:Reaction {id: 1}) RETURN r.id
MATCH (`r`:`Reaction` {id: 1}) RETURN `r`.id
MATCH (`r`:Reaction {id: 1})--(m) WITH r RETURN r.id
MATCH (r:Reaction {id: 1})--(m) WITH `r` MATCH (r)-->(m) RETURN r.id
MATCH (r:Reaction {id: 1})--(m) WITH r AS `r` MATCH (r)-->(m) RETURN r.id
MATCH (r:Reaction {id: $i}) RETURN r.id
MATCH (r:Reaction {id: 1}) RETURN r.id; MATCH (n) RETURN 1
MATCH (r:Reaction {id: 1}) RETURN 'ORDER BY' AS x
MATCH (r:Reaction {id: 1}) WHERE r.patent <> 'UNION MATCH (n) RETURN n' RETURN r.id
USE neo4j MATCH (r:Reaction {id: 1}) RETURN r.id
MATCH (r:Reaction {id: 1})--(`a b`) RETURN `a b`.name ORDER BY `a b`.name
MATCH (r:Reaction {id: 1})--(é) WITH é RETURN é.name
```MATCH (n) RETURN n```
MATCH (r:Reaction {id: 1}) RETURN r.id LIMIT $k
MATCH (n:Reaction) WHERE n.id < 10 RETURN n.id ORDER BY n.id % 3 LIMIT 2
MATCH (n:Reaction) WHERE n.id < 10 RETURN n.id AS k ORDER BY k % 3 LIMIT 2
MATCH (n:Reaction) WHERE n.id < 10 RETURN n.id AS k ORDER BY k % 3, k LIMIT 2
MATCH (n:Reaction) WHERE n.id < 10 RETURN n.id AS k ORDER BY k % 3, k DESC LIMIT 2
MATCH (n:Reaction) WHERE n.id < 10 RETURN n.id AS k ORDER BY k % 3 SKIP 1
CALL db.labels()
CALL db.labels() YIELD label RETURN label ORDER BY label
CALL db.labels() YIELD *
MATCH (r:Reaction {id: 1}) CALL db.labels() YIELD label RETURN r.id LIMIT 1
MATCH (n:Reaction) RETURN n.id
MATCH (n:Reaction) RETURN n.id ORDER BY n.id
