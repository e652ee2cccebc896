## literals of patterns and comparisons become parameters; their values stand in a comment
MATCH (m {name: 'F/C=C\\F'})-[r:A {k: "x"}]->(n) RETURN n
→ MATCH (m {name: $__p0})-[r:A {k: $__p1}]->(n) RETURN n // F/C=C\F, x
MATCH (n) WHERE n.a = 'x' AND 'y' <> n.b RETURN n
→ MATCH (n) WHERE n.a = $__p0 AND $__p1 <> n.b RETURN n // x, y
MATCH (n) WHERE n.a IN ['x', 'y', 1] AND 'z' IN n.b RETURN n
→ MATCH (n) WHERE n.a IN [$__p0, $__p1, 1] AND $__p2 IN n.b RETURN n // x, y, z
MATCH (n) WHERE EXISTS { (n)-->({a: 'x'}) } RETURN [(n)--({b: 'y'}) | 1] AS l
→ MATCH (n) WHERE EXISTS { (n)-->({a: $__p0}) } RETURN [(n)--({b: 'y'}) | 1] AS l // x
MATCH (n) WHERE n.a = $__p0 AND n.b = 'x' RETURN n
→ MATCH (n) WHERE n.a = $__p0 AND n.b = $___p0 RETURN n // x
MATCH (n {a: 'x'}) RETURN n.a = 'x', 'y' ORDER BY n.a = 'x'
→ MATCH (n {a: $__p0}) RETURN n.a = 'x', 'y' ORDER BY n.a = 'x' // x
## all else is left as it is
RETURN 'a'
MATCH (n) RETURN n.name = 'a', CASE n.name WHEN 'a' THEN 'b' END
MATCH (n) WITH n.name = 'a' AS b, count(*) AS c WHERE b = 'a' RETURN b, c
MATCH (n) RETURN n ORDER BY n.name = 'a'
MATCH (n) WHERE n.name STARTS WITH 'a' OR n.name CONTAINS 'b' OR n.name =~ 'c.*' RETURN n
MATCH (n) WHERE n.name ENDS WITH 'a' RETURN n
MATCH (n) WHERE n.name < 'a' RETURN n
MATCH (n) WHERE n['name'] = 1 RETURN n
MATCH (n) WHERE n.name = 'a' + 'b' RETURN n
MATCH (n) WHERE toLower('A') = n.name RETURN n
MATCH (n) WHERE n.name IN ['a'] + ['b'] RETURN n
MATCH (n) WHERE EXISTS { MATCH (n) RETURN n.name = 'a' AS x } RETURN n
MATCH (n:$('A')) RETURN n
MATCH (n {list: ['a']}) RETURN n
UNWIND ['a', 'b'] AS x RETURN x
CALL db.index.fulltext.queryNodes('names', 'a') YIELD node RETURN node
LOAD CSV FROM 'file:///a' AS row RETURN row
CREATE (n {name: 'a'})
MERGE (n {name: 'a'}) RETURN n
USE graph.byName('neo4j') MATCH (n {name: 'a'}) RETURN n
CALL { USE neo4j MATCH (n {name: 'a'}) RETURN n } RETURN n
MATCH (n {name: 'a'} RETURN n
MATCH (n {name: 'a) RETURN n
MATCH (n {name: '\u0041'}) RETURN n.name
MATCH (n {id: 1}) RETURN n
