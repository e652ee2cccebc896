## labels follow from the schema: m is a molecule, r or x a reaction
MATCH (m)-[:REACTS_IN]->(r) RETURN m
MATCH (r)<-[:REACTS_IN]-(m) RETURN m
MATCH (r)-[:REACTS_IN]-(m) RETURN r.id, m.name
MATCH (m) MATCH (m)-[:REACTS_IN]->(r) RETURN m
MATCH (m)-[:REACTS_IN]->(x) WITH x AS r, m MATCH (r)-[:PRODUCES]->() RETURN r, m
MATCH (m:Molecule)-->(r:Reaction) RETURN m
MATCH (r) WHERE EXISTS { (m)-[:REACTS_IN]->(r) } RETURN r
## arrow as_written
MATCH (m:Molecule)-[:REACTS_IN]->(r) RETURN r
MATCH (m:Molecule)-[:MADE_BY]->(r) RETURN r
MATCH (m)-[:REACTS_IN]->(r {id: 1}) RETURN r
MATCH (m:Molecule)-[:REACTS_IN]-(r) RETURN r
MATCH (m:Molecule)-[:REACTS_IN|PRODUCES*4]->(n:Molecule) RETURN n
## arrow turned
MATCH (m:Molecule)<-[:REACTS_IN]-(r) RETURN r
MATCH (m)<-[:REACTS_IN]-(r {id: 1}) RETURN r
## arrow both
MATCH (m:Molecule)-[:REACTS_IN|PRODUCES]-(r) RETURN r
MATCH (m:Molecule)-[:REACTS_IN|PRODUCES*4]-(n:Molecule) RETURN n
## arrow never
MATCH (m:Molecule)-[:REACTS_IN]->(n:Molecule) RETURN n
MATCH (m:Molecule)-[:REACTS_IN|PRODUCES*3]->(n:Molecule) RETURN n
## hops 4 to 4
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*4]->(b:Molecule) RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) WHERE length(p) = 4 RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*..8]->(b:Molecule) WHERE size(nodes(p)) = 5 RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*..8]->(b:Molecule) WHERE 4 = length(p) RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) WHERE length(p) IN [4] RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) WHERE size([n IN nodes(p) WHERE n:Reaction]) = 2 RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) WHERE size([n IN nodes(p) WHERE 'Reaction' IN labels(n)]) = 2 RETURN p
MATCH p = (a:Molecule)-[e:REACTS_IN|PRODUCES*]->(b:Molecule) WHERE size(e) = 4 RETURN p
MATCH p = (a:Molecule)((:Molecule)-[:REACTS_IN]->(:Reaction)-[:PRODUCES]->(:Molecule)){2}(b:Molecule) RETURN p
## hops 1 to any
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) RETURN p
## hops 1 to 6
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*..6]->(b:Molecule) RETURN p
## hops 2 to 4
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES]->{2,4}(b:Molecule) RETURN p
## hops 6 to 6
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*..8]->(b:Molecule) WHERE size(relationships(p)) = 6 RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) WHERE length(p) / 2 = 3 RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) WHERE length(p) = 2 * 3 RETURN p
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*]->(b:Molecule) WITH p, [n IN nodes(p) WHERE n:Reaction] AS rs WHERE size(rs) = 3 RETURN rs
## hops 3 to 6
MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES*..8]->(b:Molecule) WHERE length(p) > 2 AND length(p) <= 6 RETURN p
## hops 2 to any
MATCH p = (a:Molecule)((:Molecule)-[:REACTS_IN]->(:Reaction)-[:PRODUCES]->(:Molecule))+(b:Molecule) RETURN p
## column x is the name of m
MATCH (r)-[:PRODUCES]->(m) RETURN collect(DISTINCT m.name) AS x
MATCH (r)-[:PRODUCES]->(m) WITH collect(DISTINCT m) AS ms RETURN [k IN ms | k.name] AS x
MATCH (r)-[:PRODUCES]->(m) WITH r, m AS k WITH k AS j RETURN j.name AS x
MATCH (r)-[:PRODUCES]->(m) RETURN collect(m {.name}) AS x
MATCH (r)-[:PRODUCES]->(m) WITH {product: m} AS map RETURN map.product.name AS x
MATCH (r)-[:PRODUCES]->(m) WITH collect(m) AS ms UNWIND ms AS k RETURN k.name AS x
MATCH (r)-[:PRODUCES]->(m) CALL { WITH m RETURN m.name AS n } RETURN n AS x
MATCH (r)-[:PRODUCES]->(m) WITH * RETURN m.name AS x
MATCH p = (r)-[:PRODUCES]->(m) RETURN last(nodes(p)).name AS x
MATCH (r)-[e:PRODUCES]->(m) RETURN endNode(e).name AS x
## not bound: b
MATCH (a) RETURN b.id
## not bound: a
MATCH (a) WITH a.id AS i RETURN a
MATCH (a) CALL { RETURN a AS c } RETURN c
## not bound:
MATCH (a) WITH count(*) AS n WHERE a.id = n RETURN n
MATCH (a) CALL { MATCH (b) RETURN b } RETURN a, b
RETURN [x IN [1] | x] AS l
## not bound: x y
MATCH (a) WHERE any(x IN a.list WHERE x = y) RETURN x
## subquery keeps the row
MATCH (r:Reaction) CALL { WITH r MATCH (r)-[:USES_AGENT]->(a) RETURN collect(a.name) AS x } RETURN r.id, x
MATCH (r:Reaction) CALL (r) { MATCH (r)-[:USES_AGENT]->(a) RETURN collect(a.name) AS x } RETURN r.id, x
MATCH (r:Reaction) OPTIONAL CALL (r) { MATCH (r)-[:USES_AGENT]->(a) RETURN a.name AS x } RETURN r.id, x
## subquery may lose the row
MATCH (r:Reaction) CALL { WITH r MATCH (r)-[:USES_AGENT]->(a) RETURN a.name AS x } RETURN r.id, x
## path of any length that its pattern has
MATCH p = ALL SHORTEST (a)-[:REACTS_IN|PRODUCES]->{6}(b) RETURN p
MATCH p = (a)-[:REACTS_IN|PRODUCES*6]->(b) RETURN p
## path only the shortest
MATCH p = ALL SHORTEST (a)-[:REACTS_IN|PRODUCES]->{4,6}(b) RETURN p
MATCH p = ALL SHORTEST (a)-[:REACTS_IN|PRODUCES]->+(b) RETURN p
MATCH p = SHORTEST 1 (a)-[:REACTS_IN|PRODUCES]->{6}(b) RETURN p
MATCH p = shortestPath((a)-[:REACTS_IN|PRODUCES*6]->(b)) RETURN p
## unread
CALL db.labels() YIELD label RETURN label
MATCH (a)-[:!REACTS_IN]->(b) RETURN a
MATCH (a
