## structure
MATCH
MATCH (n
MATCH (n RETURN n
MATCH n) RETURN n
MATCH n RETURN n
MATCH (n) RETRN n
MATCH (n) RETURN
MATCH (n) RETURN n,
MATCH (n), RETURN n
MATCH (n)) RETURN n
MATCH (n) WHERE RETURN n
MATCH (n) WHERE n.id = RETURN n
MATCH (n) WHERE n.id == 1 RETURN n
MATCH (n) RETURN n ORDER n.id
MATCH (n) RETURN n LIMIT
MATCH (n) RETURN n AS
MATCH (n) RETURN n n
MATCH (n) RETURN n; RETURN
MATHC (n) RETURN n
SELECT name FROM Molecule
SELECT * FROM t WHERE x = 1
g.V().has('name', 'C').out('REACTS_IN')
The answer is: MATCH (n) RETURN n
Here is the query you asked for.
```cypher MATCH (n) RETURN n ```
MATCH (n) RETURN n ```
<think>a chemist</think> MATCH (n) RETURN n
EXPLAIN
CYPHER 5
## nodes and relationships
MATCH (n:) RETURN n
MATCH (n:A:) RETURN n
MATCH (:A n) RETURN n
MATCH (n {name 'C'}) RETURN n
MATCH (n {name: 'C') RETURN n
MATCH (n {name: }) RETURN n
MATCH (n {'name': 'C'}) RETURN n
MATCH (n {name = 'C'}) RETURN n
MATCH (n {name: 'C'},) RETURN n
MATCH (a)->(b) RETURN a
MATCH (a)-(b) RETURN a
MATCH (a)-[:A->(b) RETURN a
MATCH (a)-[:A]>(b) RETURN a
MATCH (a)[:A]->(b) RETURN a
MATCH (a)-:A->(b) RETURN a
MATCH (a)-[:A]->[:B]->(b) RETURN a
MATCH (a)-[:A]-> RETURN a
MATCH -[:A]->(b) RETURN b
MATCH (a)(b)->(c) RETURN a
MATCH (a)-[:A*1...3]->(b) RETURN a
MATCH (a)-[:A*x]->(b) RETURN a
MATCH (a)-[:A{2}]->(b) RETURN a
MATCH (a)-[r:A|]->(b) RETURN r
MATCH (a)==>(b) RETURN a
MATCH p = RETURN p
MATCH shortestPath (a)-[*]->(b) RETURN a
## expressions
RETURN
RETURN 1 +
RETURN * 2
RETURN (1
RETURN 1)
RETURN [1, 2
RETURN [1, , 2]
RETURN {a: 1
RETURN {a 1}
RETURN {: 1}
RETURN 'unclosed
RETURN "unclosed
RETURN 'it's'
RETURN `unclosed
RETURN 'closed by no backslash\'
RETURN 1 AS 'x'
RETURN 1 AS 2
RETURN 1 IS
RETURN 1 IS NOT
RETURN 1 AND
RETURN 'a' STARTS 'a'
RETURN CASE WHEN 1 THEN END
RETURN CASE 1 END
RETURN CASE WHEN 1 = 1 THEN 2
RETURN [x IN [1] WHERE]
RETURN [x IN [1] |]
RETURN count(*
RETURN f(1,)
RETURN f(,1)
RETURN $
RETURN n.
RETURN n..a
RETURN n.1
RETURN a ? b : c
RETURN 1 && 2
RETURN a -> b
RETURN x => x
RETURN '\u00'
RETURN \uZZZZ
RETURN reduce(x = 0 | x)
RETURN any(x IN [1] WHERE)
MATCH (n) WHERE EXISTS { (n)--> } RETURN n
MATCH (n) WHERE n.name LIKE 'C%' RETURN n
MATCH (n) WHERE n.id BETWEEN 1 AND 2 RETURN n
MATCH (n) WHERE n.id IN (1, 2) RETURN n
MATCH (n) WHERE n.id NOT IN [1, 2] RETURN n
MATCH (n) WHERE n.x IS NOT EMPTY RETURN n
## clauses
WITH RETURN 1
UNWIND [1] RETURN 1
UNWIND [1] AS RETURN 1
RETURN 1 UNION
UNION RETURN 1
CALL
CALL { RETURN 1 AS x RETURN x
CALL db.labels( YIELD label RETURN label
CALL db.labels() YIELD
MATCH (n) SET
MATCH (n) SET n.x
MATCH (n) DELETE
CREATE
MERGE (n), (m)
FOREACH (x IN [1]) CREATE (n)
LOAD CSV 'x' AS row RETURN row
OPTIONAL (n) RETURN n
MATCH (n) GROUP BY n.id RETURN n
MATCH (n) RETURN n GROUP BY n
MATCH (n) HAVING n.id > 1 RETURN n
MATCH (n) RETURN TOP 3 n
MATCH (n) RETURN n /* unclosed
MATCH (n) RETURN n # comment
## numbers
RETURN 4x AS x
RETURN 1__0 AS x
RETURN 1e400 AS x
RETURN 9223372036854775808 AS x
RETURN 0x1g AS x
RETURN 0o18 AS x
RETURN 0777 AS x
RETURN 0X1F AS x
RETURN 1.5x AS x
RETURN 1.5e AS x
MATCH p = (a)-[:PRODUCES*4steps]->(b) RETURN p
MATCH p = (a)-[:PRODUCES]->{2n}(b) RETURN p
