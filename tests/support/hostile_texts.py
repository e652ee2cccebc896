"""Queries made to hold up whoever reads them."""

_MOLECULE = "'CCO'"


def nested(opening: str, core: str, closing: str, levels: int) -> str:
    return f"MATCH (m:Molecule) RETURN {opening * levels}{core}{closing * levels} AS y"


OVER = {
    "comprehensions": nested("[x IN ", "[1]", " | x]", 15_000),
    "few comprehensions": nested("[x IN ", "[1]", " | x]", 800),
    "brackets": nested("(", "1", ")", 90_000),
    "cases": nested("CASE WHEN true THEN ", "1", " ELSE 2 END", 5_000),
    "subqueries": nested("EXISTS { MATCH (n) WHERE ", "true", " }", 5_000),
    "signs": f"RETURN {'- ' * 90_000}1",
    "hops": f"MATCH p = (a){'-->()' * 20_000} RETURN p",
    "labels": f"MATCH (a{':Molecule' * 2_400}) RETURN a",
    "clauses": f"MATCH (a) {' '.join(f'WITH *, 1 AS x{n}' for n in range(9_000))} RETURN *",
    "invalid characters": "MATCH (n) " + "中\ufffd" * 75_000,
    "control characters": "MATCH (n) " + "\x01" * 150_000,
    "patterns": f"MATCH (n) WHERE {' AND '.join(['(n)-->()'] * 10_000)} RETURN n",
}
UNDER = {
    "quotes": "MATCH (n) WHERE n.x = '" + "\\'" * 2_400,
    "hops": f"MATCH p = (a){'-->()' * 800} RETURN p",
    "clauses": f"MATCH (a) {' '.join(f'WITH *, 1 AS x{n}' for n in range(700))} RETURN *",
    "comprehensions": nested("[x IN ", "[1]", " | x]", 29),
    "molecules": f"MATCH (m:Molecule) WHERE m.name IN [{', '.join([_MOLECULE] * 2_000)}] RETURN m.name",
    "properties": f"MATCH (m:Molecule) RETURN m{'.name' * 1_200} AS y",
    "sums": f"MATCH (m:Molecule) RETURN m.name{' + m.name' * 1_200} AS y",
    "doubled values": " ".join(
        [
            "MATCH (m:Molecule) WITH m.name AS x0",
            *(f"WITH CASE WHEN x{n} = x{n} THEN x{n} ELSE x{n} END AS x{n + 1}" for n in range(30)),
            "WHERE x30 = 1 RETURN x30 AS y",
        ]
    ),
    "long molecule": f"MATCH (m:Molecule {{name: '{'C' * 150_000}'}}) RETURN m.name",
}
