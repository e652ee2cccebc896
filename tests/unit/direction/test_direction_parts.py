"""Optional parts, held against a plain search: each must fit together with the MATCH, not with the others."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.schemas import default_schema

from retrocypher.kg.semantics.direction import correct_directions

LABELS = ("Molecule", "Reaction")
TYPES = ("REACTS_IN", "PRODUCES")
KEPT, TURNED, GIVEN_UP = range(3)

Edge = tuple[str, str, str]
"""Start, type and end as they are written: the query shows every edge with its arrow to the right."""
Part = tuple[list[Edge], dict[str, str]]
"""Edges, and the labels that the part writes."""


def parts(nodes: tuple[str, ...], most: int) -> st.SearchStrategy[Part]:
    node = st.sampled_from(nodes)
    edges = st.lists(st.tuples(node, st.sampled_from(TYPES), node), min_size=1, max_size=most)
    return st.tuples(edges, st.dictionaries(node, st.sampled_from(LABELS), max_size=1))


def written(word: str, part: Part, also: tuple[str, ...] = ()) -> str:
    edges, labels = part
    nodes = [f"({name}{':' + labels[name] if name in labels else ''})" for name in (*also, *labels)]
    return f"{word} {', '.join([*nodes, *(f'({start})-[:{kind}]->({end})' for start, kind, end in edges)])}"


def fits(parts_together: list[Part], states: list[int]) -> bool:
    """Whether the nodes of some parts can be of kinds with which all edges fit that are not given up."""
    edges = [edge for part, _ in parts_together for edge in part]
    names = sorted({name for start, _, end in edges for name in (start, end)})
    said = [(name, label) for _, labels in parts_together for name, label in labels.items()]
    for kinds in product(LABELS, repeat=len(names)):
        kind = dict(zip(names, kinds, strict=True))
        ends = [
            (kind[a], t, kind[b])[:: 1 if s == KEPT else -1]
            for (a, t, b), s in zip(edges, states, strict=True)
        ]
        if all(kind.get(name, label) == label for name, label in said) and all(
            state == GIVEN_UP or end in default_schema().edges
            for end, state in zip(ends, states, strict=True)
        ):
            return True
    return False


def disputed(several: list[Part]) -> bool:
    said = {(name, label) for _, labels in several for name, label in labels.items()}
    return len({name for name, _ in said}) < len(said)


@examples(50)
@given(parts(("a", "b", "c"), 2), parts(("a", "b", "x"), 2), parts(("b", "c", "y"), 1))
def test_each_optional_part_fits_with_what_it_hangs_on(main: Part, first: Part, second: Part) -> None:
    together = [[main], [main, first], [main, second]]
    if any(map(disputed, together)):
        return
    sizes = [len(part[0]) for part in (main, first, second)]
    best: dict[tuple[int, ...], int] = {}
    for states in product((KEPT, TURNED, GIVEN_UP), repeat=sum(sizes)):
        own = [list(states[sum(sizes[:number]) : sum(sizes[: number + 1])]) for number in range(3)]
        if all(fits(some, own[0] + (own[number] if number else [])) for number, some in enumerate(together)):
            best[states] = sum((0, 1, 100)[state] for state in states)
    cheapest = [states for states, cost in best.items() if cost == min(best.values())]
    wanted = [all(states[number] == TURNED for states in cheapest) for number in range(sum(sizes))]
    query = " ".join(
        [
            written("MATCH", main, ("a", "b", "c")),
            written("OPTIONAL MATCH", first),
            written("OPTIONAL MATCH", second),
            "RETURN 1 AS one",
        ]
    )

    corrected = correct_directions(query, default_schema())

    starts = {turned.start for turned in corrected.turned}
    places = [place for place in range(len(query)) if query.startswith("-[:", place)]
    assert [place in starts for place in places] == wanted
