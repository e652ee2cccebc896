"""A small graph that answers the queries of claims, for tests without a server."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from retrocypher.kg.claims.facts import Ask
from retrocypher.kg.graph.reaction import Reaction, Source

SOURCE = Source("grants.parquet", 7, "CCO>>CC=O", "1976-01")
REACTIONS = (
    Reaction(12, ("CCO",), ("CC=O", "O"), ("[O]",), ("ClCCl",), (81.5, None), SOURCE),
    Reaction(13, ("CC=O", "OO"), ("CC(=O)O",), (), ("O",), (60.0,), SOURCE),
    Reaction(14, ("CC#N",), ("CC(=O)O",), ("Cl",), ("O",), (90.0,), SOURCE),
)
"""12 leads to 13; 13 and 14 make the same molecule, 14 in the better yield."""

_ROLES = {
    "REACTS_IN": "reactants",
    "PRODUCES": "products",
    "USES_AGENT": "agents",
    "USES_SOLVENT": "solvents",
}


def asking_reactions(reactions: tuple[Reaction, ...] = REACTIONS) -> Ask:
    """Return what answers queries of claims from reactions in memory."""
    by_id = {each.id: each for each in reactions}
    holding: dict[tuple[str, str], list[int]] = defaultdict(list)
    yields: dict[str, list[list[Any]]] = defaultdict(list)
    for each in reactions:
        for role, part in _ROLES.items():
            for name in getattr(each, part):
                holding[role, name].append(each.id)
        for name, value in zip(each.products, each.yields, strict=True):
            if value is not None:
                yields[name].append([each.id, value])
    names = {name for _, name in holding}

    def ask(query: str, parameters: Mapping[str, Any]) -> list[list[Any]]:
        if "$ids" in query:
            return [_whole(by_id[number]) for number in parameters["ids"] if number in by_id]
        if "max(" in query:
            made = {name: _yields(name) for name in parameters["names"]}
            return [[name, max(value for _, value in found)] for name, found in made.items() if found]
        if "made.yield" in query:
            return [[name, _yields(name)] for name in parameters["names"] if _yields(name)]
        if "$names" in query:
            return [[name] for name in parameters["names"] if name in names]
        if "$products" in query:
            return [[product, _involved(query, product)] for product in parameters["products"]]
        if "$most" in query:
            steps = int(query.partition("PRODUCES*")[2].partition("]")[0]) // 2
            found = _chains(parameters["start"], parameters["product"], steps)
            if "UNWIND nodes" in query:
                return [[len(_along(found, parameters["start"], first="nodes[..1]" in query))]]
            return [[len(found)]]
        if "MATCH path" in query:
            steps = int(query.partition("PRODUCES*")[2].partition("]")[0]) // 2
            chains = [(pair, _chains(pair[0], pair[1], steps)) for pair in parameters["pairs"]]
            return [[pair, list(sorted(found)[0])] for pair, found in chains if found]
        role = next(role for role in _ROLES if f":{role}]->(" in query.partition("WHERE")[0])
        found = [[pair, _holding(role, *pair)] for pair in parameters["pairs"] if _holding(role, *pair)]
        return [[pair, len(ids)] for pair, ids in found] if "count(DISTINCT r)" in query else found

    def _whole(each: Reaction) -> list[Any]:
        made = [list(pair) for pair in zip(each.products, each.yields, strict=True)]
        return [each.id, list(each.reactants), made, list(each.agents), list(each.solvents)]

    def _yields(name: str) -> list[list[Any]]:
        return yields.get(name, [])

    def _involved(query: str, product: str) -> int:
        part = next(part for role, part in _ROLES.items() if role in query.rpartition("MATCH")[2])
        made = holding.get(("PRODUCES", product), [])
        return len({name for number in made for name in getattr(by_id[number], part)} - {product})

    def _chains(start: str | None, product: str, steps: int) -> set[tuple[int, ...]]:
        ends: list[tuple[int, ...]] = [(number,) for number in holding.get(("PRODUCES", product), [])]
        for _ in range(steps - 1):
            ends = [
                (before, *route)
                for route in ends
                for before in sorted(
                    {
                        number
                        for name in by_id[route[0]].reactants
                        for number in holding.get(("PRODUCES", name), [])
                    }
                )
            ]
        return {route for route in ends if start is None or start in by_id[route[0]].reactants}

    def _along(chains: set[tuple[int, ...]], start: str | None, *, first: bool) -> set[str]:
        if first:
            begins = {name for route in chains for name in by_id[route[0]].reactants}
            return begins if start is None else begins & {start}
        links = (pair for route in chains for pair in pairwise(route))
        return {name for one, other in links for name in {*by_id[one].products} & {*by_id[other].reactants}}

    def _holding(role: str, name: str, product: str | None) -> list[int]:
        found = holding.get((role, name), [])
        return [number for number in found if product is None or product in by_id[number].products]

    return ask
