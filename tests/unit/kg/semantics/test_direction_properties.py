"""Random graphs and patterns, held against a plain search of all ways to turn their arrows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st
from support.cases import read_cases
from support.examples import examples
from support.schemas import default_schema

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.cypher.tokens import tokens
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.schema import Connection, Schema

LABELS = ("A", "B", "C")
TYPES = ("X", "Y", "Z")
LINES = [
    case.text.replace("⟪", "").replace("⟫", "")
    for name in ("reaction", "film")
    for case in read_cases(Path(__file__).with_name(f"{name}_cases.cypher"))
]
ARROWS = {True: "-[:{}]->", False: "<-[:{}]-"}

smiles = st.one_of(st.sampled_from(["[O-]<-[:X]-(C)->N", "C(-[:X]->)C", "F/C=C\\F"]), st.text(max_size=8))

PIECES = sorted({token.text for line in LINES for token in tokens(line)})

NODE_LABELS = ("Molecule", "Reaction")
STEP_TYPES = ("REACTS_IN", "PRODUCES")
KEPT, TURNED, GIVEN_UP = range(3)

WrittenEdge = tuple[str, str, str]
"""Start, type and end as they are written: the query shows every edge with its arrow to the right."""

Part = tuple[list[WrittenEdge], dict[str, str]]
"""Edges, and the labels that the part writes."""


@dataclass(frozen=True)
class Edge:
    """A relationship pattern between two of a query's nodes, as it is written from left to right."""

    left: int
    type: str
    right: int
    rightwards: bool

    def turned(self) -> "Edge":
        return replace(self, rightwards=not self.rightwards)


@dataclass(frozen=True)
class Pattern:
    """Nodes, with their label where it is written, and edges between them."""

    labels: tuple[str | None, ...]
    edges: tuple[Edge, ...]

    def text(self, literal: str = "x", clause: str = "MATCH") -> str:
        seen: set[int] = set()

        def node(number: int) -> str:
            label = self.labels[number]
            shown = f":{label}" if label and number not in seen else ""
            given = f" {{note: {quote(literal)}}}" if number not in seen else ""
            seen.add(number)
            return f"(n{number}{shown}{given})"

        paths = [
            node(edge.left) + ARROWS[edge.rightwards].format(edge.type) + node(edge.right)
            for edge in self.edges
        ]
        return f"{clause} {', '.join(paths)} RETURN {quote(literal)} AS literal"

    def turned(self, numbers: Sequence[int]) -> "Pattern":
        edges = [edge.turned() if number in numbers else edge for number, edge in enumerate(self.edges)]
        return replace(self, edges=tuple(edges))

    def fitting(self, schema: Schema, kinds: Sequence[str]) -> int:
        """How many edges the schema has where the nodes are of these kinds."""
        ends = [(edge.left, edge.right)[:: 1 if edge.rightwards else -1] for edge in self.edges]
        return sum(
            schema.allows(kinds[start], edge.type, kinds[end])
            for edge, (start, end) in zip(self.edges, ends, strict=True)
        )


def schema_of(connections: frozenset[tuple[str, str, str]]) -> Schema:
    return Schema(
        {frozenset({label}): {} for label in LABELS},
        {name: {} for name in TYPES},
        frozenset(Connection(frozenset({start}), name, frozenset({end})) for start, name, end in connections),
    )


schemas = st.builds(
    schema_of,
    st.frozensets(
        st.tuples(st.sampled_from(LABELS), st.sampled_from(TYPES), st.sampled_from(LABELS)),
        min_size=1,
        max_size=6,
    ),
)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Any pattern of up to four edges, labels and types at random."""
    label = st.sampled_from((*LABELS, None, None))
    count = draw(st.integers(2, 4))
    numbers = st.integers(0, count - 1)
    edge = st.builds(Edge, numbers, st.sampled_from(TYPES), numbers, st.booleans())
    return Pattern(
        tuple(draw(label) for _ in range(count)), tuple(draw(st.lists(edge, min_size=1, max_size=4)))
    )


@st.composite
def conforming(draw: st.DrawFn, schema: Schema) -> Pattern:
    """A pattern that walks over the edges of a schema, each written from either side."""
    kinds = [draw(st.sampled_from(LABELS))]
    edges: list[Edge] = []
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(kinds) - 1))
        leaving = [edge for edge in sorted(schema.edges) if kinds[at] in (edge.start, edge.end)]
        if not leaving:
            continue
        chosen = draw(st.sampled_from(leaving))
        forwards = chosen.start == kinds[at]
        kinds.append(chosen.end if forwards else chosen.start)
        edge = Edge(at, chosen.type, len(kinds) - 1, forwards)
        edges.append(Edge(edge.right, edge.type, edge.left, not forwards) if draw(st.booleans()) else edge)
    assume(edges)
    shown = tuple(kind if draw(st.booleans()) else None for kind in kinds)
    return Pattern(shown, tuple(edges))


def agreed_turns(pattern: Pattern, schema: Schema) -> set[int]:
    """The edges that every best repair turns: most edges fit first, then fewest are turned."""
    numbers = range(len(pattern.edges))
    choices = [tuple(n for n in numbers if flags[n]) for flags in product((0, 1), repeat=len(pattern.edges))]
    kinds = list(product(*((label,) if label else LABELS for label in pattern.labels)))
    best: dict[tuple[int, ...], tuple[int, int]] = {}
    for choice in choices:
        fitting = max(pattern.turned(choice).fitting(schema, each) for each in kinds)
        best[choice] = (-fitting, len(choice))
    cheapest = min(best.values())
    return set.intersection(*(set(choice) for choice in choices if best[choice] == cheapest))


@given(schemas, patterns(), smiles)
def test_it_turns_what_every_best_repair_turns(schema: Schema, pattern: Pattern, literal: str) -> None:
    wanted = pattern.turned(sorted(agreed_turns(pattern, schema)))
    assert correct_directions(pattern.text(literal), schema).query == wanted.text(literal)


@given(st.data(), schemas, smiles, st.sampled_from(["MATCH", "OPTIONAL MATCH", "WITH 1 AS one MATCH"]))
def test_what_fits_stays_however_it_is_written(
    data: st.DataObject, schema: Schema, literal: str, clause: str
) -> None:
    query = data.draw(conforming(schema)).text(literal, clause)
    assert correct_directions(query, schema).query == query


@given(schemas, patterns(), patterns(), smiles)
def test_a_second_time_changes_nothing(schema: Schema, first: Pattern, second: Pattern, literal: str) -> None:
    match, more = first.text(literal), second.text(literal, "OPTIONAL MATCH")
    query = f"{match.partition(' RETURN ')[0]} {more}"
    once = correct_directions(query, schema)
    assert correct_directions(once.query, schema).query == once.query
    before, after = ([each.value for each in string_literals(text)] for text in (query, once.query))
    assert (before, len(query)) == (after, len(once.query))
    for turned in once.turned:
        assert query[turned.start : turned.stop] == turned.before
        assert once.query[turned.start : turned.stop] == turned.after
        assert literal not in turned.message or len(literal) < 3


@given(st.data(), st.sampled_from(LINES))
def test_it_reads_any_text(data: st.DataObject, line: str) -> None:
    pieces = [token.text for token in tokens(line)]
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(pieces)))
        pieces[place : place + data.draw(st.integers(0, 2))] = data.draw(
            st.lists(st.sampled_from(PIECES), max_size=2)
        )
    query = " ".join(pieces)
    once = correct_directions(query, default_schema()).query
    heads = {"ARROW_LEFT_HEAD", "ARROW_RIGHT_HEAD", "LT", "GT"}
    before, after = ([each.text for each in tokens(text) if each.name not in heads] for text in (query, once))
    assert before == after
    assert correct_directions(once, default_schema()).query == once


def parts(nodes: tuple[str, ...], most: int) -> st.SearchStrategy[Part]:
    node = st.sampled_from(nodes)
    edges = st.lists(st.tuples(node, st.sampled_from(STEP_TYPES), node), min_size=1, max_size=most)
    return st.tuples(edges, st.dictionaries(node, st.sampled_from(NODE_LABELS), max_size=1))


def written(word: str, part: Part, also: tuple[str, ...] = ()) -> str:
    edges, labels = part
    nodes = [f"({name}{':' + labels[name] if name in labels else ''})" for name in (*also, *labels)]
    return f"{word} {', '.join([*nodes, *(f'({start})-[:{kind}]->({end})' for start, kind, end in edges)])}"


def fits(parts_together: list[Part], states: list[int]) -> bool:
    """Whether the nodes of some parts can be of kinds with which all edges fit that are not given up."""
    edges = [edge for part, _ in parts_together for edge in part]
    names = sorted({name for start, _, end in edges for name in (start, end)})
    said = [(name, label) for _, labels in parts_together for name, label in labels.items()]
    for kinds in product(NODE_LABELS, repeat=len(names)):
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
    starts = {turned.start for turned in correct_directions(query, default_schema()).turned}
    places = [place for place in range(len(query)) if query.startswith("-[:", place)]
    assert [place in starts for place in places] == wanted
