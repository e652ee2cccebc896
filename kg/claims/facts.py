"""What the graph holds of all that the claims of one answer name, read in a few queries."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, LiteralString

from retrocypher.kg.claims.claim import ROLE_PREDICATES, Claim, Predicate
from retrocypher.kg.errors import GraphError

if TYPE_CHECKING:
    import neo4j


Ask = Callable[[str, Mapping[str, Any]], list[list[Any]]]
"""Runs a query of ours with its parameters, and returns the rows."""


def asking(driver: "neo4j.Driver", database: str = "neo4j") -> Ask:
    """Return what runs queries of ours on a server, each as one read that is tried again where it may be.

    Only for text of this project: nothing guards it. It raises `GraphError` where the server cannot be read.
    """

    def ask(query: str, parameters: Mapping[str, Any]) -> list[list[Any]]:
        from neo4j import READ_ACCESS
        from neo4j.exceptions import DriverError, Neo4jError

        def work(transaction: "neo4j.ManagedTransaction") -> list[list[Any]]:
            return [each.values() for each in transaction.run(query, dict(parameters))]

        try:
            with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
                return session.execute_read(work)
        except (DriverError, Neo4jError) as error:
            raise GraphError(f"The claims cannot be looked up in database '{database}': {error}") from error

    return ask


MOST_STEPS = 6
"""Reactions in the longest chain between two molecules that is looked for."""
MOST_ROUTES = 10_000
"""Routes that are counted."""
_REACTIONS_SHOWN = 20

_REACTIONS: LiteralString = """
UNWIND $ids AS id
MATCH (r:Reaction {id: id})
RETURN id,
       [(m)-[:REACTS_IN]->(r) | m.name] AS reactants,
       [(r)-[made:PRODUCES]->(m) | [m.name, made.yield]] AS products,
       [(r)-[:USES_AGENT]->(m) | m.name] AS agents,
       [(r)-[:USES_SOLVENT]->(m) | m.name] AS solvents
"""
_MOLECULES: LiteralString = "UNWIND $names AS name MATCH (m:Molecule {name: name}) RETURN name"
_BEST: LiteralString = """
UNWIND $names AS name
MATCH (r:Reaction)-[made:PRODUCES]->(:Molecule {name: name})
WHERE made.yield IS NOT NULL
RETURN name, max(made.yield) AS best
"""
# Which reactions hold a molecule in a role, among those that make a product (null: among all).
_HELD: Mapping[Predicate, LiteralString] = {
    "REACTS_IN": "MATCH (:Molecule {name: pair[0]})-[:REACTS_IN]->(r:Reaction)",
    "PRODUCES": "MATCH (r:Reaction)-[:PRODUCES]->(:Molecule {name: pair[0]})",
    "USES_AGENT": "MATCH (r:Reaction)-[:USES_AGENT]->(:Molecule {name: pair[0]})",
    "USES_SOLVENT": "MATCH (r:Reaction)-[:USES_SOLVENT]->(:Molecule {name: pair[0]})",
}
_MAKING: LiteralString = "WHERE pair[1] IS NULL OR EXISTS { (r)-[:PRODUCES]->(:Molecule {name: pair[1]}) }"
_FIRST_IDS: LiteralString = "WITH pair, r.id AS id ORDER BY id RETURN pair, collect(id)[..$shown] AS ids"
_YIELDS: LiteralString = """
UNWIND $names AS name
MATCH (r:Reaction)-[made:PRODUCES]->(:Molecule {name: name})
WHERE made.yield IS NOT NULL
RETURN name, collect([r.id, made.yield]) AS yields
"""
# Which molecules have a role in the reactions that make a product.
_INVOLVED: Mapping[Predicate, LiteralString] = {
    "REACTS_IN": "(m:Molecule)-[:REACTS_IN]->(r)",
    "PRODUCES": "(r)-[:PRODUCES]->(m:Molecule)",
    "USES_AGENT": "(r)-[:USES_AGENT]->(m:Molecule)",
    "USES_SOLVENT": "(r)-[:USES_SOLVENT]->(m:Molecule)",
}
# Of the molecules of a route: those where it begins, and those between its reactions.
_ALONG: Mapping[Predicate, LiteralString] = {"REACTS_IN": "nodes[..1]", "PRODUCES": "nodes[1..-1]"}
Pair = tuple[str, str | None]
Ends = tuple[str | None, str, int]
"""Where routes begin (None: anywhere), what they make, and how many reactions they have."""


@dataclass(frozen=True, slots=True)
class KnownReaction:
    """A reaction of the graph: its molecules by role, and the known yields of its products."""

    roles: Mapping[Predicate, frozenset[str]]
    yields: Mapping[str, float]

    def role_of(self, molecule: str) -> Predicate | None:
        """Return the role of a molecule in it, None where it has none."""
        return next((role for role in ROLE_PREDICATES if molecule in self.roles[role]), None)


@dataclass(slots=True)
class Facts:
    """What was found.

    Attributes:
        molecules: Names that exist.
        held: By role and (molecule, product), the first ids of the reactions that hold it.
        yields: By product, the reactions that make it with a known yield.
        best: By product, the best known yield.
        chains: By (molecule, molecule, steps), the reactions of one chain.
        counts: By role and (molecule, product), the number of reactions.
        involved: By role and product, the number of molecules in the reactions that make it.
        routes: By `Ends`, the number of routes, at most `MOST_ROUTES`.
        along: By role and `Ends`, the molecules where routes begin, or between their reactions.
    """

    reactions: dict[int, KnownReaction] = field(default_factory=dict)
    molecules: set[str] = field(default_factory=set)
    held: dict[tuple[Predicate, Pair], list[int]] = field(default_factory=dict)
    yields: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    best: dict[str, float] = field(default_factory=dict)
    chains: dict[tuple[str, str, int], list[int]] = field(default_factory=dict)
    counts: dict[tuple[Predicate, Pair], int] = field(default_factory=dict)
    involved: dict[tuple[Predicate, str], int] = field(default_factory=dict)
    routes: dict[Ends, int] = field(default_factory=dict)
    along: dict[tuple[Predicate, Ends], int] = field(default_factory=dict)


def gather(ask: Ask, claims: Iterable[Claim]) -> Facts:
    """Ask the graph for all that the claims name, in one query for each kind of thing."""
    claims = list(claims)
    facts = Facts()
    ids = sorted({number for claim in claims for number in claim.reactions})
    names = sorted({name for claim in claims for name in claim.molecules})
    if ids:
        facts.reactions = dict(_reaction(row) for row in ask(_REACTIONS, {"ids": ids}))
    if names:
        facts.molecules = {row[0] for row in ask(_MOLECULES, {"names": names})}
    _ask_unnamed(ask, claims, facts)
    best = sorted({str(each.object) for each in claims if each.predicate == "BEST_YIELD"})
    if best:
        facts.best = {row[0]: row[1] for row in ask(_BEST, {"names": best})}
    for steps in sorted({each.steps or 1 for each in claims if each.predicate == "PRECURSOR_OF"}):
        _ask_chains(ask, claims, steps, facts)
    _ask_counts(ask, claims, facts)
    return facts


def _ask_unnamed(ask: Ask, claims: list[Claim], facts: Facts) -> None:
    for role in ROLE_PREDICATES:
        pairs = sorted({p for claim in claims for p in pairs_of(claim, role)}, key=str)
        if pairs:
            query = f"UNWIND $pairs AS pair {_HELD[role]} {_MAKING} {_FIRST_IDS}"
            for pair, found in ask(query, {"pairs": [list(p) for p in pairs], "shown": _REACTIONS_SHOWN}):
                facts.held[role, (pair[0], pair[1])] = found
    made = sorted({c.product for c in claims if c.predicate == "YIELD" and c.subject is None and c.product})
    if made:
        rows = ask(_YIELDS, {"names": made})
        facts.yields = {name: [(number, value) for number, value in found] for name, found in rows}


def pairs_of(claim: Claim, role: Predicate) -> list[Pair]:
    """Return what has to be known of a claim on a reaction that is not named, for one role."""
    if claim.reactions or claim.predicate not in (*ROLE_PREDICATES, "TAKES_PART_IN"):
        return []
    molecule = claim.subject if claim.predicate in ("REACTS_IN", "TAKES_PART_IN") else claim.object
    return [(molecule, claim.product)] if isinstance(molecule, str) else []


def _ask_chains(ask: Ask, claims: list[Claim], steps: int, facts: Facts) -> None:
    if not 1 <= steps <= MOST_STEPS:
        return
    asked = {
        (str(each.subject), str(each.object))
        for each in claims
        if each.predicate == "PRECURSOR_OF" and (each.steps or 1) == steps
    }
    query = (
        "UNWIND $pairs AS pair CALL { WITH pair MATCH path = (:Molecule {name: pair[0]})"
        f"-[:REACTS_IN|PRODUCES*{2 * steps}]->(:Molecule {{name: pair[1]}}) "
        "RETURN [node IN nodes(path) WHERE node:Reaction | node.id] AS ids LIMIT 1 } RETURN pair, ids"
    )
    for pair, found in ask(query, {"pairs": [list(each) for each in sorted(asked)]}):
        facts.chains[pair[0], pair[1], steps] = found


def _ask_counts(ask: Ask, claims: list[Claim], facts: Facts) -> None:
    counts = [each for each in claims if each.predicate == "COUNT"]
    for role in ROLE_PREDICATES:
        pairs = sorted(
            {
                (each.subject, each.product)
                for each in counts
                if each.role == role and isinstance(each.subject, str)
            },
            key=str,
        )
        if pairs:
            query = f"UNWIND $pairs AS pair {_HELD[role]} {_MAKING} RETURN pair, count(DISTINCT r)"
            for pair, number in ask(query, {"pairs": [list(each) for each in pairs]}):
                facts.counts[role, (pair[0], pair[1])] = number
        made = sorted(
            {each.product for each in counts if each.role == role and each.subject is None and each.product}
        )
        if made:
            query = (
                "UNWIND $products AS product "
                f"MATCH (r:Reaction)-[:PRODUCES]->(:Molecule {{name: product}}) MATCH {_INVOLVED[role]} "
                "WHERE m.name <> product RETURN product, count(DISTINCT m)"
            )
            for product, number in ask(query, {"products": made}):
                facts.involved[role, product] = number
    _ask_along(ask, counts, facts)
    for ends in sorted({found for each in counts if (found := ends_of(each))}, key=str):
        start, product, steps = ends
        query = (
            f"MATCH path = (first:Molecule)-[:REACTS_IN|PRODUCES*{2 * steps}]->"
            "(:Molecule {name: $product}) "
            "WHERE $start IS NULL OR first.name = $start "
            "WITH DISTINCT [node IN nodes(path) WHERE node:Reaction | node.id] AS ids LIMIT $most "
            "RETURN count(ids)"
        )
        rows = ask(query, {"start": start, "product": product, "most": MOST_ROUTES})
        facts.routes[ends] = rows[0][0]


def _ask_along(ask: Ask, counts: list[Claim], facts: Facts) -> None:
    """Count the molecules where routes begin, and those between their reactions."""
    for role, part in _ALONG.items():
        for ends in sorted({found for each in counts if (found := ends_of(each, role))}, key=str):
            start, product, steps = ends
            query = (
                f"MATCH path = (first:Molecule)-[:REACTS_IN|PRODUCES*{2 * steps}]->"
                "(:Molecule {name: $product}) "
                "WHERE $start IS NULL OR first.name = $start WITH nodes(path) AS nodes LIMIT $most "
                f"UNWIND {part} AS node WITH node WHERE node:Molecule RETURN count(DISTINCT node)"
            )
            rows = ask(query, {"start": start, "product": product, "most": MOST_ROUTES})
            facts.along[role, ends] = rows[0][0]


def ends_of(claim: Claim, role: Predicate = "LEADS_TO") -> Ends | None:
    """Return what has to be known of a claim on the number of routes, or of molecules with a role along them.

    None for another claim.
    """
    steps = claim.steps or 0
    if claim.predicate != "COUNT" or claim.role != role or not 1 <= steps <= MOST_STEPS or claim.reactions:
        return None
    start = claim.subject if isinstance(claim.subject, str) else None
    return None if claim.product is None else (start, claim.product, steps)


def _reaction(row: list[Any]) -> tuple[int, KnownReaction]:
    number, reactants, products, agents, solvents = row
    roles: dict[Predicate, frozenset[str]] = {
        "REACTS_IN": frozenset(reactants),
        "PRODUCES": frozenset(name for name, _ in products),
        "USES_AGENT": frozenset(agents),
        "USES_SOLVENT": frozenset(solvents),
    }
    return number, KnownReaction(roles, {name: value for name, value in products if value is not None})
