## ends with labels
MATCH (r:Reaction)⟪<-[:PRODUCES]-⟫(m:Molecule) RETURN r
MATCH (r:Reaction)⟪⟨—[:PRODUCES]—⟫(m:Molecule) RETURN r
MATCH (m:Molecule)⟪-[:PRODUCES]->⟫(r:Reaction) RETURN r
MATCH (m:Molecule) ⟪<- [:REACTS_IN] -⟫ (r:Reaction) RETURN r
MATCH (a:Molecule)⟪<-[:REACTS_IN]-⟫(r:Reaction)⟪<-[:PRODUCES]-⟫(b:Molecule) RETURN r
MATCH (a:Molecule)-[:REACTS_IN]->(r:Reaction)-[:PRODUCES]->(b:Molecule) RETURN r
MATCH (a:Molecule), (r:Reaction), (b:Molecule)⟪<-[:REACTS_IN]-⟫(r) RETURN r
MATCH (:`Molecule`)⟪<-[:`REACTS_IN`]-⟫(:`Reaction`) RETURN 1 AS one
MATCH (m IS Molecule)⟪<-[r IS REACTS_IN]-⟫(n IS Reaction) RETURN r
OPTIONAL MATCH (r:Reaction)⟪<-[:USES_AGENT]-⟫(m:Molecule) RETURN r
EXPLAIN MATCH (r:Reaction)⟪<-[:USES_AGENT]-⟫(m:Molecule) RETURN r
MATCH (r:Reaction)⟪<-[:PRODUCES {yield: 9}]-⟫(m:Molecule) RETURN '(r:Reaction)<-[:PRODUCES]-(m:Molecule)'
MATCH (r:Reaction)/*<-*/⟪<-[:USES_AGENT]-⟫(m:Molecule {name: 'C<-[:X]-(C)->N'}) RETURN r // <-[:X]-
## nothing that a turn would mend
MATCH (a:Molecule)-[:PRODUCES]->(b:Molecule) RETURN a
MATCH (a:Reaction)<-[:MADE_BY]-(b:Molecule) RETURN a
MATCH (a)-[:MADE_BY]->(b)<-[:PRODUCES]-(c:Molecule {id: 1}) WHERE b:Molecule RETURN a
MATCH (a:Reaction)-[:produces]->(b) RETURN a
MATCH (a)-[]->(b) RETURN a
MATCH (a)-->(b)<--(c) RETURN a
MATCH (a:Molecule) RETURN a
## both ways fit, or none is written
MATCH (r:Reaction)-[:PRODUCES]-(m:Molecule) RETURN r
MATCH (r:Reaction)<-[:PRODUCES]->(m:Molecule) RETURN r
MATCH (r:Reaction)--(m:Molecule) RETURN r
MATCH (r:Reaction)-->(m:Molecule)-->(s:Reaction) RETURN r
MATCH (r:Reaction)<--(m:Molecule) RETURN r
MATCH (a)-[:PRODUCES]->(b) RETURN a, b
## one end with a label
MATCH (r)⟪<-[:PRODUCES]-⟫(:Molecule) RETURN r
MATCH ()⟪-[:REACTS_IN]->⟫(m:Molecule) RETURN m
MATCH (r:Reaction)⟪<-[:USES_SOLVENT]-⟫() RETURN r
MATCH (m:Compound)⟪<-[:REACTS_IN]-⟫(r:Reaction) RETURN r
MATCH (m:Compound)-[:REACTS_IN]->(r:Recipe) RETURN r
MATCH (m:Compound&Molecule)⟪<-[:REACTS_IN]-⟫(r) RETURN r
MATCH (m:$($label))⟪<-[:REACTS_IN]-⟫(r:Reaction) RETURN r
## label expressions
MATCH (m:!Reaction)⟪<-[:REACTS_IN]-⟫(r) RETURN r
MATCH (m:!!Molecule)⟪<-[:REACTS_IN]-⟫(r) RETURN r
MATCH (m:(Molecule|Reaction)&!Reaction)⟪<-[:REACTS_IN]-⟫(r) RETURN r
MATCH (m:Molecule|Reaction)-[:REACTS_IN]->(r:Reaction) RETURN r
MATCH (m:Molecule|Reaction)-[:REACTS_IN]->(r) RETURN r
MATCH (m:%)-[:REACTS_IN]->(r:%) RETURN r
MATCH (m:%)⟪<-[:REACTS_IN]-⟫(r:%&!Molecule) RETURN r
## types
MATCH (r:Reaction)⟪<-[:USES_AGENT|USES_SOLVENT]-⟫(m:Molecule) RETURN r
MATCH (r:Reaction)⟪<-[x:USES_AGENT|:PRODUCES]-⟫(m:Molecule) RETURN r
MATCH (r:Reaction)<-[:REACTS_IN|PRODUCES]-(m:Molecule) RETURN r
MATCH (r:Reaction)⟪<-[:!REACTS_IN]-⟫(m:Molecule) RETURN r
MATCH (r:Reaction)⟪<-[:MADE_BY|PRODUCES]-⟫(m:Molecule) RETURN r
MATCH (r:Reaction)⟪<-[p {yield: 3}]-⟫(m:Molecule) RETURN r
MATCH (r:Reaction)⟪<-[p]-⟫(m:Molecule) WHERE p.yield > 3 RETURN r
MATCH (r:Reaction)⟪<-[p]-⟫(m:Molecule) WHERE type(p) = 'PRODUCES' RETURN r
MATCH (r:Reaction)⟪<-[p]-⟫(m:Molecule) WHERE type(p) IN ['PRODUCES', 'USES_AGENT'] RETURN r
MATCH (r:Reaction)⟪<-[p]-⟫(m:Molecule) WHERE p:PRODUCES RETURN r
MATCH (r:Reaction)<-[p]-(m:Molecule) WHERE type(p) = $type RETURN r
MATCH (r:Reaction)<-[p]-(m:Molecule) WHERE type(p) <> 'PRODUCES' RETURN r
MATCH (r:Reaction)<-[p:$($type)]-(m:Molecule) RETURN r
MATCH ()-[p:PRODUCES]->() MATCH (r:Reaction)⟪<-[p]-⟫(m) RETURN r
## path lengths
MATCH (m:Molecule)-[:REACTS_IN|PRODUCES*4]->(t:Molecule) RETURN m
MATCH (m:Molecule)<-[:REACTS_IN|PRODUCES*4]-(t:Molecule) RETURN m
MATCH (m:Molecule)<-[:REACTS_IN|PRODUCES*3]-(r:Reaction) RETURN m
MATCH (r:Reaction)-[:REACTS_IN|PRODUCES*1000000001]->(m:Molecule) RETURN m
MATCH (r:Reaction)⟪-[:REACTS_IN*1]->⟫(m:Molecule) RETURN m
MATCH (r:Reaction)⟪-[:REACTS_IN*1..3]->⟫(m:Molecule) RETURN m
MATCH (r:Reaction)⟪-[:REACTS_IN*]->⟫(m:Molecule) RETURN m
MATCH (r:Reaction)⟪-[:REACTS_IN*0..1]->⟫(m:Molecule) RETURN m
MATCH (r:Reaction)-[:REACTS_IN*0..1]->(m) RETURN m
MATCH (r:Reaction)-[:REACTS_IN*2..]->(m:Molecule) RETURN m
MATCH (m:Molecule)-[:REACTS_IN*1..2]-(n:Molecule) RETURN m
MATCH (r:Reaction)⟪-[:REACTS_IN]->+⟫(m:Molecule) RETURN m
MATCH (r:Reaction)⟪-[:REACTS_IN]->{1,2}⟫(m:Molecule) RETURN m
MATCH (r:Reaction)-[:REACTS_IN]->{2}(m:Molecule) RETURN m
MATCH (m:Molecule)-[:REACTS_IN|PRODUCES]->{4}(t:Molecule) RETURN m
MATCH p = shortestPath((r:Reaction)⟪<-[:USES_AGENT*]-⟫(m:Molecule)) RETURN p
MATCH p = ALL SHORTEST (r:Reaction)⟪<-[:USES_AGENT]-⟫(m:Molecule) RETURN p
MATCH p = shortestPath((a:Molecule)-[:REACTS_IN|PRODUCES*..10]->(b:Molecule)) RETURN p
## quantified paths
MATCH ((a:Molecule)-[:REACTS_IN]->(r:Reaction)-[:PRODUCES]->(b:Molecule)){2} RETURN a
MATCH ((a:Molecule)⟪<-[:REACTS_IN]-⟫(r:Reaction)-[:PRODUCES]->(b:Molecule)){2} RETURN a
MATCH ((a:Molecule)-[:REACTS_IN]->(r)⟪<-[:PRODUCES]-⟫(b:Molecule))+ RETURN a
MATCH (s:Molecule)(()⟪<-[:REACTS_IN]-⟫(r:Reaction)-[:PRODUCES]->()){3}(t:Molecule) RETURN s
MATCH (s:Molecule)((a)-[:REACTS_IN]->(r)-[:PRODUCES]->(b)){1,3}(t:Molecule) RETURN s
MATCH (s:Molecule)((a)⟪<-[:REACTS_IN]-⟫(b)){1}(t:Reaction) RETURN s
MATCH (s:Molecule)(()-[:REACTS_IN|PRODUCES]->()){4}(t:Molecule) RETURN s
MATCH (s:Molecule)(()-[:REACTS_IN|PRODUCES]->()){0,3}(t:Molecule) RETURN s
MATCH ((a:Molecule)-[:REACTS_IN]->(r:Reaction)){2} RETURN a
MATCH ((a)⟪<-[:REACTS_IN]-⟫(r) WHERE a:Molecule)(t) RETURN a
MATCH p = SHORTEST 1 ((r:Reaction)⟪<-[:USES_AGENT]-⟫(m:Molecule) WHERE m.name = 'C') RETURN p
MATCH (s:Molecule)(()-[:REACTS_IN]->()-[:PRODUCES]->()){2}(()⟪<-[:REACTS_IN]-⟫(r:Reaction)){1}(t) RETURN s
## labels said elsewhere
MATCH (r:Reaction) MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m
MATCH (r)⟪<-[:PRODUCES]-⟫(m) MATCH (r:Reaction) RETURN m
MATCH (r)⟪<-[:PRODUCES]-⟫(m) WHERE r:Reaction RETURN m
MATCH (r)⟪<-[:PRODUCES]-⟫(m) WHERE NOT r:Molecule RETURN m
MATCH (r)⟪<-[:PRODUCES]-⟫(m) WHERE NOT (r:Molecule OR m.name = 'C') RETURN m
MATCH (r)⟪<-[:PRODUCES]-⟫(m) WHERE m.name = 'C' AND (r:Reaction AND r.id > 3) RETURN m
MATCH (r)⟪<-[:PRODUCES]-⟫(m) WHERE 'Reaction' IN labels(r) RETURN m
MATCH (r)⟪<-[:PRODUCES]-⟫(m:Molecule WHERE m.name = 'C') RETURN m
MATCH (r)<-[:PRODUCES]-(m) WHERE r:Reaction OR m:Reaction RETURN m
MATCH (r)<-[:PRODUCES]-(m) WHERE r:Reaction XOR m:Reaction RETURN m
MATCH (r:Reaction) WITH r AS x MATCH (x)⟪<-[:PRODUCES]-⟫(m) RETURN m
MATCH (r:Reaction) WITH * MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m
MATCH (r:Reaction) WITH r.id AS r MATCH (r)<-[:PRODUCES]-(m) RETURN m
MATCH (r:Reaction) WITH 1 AS one MATCH (r)<-[:PRODUCES]-(m) RETURN m
MATCH (r:Reaction) WITH r WHERE (r)⟪<-[:PRODUCES]-⟫() RETURN r
MATCH (x:Reaction) WITH x AS y WITH y AS z, 1 AS n MATCH (m)⟪-[:PRODUCES]->⟫(z) RETURN m
MATCH (r:Reaction) WITH collect(r) AS rs UNWIND rs AS s MATCH (s)⟪<-[:PRODUCES]-⟫(m) RETURN m
MATCH (n) WITH collect(DISTINCT n) AS ns UNWIND ns AS a UNWIND ns AS b MATCH (a)-[:PRODUCES]->(b) RETURN a
UNWIND $ids AS r MATCH (r)<-[:PRODUCES]-(m) RETURN m
MATCH (m:Molecule) MATCH (n:Reaction) MATCH (m)⟪<-[:REACTS_IN]-⟫(n) RETURN m
MATCH (m:Molecule) RETURN m AS x UNION MATCH (m)<-[:REACTS_IN]-(r) RETURN m AS x
MATCH (m:Molecule)⟪<-[:REACTS_IN]-⟫(r) RETURN m UNION MATCH (m:Reaction)⟪<-[:PRODUCES]-⟫(r) RETURN m
MATCH (m:Molecule) MATCH (m:Reaction)<-[:PRODUCES]-(p) RETURN p
## properties
MATCH (t {name: 'C'})⟪-[:PRODUCES]->⟫(r) RETURN r
MATCH (r {id: 7})⟪-[:REACTS_IN]->⟫(m) RETURN m
MATCH (t)⟪-[:PRODUCES]->⟫(r) WHERE t.name = 'C' RETURN r
MATCH (t)⟪-[:PRODUCES]->⟫(r) WHERE t.name IN ['C', 'N'] RETURN r
MATCH (t)⟪-[:PRODUCES]->⟫(r) WHERE t.name STARTS WITH 'C' OR t.name = 'N' RETURN r
MATCH (t)⟪-[:PRODUCES]->⟫(r) WHERE t.name IS NOT NULL RETURN r
MATCH (t)-[:PRODUCES]->(r) WHERE t.name IS NULL RETURN t
MATCH (t)⟪-[:PRODUCES]->⟫(r) WHERE t.name = 'C' OR r.id = 3 RETURN r
MATCH (t {smiles: 'C'})-[:PRODUCES]->(r) RETURN r
MATCH (t:Reaction {name: 'C'})-[:PRODUCES]->(r) RETURN r
MATCH (t {name: 'C', id: 3})-[:PRODUCES]->(r) RETURN r
MATCH (t)⟪-[:PRODUCES]->⟫(r) RETURN t.name, r.id
MATCH (t)-[:PRODUCES]->(r) RETURN r.id
MATCH (t:Reaction)-[:PRODUCES]->(r) RETURN t.name, r.id
MATCH (t)-[:PRODUCES]->(r) WHERE t.name = 'C' OR r:Molecule RETURN r
## several edges
MATCH (a:Molecule)-[:REACTS_IN]->(r)⟪<-[:PRODUCES]-⟫(b) RETURN a
MATCH (a)-[:REACTS_IN]->(r)<-[:PRODUCES]-(b) RETURN a
MATCH (a)-[:REACTS_IN]->(r)⟪<-[:PRODUCES]-⟫(b) RETURN r.id
MATCH (a)-[:REACTS_IN]->(r), (c)-[:REACTS_IN]->(r)⟪<-[:PRODUCES]-⟫(b) RETURN a
MATCH (a)-[:REACTS_IN]->(r)-[:PRODUCES]->(b)-[:REACTS_IN]->(s)⟪<-[:PRODUCES]-⟫(c:Molecule) RETURN a
MATCH (a:Molecule)⟪<-[:REACTS_IN]-⟫(r)⟪<-[:PRODUCES]-⟫(b) RETURN a
MATCH (a:Molecule)-[:REACTS_IN]->(r:Reaction)-[:PRODUCES]->(x)-[:PRODUCES]->(b:Molecule) RETURN a
MATCH (a:Molecule)-[:REACTS_IN]->(b)-[:PRODUCES]->(c:Reaction) RETURN a
MATCH (a)-[:PRODUCES]->(a) RETURN a
MATCH (a)-[:REACTS_IN|PRODUCES*3]->(m:Molecule)⟪<-[:REACTS_IN]-⟫(b) RETURN a
MATCH (a)-[:PRODUCES]-(m)⟪<-[:REACTS_IN]-⟫(b), (m:Molecule) RETURN a
## optional parts
MATCH (n) OPTIONAL MATCH (n)-[:REACTS_IN]->(r) OPTIONAL MATCH (n)-[:PRODUCES]->(p) OPTIONAL MATCH (n)-[:USES_AGENT]->(a) RETURN n, r, p, a
MATCH (r)⟪<-[:PRODUCES]-⟫(t) OPTIONAL MATCH (r)-[:USES_AGENT]->(a) OPTIONAL MATCH (r)-[:USES_SOLVENT]->(s) RETURN r, t, a, s
MATCH (r)-[:PRODUCES]->(t) OPTIONAL MATCH (r)<-[:USES_AGENT]-(a) RETURN r, t, a
MATCH (x)-[:REACTS_IN]->(r)-[:PRODUCES]->(t) OPTIONAL MATCH (r)⟪<-[:USES_AGENT]-⟫(a) RETURN r, t, a
MATCH (r)⟪<-[:PRODUCES]-⟫(t) OPTIONAL MATCH (r:Reaction)-[:USES_AGENT]->(a) RETURN r, a
MATCH (n) OPTIONAL MATCH (n:Molecule)-[:REACTS_IN]->(r) OPTIONAL MATCH (n:Reaction)-[:PRODUCES]->(p) RETURN n
MATCH (n) OPTIONAL MATCH (n:Molecule)⟪<-[:REACTS_IN]-⟫(r) OPTIONAL MATCH (n:Reaction)⟪<-[:PRODUCES]-⟫(p) RETURN n
OPTIONAL MATCH (b:Molecule) MATCH (b)⟪<-[:REACTS_IN]-⟫(r) RETURN r
MATCH (r:Reaction) OPTIONAL MATCH (r)⟪<-[:PRODUCES]-⟫(t) WHERE t.name <> 'C' RETURN r, t
## subqueries and expressions
MATCH (r:Reaction) WHERE (r)⟪<-[:PRODUCES]-⟫() RETURN r
MATCH (r:Reaction) WHERE NOT (r)⟪<-[:PRODUCES]-⟫(:Molecule {name: 'C'}) RETURN r
MATCH (r:Reaction) WHERE (r)-[:PRODUCES]->() OR (r)⟪<-[:USES_AGENT]-⟫() RETURN r
MATCH (r:Reaction) WHERE exists((r)⟪<-[:PRODUCES]-⟫()) RETURN r
MATCH (r:Reaction) WHERE EXISTS { (r)⟪<-[:PRODUCES]-⟫() } RETURN r
MATCH (r:Reaction) WHERE EXISTS { MATCH (r)⟪<-[:PRODUCES]-⟫(m) WHERE m.name = 'C' } RETURN r
MATCH (r:Reaction) WHERE NOT EXISTS { MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m } RETURN r
MATCH (r:Reaction) WHERE EXISTS { WITH r AS s MATCH (s)⟪<-[:PRODUCES]-⟫(m) RETURN m } RETURN r
MATCH (r:Reaction) WHERE COUNT { (r)⟪<-[:PRODUCES]-⟫() } > 1 RETURN r
MATCH (r:Reaction) RETURN COLLECT { MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m.name } AS names
MATCH (r:Reaction) WHERE EXISTS { MATCH (r) WHERE EXISTS { (r)⟪<-[:PRODUCES]-⟫() } } RETURN r
MATCH (r:Reaction) RETURN [(r)⟪<-[:PRODUCES]-⟫(m) | m.name] AS names
MATCH (r:Reaction) RETURN [p = (r)⟪<-[:PRODUCES]-⟫(m) WHERE m:Molecule | m.name] AS names
MATCH (r:Reaction) RETURN size([(r)-[:PRODUCES]->(m) WHERE (m)⟪<-[:REACTS_IN]-⟫() | m.name]) AS names
MATCH (r:Reaction) WITH collect(r) AS rs RETURN [x IN rs WHERE (x)⟪<-[:PRODUCES]-⟫() | x.id] AS ids
MATCH p = (:Molecule)-[*3]-() WHERE all(x IN nodes(p) WHERE x:Reaction AND (x)⟪<-[:PRODUCES]-⟫()) RETURN p
MATCH (x:Reaction), p = (:Molecule)--() WHERE any(x IN nodes(p) WHERE (x)<-[:PRODUCES]-()) RETURN p
MATCH (r:Reaction) RETURN reduce(n = 0, x IN [(r)⟪<-[:PRODUCES]-⟫(m) | m] | n + 1) AS n
MATCH (r:Reaction) RETURN CASE WHEN (r)⟪<-[:PRODUCES]-⟫() THEN 1 ELSE 0 END AS n
MATCH (r:Reaction) RETURN r {.id, names: [(r)⟪<-[:PRODUCES]-⟫(m) | m.name]} AS n
MATCH (r:Reaction) RETURN r.id AS id ORDER BY COUNT { (r)⟪<-[:PRODUCES]-⟫() } DESC
MATCH (r:Reaction {id: head([(:Molecule)⟪<-[:REACTS_IN]-⟫(x) | x.id])}) RETURN r
MATCH (r:Reaction WHERE (r)⟪<-[:PRODUCES]-⟫()) RETURN r
MATCH (r:Reaction) UNWIND [(r)⟪<-[:PRODUCES]-⟫(m) | m] AS m RETURN m
## CALL
MATCH (r:Reaction) CALL { WITH r MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m } RETURN m
MATCH (r:Reaction) CALL (r) { MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m } RETURN m
MATCH (r:Reaction) CALL (*) { MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m } RETURN m
MATCH (r:Reaction) OPTIONAL CALL (r) { MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m } RETURN m
MATCH (r:Reaction) CALL () { MATCH (r)<-[:PRODUCES]-(m) RETURN m } RETURN m
MATCH (r:Reaction) CALL { MATCH (r)<-[:PRODUCES]-(m) RETURN m } RETURN m
MATCH (r:Reaction) CALL { WITH r MATCH (r)-[:PRODUCES]->(m) RETURN m UNION WITH r MATCH (r)⟪<-[:USES_AGENT]-⟫(m) RETURN m } RETURN m
CALL { MATCH (x:Reaction) RETURN x AS r } MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN m
CALL { MATCH (x:Reaction) RETURN x UNION MATCH (x:Molecule) RETURN x } MATCH (x)<-[:PRODUCES]-(m) RETURN m
CALL db.labels() YIELD label AS r MATCH (r)<-[:PRODUCES]-(m) RETURN m
## written, not matched
CREATE (r:Reaction)<-[:PRODUCES]-(m:Molecule) RETURN r
MERGE (r:Reaction)<-[:PRODUCES]-(m:Molecule) RETURN r
CREATE (r:Reaction) WITH r MATCH (r)⟪<-[:PRODUCES]-⟫(m) RETURN r
MATCH (r:Reaction)⟪<-[:PRODUCES]-⟫(m) FOREACH (x IN [1] | CREATE (r)<-[:PRODUCES]-(:Molecule))
FOREACH (x IN [1] | MERGE (:Reaction)<-[:PRODUCES]-(:Molecule))
## text that is no valid query
MATCH (r:Reaction)<-[:PRODUCES]-(m:Molecule RETURN r
MATCH (r:Reaction)⟪<-[:PRODUCES]-⟫(m:Molecule)
Here it is: MATCH (r:Reaction)<-[:PRODUCES]-(m:Molecule) RETURN r
SHOW INDEXES
RETURN 1; MATCH (r:Reaction)⟪<-[:PRODUCES]-⟫(m:Molecule) RETURN r
