## labels that go together
MATCH (a:Person:Actor)⟪<-[:ACTED_IN]-⟫(m) RETURN a
MATCH (a:Person)⟪<-[:ACTED_IN]-⟫(m) RETURN a
MATCH (a:Person&!Actor&!Director)-[:ACTED_IN]->(m:Movie) RETURN a
MATCH (a:Person&!Actor)⟪<-[:DIRECTED]-⟫(m) RETURN a
MATCH (a:Actor:Movie)⟪<-[:ACTED_IN]-⟫(m:Movie) RETURN a
MATCH (a:Genre|Movie)⟪<-[:IN_GENRE]-⟫(g:Genre) RETURN a
## types that run both ways
MATCH (p:Person)<-[:KNOWS]-(q:Person) RETURN p
MATCH (p:Person)<-[:LIKES]-(m:Movie) RETURN p
MATCH (p:Person)-[:LIKES]->(m:Movie) RETURN p
MATCH (p)-[:LIKES]->(m)⟪<-[:IN_GENRE]-⟫(g:Genre) RETURN p
## nodes without labels
MATCH (n)-[:ABOUT]->(m:Movie) RETURN n
MATCH (n)⟪<-[:ABOUT]-⟫(m:Movie) RETURN n
MATCH (n:Genre)-[:ABOUT]->(m:Movie) RETURN n
MATCH (n:!%)⟪<-[:ABOUT]-⟫(m) RETURN n
## properties that several labels have
MATCH (n {name: 'x'})⟪-[:IN_GENRE]->⟫(g) RETURN n
MATCH (n {name: 'x'})-[:KNOWS]->(g) RETURN n
MATCH (n {title: 'x'})⟪-[:RATED]->⟫(p) RETURN n
MATCH (n)⟪-[r]->⟫(p) WHERE r.stars > 3 AND n:Movie RETURN n
MATCH (n)-[r]->(p {title: 'x', year: 1})⟪<-[:IN_GENRE]-⟫(g) WHERE r.stars > 3 AND n:Movie RETURN n
