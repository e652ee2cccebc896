"""Correction of directions: hard cases in files, and random patterns held against a plain search."""

import re
import time
from collections.abc import Sequence
from itertools import accumulate, product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.cases import read_cases
from support.examples import examples
from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.cypher.clauses import relationship_patterns, reverse
from retrocypher.kg.cypher.edits import apply_edits, quote, string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.cypher.tokens import tokens
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.direction import Corrected, correct_directions
from retrocypher.kg.semantics.schema import Connection, Schema, default_schema, parse_schema
from retrocypher.prompts.templates.exemplars import load_bank

FILMS = parse_schema(Path(__file__).with_name("film_schema.txt").read_text(encoding="utf-8"))
TESTS = Path(__file__).parents[3]
PAGE = (TESTS.parent / "docs" / "errors-and-loops.md").read_text(encoding="utf-8")
MORE = (TESTS / "data" / "direction_examples.txt").read_text(encoding="utf-8")
EXAMPLES = [
    tuple(example.splitlines())
    for block in [*re.findall(r"```cypher\n(.*?)```", PAGE, flags=re.DOTALL), MORE]
    for example in block.strip().split("\n\n")
]


def cases(name: str, schema: Schema) -> list[object]:
    found = read_cases(Path(__file__).with_name(f"{name}_cases.cypher"))
    return [pytest.param(case.text, schema, id=f"{name} {case.heading}") for case in found]


@pytest.mark.parametrize(("marked", "schema"), [*cases("reaction", default_schema()), *cases("film", FILMS)])
def test_what_is_marked_is_turned_and_nothing_else(marked: str, schema: Schema) -> None:
    pieces = marked.replace("⟫", "⟪").split("⟪")
    query = "".join(pieces)
    wanted = [sum(map(len, pieces[:number])) for number in range(1, len(pieces), 2)]
    parsed = parse(query)
    patterns = [each for each in relationship_patterns(parsed) if each.start in wanted]
    edits = [edit for pattern in patterns for edit in reverse(pattern)]
    assert len(edits) == 2 * len(wanted)
    corrected = correct_directions(query, schema)
    assert corrected == correct_directions(parsed, schema)
    assert [turned.start for turned in corrected.turned] == wanted
    assert corrected.query == apply_edits(query, edits)
    assert correct_directions(corrected.query, schema).turned == ()


@pytest.mark.parametrize(("query", "outcome"), EXAMPLES)
def test_example(query: str, outcome: str) -> None:
    assert not parse(query).errors
    assert outcome[:2] in ("→ ", "= ")
    wanted = outcome[2:] if outcome.startswith("→") else query
    assert correct_directions(query, default_schema()).query == wanted


def test_the_schema_is_the_one_shown() -> None:
    assert DEFAULT_SCHEMA_TEXT.replace("\n", "\n    ") in PAGE
    assert len(EXAMPLES) > 15


def test_no_reference_query_and_no_exemplar_changes() -> None:
    exemplars = [*load_bank("single_step"), *load_bank("multi_step")]
    assert exemplars
    queries = [question.reference_cypher for question in load_questions().questions]
    for query in [*queries, *(exemplar.cypher for exemplar in exemplars)]:
        assert correct_directions(query, default_schema()) == Corrected(query, ())


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        (
            "MATCH (t:Molecule {name: 'CCO'})-[p:PRODUCES]->(r)<-[:USES_AGENT|USES_SOLVENT]-(:Molecule) "
            "RETURN r",
            [
                "Turned (t:Molecule)-[p:PRODUCES]->(r) at character 32 into (t:Molecule)<-[p:PRODUCES]-(r): "
                "PRODUCES runs from (:Reaction) to (:Molecule).",
                "Turned (r)<-[:USES_AGENT|USES_SOLVENT]-(:Molecule) at character 50 into "
                "(r)-[:USES_AGENT|USES_SOLVENT]->(:Molecule): "
                "USES_AGENT runs from (:Reaction) to (:Molecule), "
                "USES_SOLVENT runs from (:Reaction) to (:Molecule).",
            ],
        ),
        (
            "MATCH (r:Reaction)-[:REACTS_IN*1..2]->()(()<-[:REACTS_IN]-(:Reaction)){1}() RETURN r",
            [
                "Turned (r:Reaction)-[:REACTS_IN*1..2]->() at character 18 into "
                "(r:Reaction)<-[:REACTS_IN*1..2]-(): REACTS_IN runs from (:Molecule) to (:Reaction).",
                "Turned ()<-[:REACTS_IN]-(:Reaction) at character 43 into ()-[:REACTS_IN]->(:Reaction): "
                "REACTS_IN runs from (:Molecule) to (:Reaction).",
            ],
        ),
    ],
    ids=["types", "lengths and quantified paths"],
)
def test_it_says_what_was_turned_and_why(query: str, messages: list[str]) -> None:
    assert [turned.message for turned in correct_directions(query, default_schema()).turned] == messages


def test_a_query_nested_deeply_is_read_or_left() -> None:
    for depth in (50, 2000):
        query = f"MATCH (r:Reaction)<-[:PRODUCES]-(m) WHERE {'(' * depth}true{')' * depth} RETURN r"
        corrected = correct_directions(query, default_schema())
        assert corrected.query in (query, query.replace("<-[:PRODUCES]-", "-[:PRODUCES]->"))


def test_a_query_of_many_patterns_takes_no_long() -> None:
    labelled = ", ".join(f"(r{n}:Reaction)<-[:PRODUCES]-(m{n})" for n in range(200))
    bare = ", ".join(f"(x{n % 7})<-[:PRODUCES]-(y{n % 5})" for n in range(100))
    started = time.process_time()
    corrected = correct_directions(f"MATCH {labelled}, {bare} RETURN 1 AS one", default_schema())
    assert len(corrected.turned) == 200
    assert time.process_time() - started < 20


def test_a_schema_of_many_kinds_and_a_tangled_query_take_no_long() -> None:
    labels = [frozenset({f"L{number}"}) for number in range(60)]
    edges = frozenset(
        Connection(labels[number], "T", labels[(number + step) % 60])
        for number in range(60)
        for step in (1, 7)
    )
    schema = Schema({label: {} for label in labels}, {"T": {}}, edges)
    tangle = ", ".join(f"(n{a})-[:T]->(n{b})" for a in range(5) for b in range(a))
    started = time.process_time()
    corrected = correct_directions(
        f"MATCH (:L1)-[:T]->(:L0), {tangle}, (x)<-[:T*3]-(:L0) RETURN 1 AS one", schema
    )
    assert [turned.start for turned in corrected.turned] == [11]
    assert time.process_time() - started < 20


LINES = [
    case.text.replace("⟪", "").replace("⟫", "")
    for name in ("reaction", "film")
    for case in read_cases(Path(__file__).with_name(f"{name}_cases.cypher"))
]
PIECES = sorted({token.text for line in LINES for token in tokens(line)})


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


LABELS, TYPES = ("A", "B", "C"), ("X", "Y", "Z")
KEPT, TURNED, GIVEN_UP = range(3)

Edge = tuple[str, str, str, bool]
"""Two nodes with the type between them as they are written, and whether the arrow points to the right."""

Part = tuple[list[Edge], dict[str, str]]
"""Edges, and the labels that the part writes."""


def schema_of(connections: frozenset[tuple[str, str, str]]) -> Schema:
    return Schema(
        {frozenset({label}): {} for label in LABELS},
        {name: {} for name in TYPES},
        frozenset(Connection(frozenset({start}), name, frozenset({end})) for start, name, end in connections),
    )


labels, types = st.sampled_from(LABELS), st.sampled_from(TYPES)
schemas = st.frozensets(st.tuples(labels, types, labels), min_size=1, max_size=6).map(schema_of)
smiles = st.one_of(st.sampled_from(["[O-]<-[:X]-(C)->N", "C(-[:X]->)C", "F/C=C\\F"]), st.text(max_size=8))


def parts(nodes: str, most: int, schema: Schema | None = None) -> st.SearchStrategy[Part]:
    """Any edges between some nodes, and the labels of some of them.

    Where a schema is given, all arrows point to the right and at most one label is written.
    """
    node = st.sampled_from(nodes)
    label = st.sampled_from(sorted(schema.labels)) if schema else labels
    kind = st.sampled_from(("REACTS_IN", "PRODUCES")) if schema else types
    edge = st.tuples(node, kind, node, st.just(True) if schema else st.booleans())
    written_labels = st.dictionaries(node, label, max_size=1 if schema else len(nodes))
    return st.tuples(st.lists(edge, min_size=1, max_size=most), written_labels)


def written(clause: str, part: Part, literal: str | None = None, also: str = "") -> str:
    """Write a part; a node has its label and a property with the literal where it first stands."""
    edges, shown = part
    seen: set[str] = set()

    def node(name: str) -> str:
        label = f":{shown[name]}" if name in shown and name not in seen else ""
        given_ = f" {{note: {quote(literal)}}}" if literal is not None and name not in seen else ""
        seen.add(name)
        return f"({name}{label}{given_})"

    paths = [node(name) for name in also]
    for left, kind, right, rightwards in edges:
        paths.append(node(left) + (f"-[:{kind}]->" if rightwards else f"<-[:{kind}]-") + node(right))
    return f"{clause} {', '.join([*paths, *(node(name) for name in shown if name not in seen)])}"


def turned(part: Part, flags: Sequence[bool]) -> Part:
    edges = [(*edge[:3], edge[3] != flag) for edge, flag in zip(part[0], flags, strict=True)]
    return edges, part[1]


def fits(schema: Schema, together: Sequence[Part], states: Sequence[int]) -> bool:
    """Whether the nodes of some parts can be of kinds with which all edges fit that are not given up."""
    edges = [edge for part, _ in together for edge in part]
    said = [(name, label) for _, shown in together for name, label in shown.items()]
    names = sorted({name for left, _, right, _ in edges for name in (left, right)})
    for kinds in product(sorted(schema.labels), repeat=len(names)):
        kind = dict(zip(names, kinds, strict=True))
        if all(kind.get(name, label) == label for name, label in said) and all(
            state == GIVEN_UP
            or schema.allows(*(kind[left], type_, kind[right])[:: 1 if rightwards == (state == KEPT) else -1])
            for (left, type_, right, rightwards), state in zip(edges, states, strict=True)
        ):
            return True
    return False


def agreed_turns(schema: Schema, main: Part, *optional: Part) -> list[list[bool]]:
    """Which edges every best repair turns: fewest are given up first, then fewest are turned."""
    sizes = [len(edges) for edges, _ in (main, *optional)]
    ends = list(accumulate(sizes))
    best: dict[tuple[int, ...], int] = {}
    for states in product((KEPT, TURNED, GIVEN_UP), repeat=ends[-1]):
        own = [states[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        hanging = zip(optional, own[1:], strict=True)
        if fits(schema, [main], own[0]) and all(
            fits(schema, [main, part], own[0] + mine) for part, mine in hanging
        ):
            best[states] = sum((0, 1, 100)[state] for state in states)
    least = min(best.values())
    cheapest = [states for states, cost in best.items() if cost == least]
    agreed = [all(states[number] == TURNED for states in cheapest) for number in range(ends[-1])]
    return [agreed[end - size : end] for size, end in zip(sizes, ends, strict=True)]


@examples(200)
@given(schemas, parts("abcd", 4), smiles, st.sampled_from(["MATCH", "OPTIONAL MATCH", "WITH 1 AS one MATCH"]))
def test_it_turns_what_every_best_repair_turns(schema: Schema, part: Part, literal: str, clause: str) -> None:
    wanted = turned(part, *agreed_turns(schema, part))
    query, corrected = (f"{written(clause, each, literal)} RETURN 'C<-[:X]-C'" for each in (part, wanted))
    assert correct_directions(query, schema).query == corrected


@given(schemas, parts("abcd", 4), parts("abcd", 4), smiles)
def test_a_second_time_changes_nothing(schema: Schema, first: Part, second: Part, literal: str) -> None:
    query = f"{written('MATCH', first, literal)} {written('OPTIONAL MATCH', second, literal)} RETURN 1 AS one"
    once = correct_directions(query, schema)
    assert correct_directions(once.query, schema).query == once.query
    before, after = ([each.value for each in string_literals(text)] for text in (query, once.query))
    assert (before, len(query)) == (after, len(once.query))
    for each in once.turned:
        assert query[each.start : each.stop] == each.before
        assert once.query[each.start : each.stop] == each.after
        assert literal not in each.message or len(literal) < 3


REACTIONS = default_schema()


@examples(100)
@given(parts("abc", 2, REACTIONS), parts("abx", 2, REACTIONS), parts("bcy", 1, REACTIONS))
def test_each_optional_part_fits_with_what_it_hangs_on(main: Part, first: Part, second: Part) -> None:
    for part in (first, second):
        assume(all(main[1].get(name, label) == label for name, label in part[1].items()))
    several = (main, first, second)
    flags = agreed_turns(REACTIONS, *several)
    wanted = [turned(part, own) for part, own in zip(several, flags, strict=True)]
    query, corrected = (
        f"{written('MATCH', one, also='abc')} {written('OPTIONAL MATCH', two)} "
        f"{written('OPTIONAL MATCH', three)} RETURN 1 AS one"
        for one, two, three in (several, wanted)
    )
    assert correct_directions(query, REACTIONS).query == corrected
