"""What is wrong with one case: labels, their order, hostile queries, and why the case failed, in words."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.graph_values import VALUES
from support.records import record_of
from support.suite import CHECKOUT

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.execution.execution import Execution, Status
from retrocypher.kg.labels.error_labels import LABELS, Label, is_label
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.runs.record import SCORE_METRICS, KeyScore, Record, Round, Scores
from retrocypher.plugins.scoring.explanation import explain
from retrocypher.plugins.scoring.label_evidence import Evidence
from retrocypher.plugins.scoring.labels import (
    CAUSES_FIRST,
    contradicted,
    diagnose,
    labels_of,
    ranked,
    specific,
    with_status,
)
from retrocypher.plugins.scoring.score import score
from retrocypher.plugins.scoring.variations import variations
from retrocypher.plugins.validation.validator import SchemaValidator

SCHEMA = default_schema()
QUESTIONS = load_questions().questions
STATUSES = [status for status in Status.__args__ if status != "ok"]  # type: ignore[attr-defined]


@cache
def question(task: str) -> Question:
    return next(each for each in QUESTIONS if each.task == task)


def execution(
    rows: list[list[Any]] | None = None, columns: list[str] | None = None, status: Status = "ok"
) -> Execution:
    return Execution(status, columns=columns or [], rows=rows or [])


def labelled(asked: Question, cypher: str | None, result: Execution) -> list[str]:
    scores = score(asked, result, cypher, text_metrics=False)
    return labels_of(asked, cypher, result, scores, SCHEMA)


def right(asked: Question) -> Execution:
    columns = list(asked.gold[0])
    return execution([[row[column] for column in columns] for row in asked.gold], columns)


@pytest.mark.parametrize("task", sorted({each.task for each in QUESTIONS}))
def test_a_perfect_case_has_no_label(task: str) -> None:
    asked = question(task)
    assert labelled(asked, asked.reference_cypher, right(asked)) == []


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_that_is_not_ok_is_the_label_of_a_query_with_no_other_error(status: Status) -> None:
    asked = question("precursors")
    cypher = None if status == "no_query" else asked.reference_cypher
    assert labelled(asked, cypher, execution(status=status)) == [status]
    assert labelled(asked, asked.reference_cypher, execution()) == ["empty_result"]


@pytest.mark.parametrize(
    ("with_ids", "label"), [(True, "wrong_aggregation_or_order"), (False, "missing_component:id")]
)
def test_values_outside_the_rows_of_their_reactions_have_a_label(with_ids: bool, label: str) -> None:
    asked = question("precursors")
    keys = ["reactants", "products", "agents", "solvents"]
    lists = [sorted({name for row in asked.gold for name in row[key]}) for key in keys]
    ids = [[row["id"] for row in asked.gold]]
    result = execution([ids + lists if with_ids else lists], ["id", *keys] if with_ids else keys)
    assert score(asked, result, None, text_metrics=False).f1 == 1.0
    assert labelled(asked, asked.reference_cypher, result) == [label]


def test_an_id_by_a_property_that_there_is_not_is_an_error_of_the_schema() -> None:
    asked = question("producing_reactions")
    rows = right(asked)
    place = rows.columns.index("id")
    for row in rows.rows:
        row[place] = None

    cypher = asked.reference_cypher.replace("reaction.id", "reaction.name")

    assert labelled(asked, asked.reference_cypher, rows) == ["missing_component:id"]
    assert labelled(asked, cypher, rows) == ["schema_violation:property", "missing_component:id"]


def test_numbers_that_are_no_ids_of_reactions_are_missing_ids() -> None:
    asked = question("producing_reactions")
    rows = right(asked)
    place = rows.columns.index("id")
    for number, row in enumerate(rows.rows):
        row[place] = 10_000_000 + number

    assert labelled(asked, asked.reference_cypher, rows) == ["missing_component:id"]


@pytest.mark.parametrize(
    ("changed", "by", "label"),
    [
        ("OPTIONAL MATCH", "WHERE made.yield > 50 OPTIONAL MATCH", "other"),
        ("OPTIONAL MATCH", "MATCH ()-[e]->() WHERE e.yield < made.yield OPTIONAL MATCH", "other"),
    ],
)
def test_a_filter_that_the_question_does_not_give_is_an_error_without_a_name(
    changed: str, by: str, label: str
) -> None:
    asked = question("precursors")
    cypher = asked.reference_cypher.replace("[:PRODUCES]", "[made:PRODUCES]", 1).replace(changed, by, 1)

    assert label in labelled(asked, cypher, execution())


def test_a_route_goes_no_further_than_its_target() -> None:
    asked = question("intermediates")
    name = asked.slots["target"].replace("\\", "\\\\")
    cypher = (
        f"MATCH (c:Molecule)<-[:PRODUCES]-(r2:Reaction)<-[:REACTS_IN]-(x:Molecule {{name: '{name}'}}), "
        "(x)<-[:PRODUCES]-(r1:Reaction)<-[:REACTS_IN]-(a:Molecule) RETURN DISTINCT [r1, r2] AS route"
    )

    assert labelled(asked, cypher, execution())[0] == "endpoint_anchoring"


CONTEXT = """[(s:Molecule)-[:REACTS_IN]->(r) | s.name] AS reactants,
[(r)-[:PRODUCES]->(s:Molecule) | s.name] AS products, [(r)-[:USES_AGENT]->(s:Molecule) | s.name] AS agents,
[(r)-[:USES_SOLVENT]->(s:Molecule) | s.name] AS solvents"""
YIELDS = "MATCH (t:Molecule {name: 'CCO'})<-[e:PRODUCES]-(r:Reaction)"
BEST = f"WITH ranked[0].r AS r, ranked[0].y AS target_yield RETURN r.id AS id, {CONTEXT}, target_yield"


@pytest.mark.parametrize(
    ("task", "cypher", "label"),
    [
        (
            "precursors",
            "MATCH (r:Reaction) WHERE any(n IN [(s)-[:REACTS_IN]->(r) | s.name] WHERE n = 'CCO') "
            f"RETURN r.id AS id, {CONTEXT}",
            "endpoint_anchoring",
        ),
        (
            "best_yield",
            f"WITH COLLECT {{ {YIELDS} RETURN {{r: r, y: e.yield}} ORDER BY e.yield DESC }} AS ranked {BEST}",
            "missing_null_check",
        ),
        (
            "best_yield",
            f"WITH COLLECT {{ {YIELDS} WHERE e.yield IS NOT NULL RETURN {{r: r, y: e.yield}} "
            f"ORDER BY e.yield }} AS ranked {BEST}",
            "wrong_aggregation_or_order",
        ),
    ],
)
def test_what_a_query_returns_on_small_graphs_names_its_error(task: str, cypher: str, label: str) -> None:
    asked = question(task)
    cypher = cypher.replace("'CCO'", quote(asked.target))

    assert labelled(asked, cypher, execution())[0] == label


def test_molecules_of_another_component_are_extra_or_of_the_wrong_type() -> None:
    asked = next(each for each in QUESTIONS if any(row["agents"] and row["solvents"] for row in each.gold))
    columns = list(asked.gold[0])
    swapped = [[row["solvents" if key == "agents" else key] for key in columns] for row in asked.gold]
    both = [
        [row[key] + row["solvents"] if key == "agents" else row[key] for key in columns] for row in asked.gold
    ]

    assert labelled(asked, asked.reference_cypher, execution(swapped, columns))[0] == "wrong_relationship"
    assert labelled(asked, asked.reference_cypher, execution(both, columns))[0] == "extra_component:agents"


def test_labels_in_the_order_of_their_evidence() -> None:
    asked = question("precursors")
    agents = "collect(DISTINCT agent.name) AS agents,"
    without_agents = asked.reference_cypher.replace(agents, "")
    columns = [key for key in asked.gold[0] if key != "agents"]
    result = execution([[row[key] for key in columns] for row in asked.gold], columns)
    assert labelled(asked, without_agents, result) == ["missing_component:agents"]

    asked = question("chains_to_target")
    unbounded = asked.reference_cypher.replace(f"*{2 * asked.steps}", "*")
    assert labelled(asked, unbounded, execution(status="timeout")) == ["path_length", "timeout"]
    memory = replace(
        execution(status="runtime_error"), code="Neo.TransientError.General.MemoryPoolOutOfMemoryError"
    )
    assert labelled(asked, unbounded, memory) == ["path_length", "runtime_error"]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Question, str | None, dict[str, Any]]:
    asked = draw(st.sampled_from(QUESTIONS))
    reference = asked.reference_cypher
    cut, into = draw(st.integers(0, len(reference))), draw(st.integers(0, len(reference)))
    other = draw(st.sampled_from(QUESTIONS)).reference_cypher
    cypher = draw(
        st.none()
        | st.text(max_size=80)
        | st.sampled_from([reference, reference[:cut], other, reference[:cut] + other[into:]])
    )
    names = [*asked.gold[0], "x", "path", "precursor", "rel.yield", "steps", "r1.id", "step1", "step2"]
    columns = draw(st.lists(st.sampled_from(names) | st.text(max_size=8), max_size=4, unique=True))
    rows = draw(st.lists(st.lists(VALUES, min_size=len(columns), max_size=len(columns)), max_size=3))
    status = draw(st.sampled_from(["ok", "ok", *STATUSES]))
    return asked, cypher, execution(rows, columns, status)


@given(cases())
def test_any_case_gets_scores_within_bounds_and_known_labels_and_the_same_ones_again(
    case: tuple[Question, str | None, dict[str, Any]],
) -> None:
    found = labelled(*case)
    assert all(is_label(label) for label in found), found
    assert len(set(found)) == len(found)
    assert labelled(*case) == found
    asked, cypher, result = case
    scores = score(asked, result, cypher, text_metrics=False)
    assert bool(found) == (scores.f1 < 1.0 or scores.row_f1 not in (None, 1.0))
    keys = [value for key in (scores.per_key or {}).values() for value in (key.precision, key.recall, key.f1)]
    assert all(value is None or 0.0 <= value <= 1.0 for value in (*map(scores.value, SCORE_METRICS), *keys))


def diagnosed(cypher: str | None, result: Execution) -> tuple[str, str | None]:
    asked = question("precursors")
    scores = score(asked, result, cypher, text_metrics=False)
    diagnosis = diagnose(asked, cypher, result, scores, SCHEMA)
    assert list(diagnosis.labels) == labels_of(asked, cypher, result, scores, SCHEMA)
    return diagnosis.labels[0], diagnosis.message


def test_the_message_is_what_the_query_shows_of_the_primary_label() -> None:
    reference = question("precursors").reference_cypher
    label, message = diagnosed(reference.replace(":Reaction", ":Reactoin"), execution())
    assert label == "schema_violation:label"
    assert message is not None
    assert "Reactoin" in message
    assert diagnosed(reference, execution()) == ("empty_result", None)
    assert diagnosed(None, execution(status="no_query")) == ("no_query", None)
    for status in STATUSES:
        for cypher in ("MATCH (r:Reaction RETURN r", reference):
            assert diagnosed(cypher, execution(status=status)) == (status, None)


OUT_OF_MEMORY = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
KEYS = ("reactants", "products", "agents", "solvents")


def shown(**fields: Any) -> Evidence:
    seen: dict[str, Any] = {"status": "ok", "empty": False, "readable": True, "answers": "other"}
    differing = {"absent": frozenset(), "lacking": frozenset({"agents"}), "surplus": frozenset()}
    return Evidence(**{**seen, **differing, **fields})


def scores(*keys: str, row_f1: float = 0.5) -> Scores:
    some = KeyScore(0.5, 0.5, 0.5, 1, 1, 1, "exact", {})
    return Scores(f1=0.5, per_key=dict.fromkeys(keys or KEYS, some), row_f1=row_f1)


@pytest.mark.parametrize(
    ("label", "fields", "is_contradicted"),
    [
        ("wrong_entity", {"answers": "equal"}, True),
        ("wrong_entity", {"answers": "fewer"}, False),
        ("traversal_direction", {"answers": "equal"}, False),
        ("limit", {"answers": "more"}, True),
        ("limit", {"answers": "fewer"}, False),
        ("missing_component:agents", {}, False),
        ("missing_component:solvents", {}, True),
        ("missing_component:solvents", {"absent": frozenset({"solvents"})}, False),
        ("missing_component:agents", {"counted": frozenset({"agents"})}, True),
        ("missing_component:id", {"answers": "unknown"}, False),
        ("missing_component:id", {"answers": "equal"}, True),
        ("missing_component:agents", {"empty": True}, True),
        ("traversal_direction", {"empty": True}, False),
        ("extra_component:agents", {"surplus": frozenset({"agents"})}, False),
        ("extra_component:agents", {}, True),
        ("duplicate_or_incomplete", {}, False),
        ("duplicate_or_incomplete", {"lacking": frozenset(), "absent": frozenset({"agents"})}, True),
        ("return_shape", {}, True),
        ("return_shape", {"readable": False}, False),
        ("limit", {"status": "timeout", "answers": "equal"}, False),
    ],
)
def test_rows_contradict_labels(label: str, fields: dict[str, Any], is_contradicted: bool) -> None:
    assert contradicted(label, shown(**fields), scores()) == is_contradicted
    # Where one reaction is asked for, a limit can return too much.
    assert not contradicted("limit", shown(answers="more"), scores(*KEYS, "target_yield"))
    # Routes in the wrong order have the right shape.
    assert contradicted("return_shape", shown(reversed=True), {"per_key": None, "row_f1": None})


def test_causes_come_before_symptoms_and_contradicted_labels_last() -> None:
    found = ["missing_component:agents", "limit", "duplicate_or_incomplete", "traversal_direction"]
    assert ranked(found, shown(answers="more"), scores()) == [
        "traversal_direction",
        "duplicate_or_incomplete",
        "missing_component:agents",
        "limit",
    ]
    assert ranked(reversed(CAUSES_FIRST), shown(status="timeout"), scores()) == list(CAUSES_FIRST)


def test_a_name_gives_way_to_its_details_and_the_id_comes_last() -> None:
    found = ["limit", "missing_component", "missing_component:id", "missing_component:agents", "limit"]
    assert specific(found) == ["limit", "missing_component:agents", "missing_component:id"]
    assert specific(["missing_component", "missing_component:id"]) == [
        "missing_component",
        "missing_component:id",
    ]


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        ("timeout", None, ["path_length", "timeout", "limit"]),
        ("runtime_error", OUT_OF_MEMORY, ["path_length", "runtime_error", "limit"]),
        ("runtime_error", "Neo.ClientError.X", ["runtime_error", "path_length", "limit"]),
        ("syntax_error", None, ["syntax_error", "path_length", "limit"]),
    ],
)
def test_a_status_comes_after_its_cause(status: str, code: str | None, expected: list[str]) -> None:
    assert with_status(["path_length", "limit"], status, code) == expected


CHAINS = question("chains_to_target")
SCORES = Scores(precision=0.0, recall=0.0, f1=0.0, per_key={})
PATH = "MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES{}]->(t:Molecule {{name: 'C'}}) RETURN p"
HOSTILE = {
    **{
        f"length {each[:9]}": PATH.format(each)
        for each in ("*4x", "*4steps", "*2n", "*..4hops", "*" + "9" * 5000)
    },
    "quantifier": "MATCH p = (a)-[:PRODUCES]->{2n}(b) RETURN p",
    "huge quantifier": "MATCH p = (a)-[:PRODUCES]->{" + "9" * 5000 + "}(b) RETURN p",
    "huge limit": "MATCH (r:Reaction) RETURN r LIMIT " + "9" * 5000,
    "huge id": "MATCH (r:Reaction) WHERE r.id = " + "9" * 5000 + " RETURN r",
    "infinite": "MATCH p = (r)-[*1..2]->() WHERE size(nodes(p)) = 1e400 RETURN p",
    "halved infinity": "MATCH p = (r)-[*1..2]->() WHERE size(nodes(p)) / 2 = 1e400 - 1e400 RETURN p",
    "division": "MATCH p = ()-[*]->() WHERE length(p) = 5 / 0 RETURN p",
    "rest": "MATCH p = ()-[*]->() WHERE length(p) = 5 % 0 RETURN p",
    "power": "MATCH p = ()-[*]->() WHERE length(p) = 9 ^ 9 ^ 9 ^ 9 RETURN p",
    "product": "MATCH p = ()-[*]->() WHERE length(p) = 9000000000000000000 * 9000000000000000000 RETURN p",
    "range": "MATCH p = ()-[*]->() WHERE length(p) IN range(1, 99999999999) RETURN p",
    "lists": "RETURN " + "[" * 400 + "]" * 400 + " AS x",
    "deep lists": "RETURN " + "[" * 2000 + "]" * 2000 + " AS x",
    "brackets": "RETURN " + "(" * 300 + "1" + ")" * 300 + " AS x",
    "cases": "RETURN " + "CASE WHEN true THEN " * 1000 + "1" + " END" * 1000,
    "subqueries": "MATCH (a) WHERE " + "EXISTS { MATCH (a) WHERE " * 60 + "true" + " }" * 60 + " RETURN a",
    "negations": "RETURN " + "NOT " * 2000 + "true",
    "sum": "RETURN " + "1+" * 3000 + "1",
    "conjunction": "MATCH (r) WHERE " + "r.id = 1 AND " * 500 + "true RETURN r",
    "half a character": "RETURN 1 AS x /* \ud83d */",
    "half a name": "MATCH (m:Molecule {name: '\ud83d'}) RETURN m",
    "escaped": "RETURN '\\uZZZZ'",
    "escaped half": "RETURN '\\uD800' AS `\\uD800`",
}


@pytest.mark.parametrize("status", ["ok", "syntax_error", "runtime_error"])
@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_a_case_gets_labels(query: str, status: Status) -> None:
    execution = Execution(status, columns=["x"], rows=[[1]], row_count=1)
    labels = labels_of(CHAINS, query, execution, SCORES, SCHEMA)
    assert labels
    assert status == "ok" or status in labels or "schema_violation" in labels[0] or "refused" in labels


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_every_reader_copes(query: str) -> None:
    validated = SchemaValidator(SCHEMA, "benchmark").validate(query, CHAINS.text)
    assert validated.findings or validated.not_read
    assert correct_directions(query, SCHEMA).query
    variations(query, CHAINS.reference_cypher)


PAGE = CHECKOUT / "docs" / "errors-and-loops.md"
SOURCES = {"paper": "reaction Text2Cypher paper", "cypherbench": "CypherBench", "ours": "ours"}


def row(label: Label) -> str:
    details = ": " + ", ".join(f"`{detail}`" for detail in label.details) if label.details else ""
    example = label.example.replace("|", "&#124;")
    where = f"{SOURCES[label.source]}: {label.where}"
    return f"| `{label.name}`{details} | {label.meaning} | {example} | {where} |"


def test_the_table_has_every_label_in_order() -> None:
    head = "| label | meaning | example | definition |\n|---|---|---|---|\n"
    assert head + "\n".join(map(row, LABELS.values())) + "\n\n" in PAGE.read_text("utf-8")


ASKED = question("precursors")


def failed(**fields: Any) -> Record:
    values = {
        "cypher": ASKED.reference_cypher,
        "execution": {"status": "ok"},
        "scores": {"f1": 0.5, "focus_f1": 0.5},
    }
    return record_of(of=ASKED, **{**values, **fields})


def why_of(record: Record, finding: str | None = None) -> dict[str, str]:
    found = explain(record, ASKED, finding, None)
    assert found
    return found.why.texts


def test_what_the_query_shows_is_reported() -> None:
    finding = "there is no label Reactoin"
    assert why_of(failed(), finding) == {"finding": finding}
    assert why_of(failed()) == {}


def test_that_the_key_asked_for_is_right_is_reported() -> None:
    found = why_of(failed(scores={"f1": 0.9, "focus_f1": 1.0}))
    assert found["focus"].startswith("the key asked for (reactants) is right; F1 is of the whole reaction")
    for scores in ({"f1": 0.9, "focus_f1": None}, {"f1": 1.0, "focus_f1": 1.0}, {"f1": 0.0}):
        assert "focus" not in why_of(failed(scores=scores))


def turn(role: str, verdict: str | None, *labels: str) -> Round:
    findings: list[Any] = [{"label": label, "message": "m"} for label in labels]
    return Round(role, None, "", "RETURN 1", verdict, [*findings, {"note": "n"}, "of another loop"])


def looped(*turns: Round, loop: str = "cove") -> str:
    return why_of(failed(loop=loop, rounds=[turn("generator", None), *turns]))["loop"]


def test_what_a_loop_did_is_told_in_one_line() -> None:
    assert looped(
        turn("explain", "ok"),
        turn("direction", "turned"),
        turn("validator:schema", "invalid", "wrong_entity", "limit", "wrong_entity"),
        turn("validator:checklist", "malformed"),
        turn("corrector", "no_query"),
        turn("corrector", "unchanged"),
        turn("corrector", "taken"),
        turn("explain", "ok"),
        turn("validator:schema", "valid"),
    ) == (
        "cove: direction: turned; schema found wrong_entity, limit; checklist malformed; "
        "corrector: no_query, unchanged, taken; schema found nothing"
    )
    assert looped(turn("analyst", "made"), turn("executor", "ok"), loop="mine") == "mine: changed nothing"


def test_what_a_fallback_brought_is_reported() -> None:
    scores = {"precision": 0.1, "recall": 1.0, "f1": 0.25, "row_f1": None, "focus_f1": None}
    fallback = {"reason": "timeout", "status": "ok", "row_count": 1, "scores": scores}
    execution = {"status": "timeout", "fallback": fallback}
    verdicts = {"generator": None, "guard": "ok", "executor": "timeout", "fallback": "ok"}
    rounds = [turn(role, verdict) for role, verdict in verdicts.items()]
    record = failed(loop="guarded", rounds=rounds, execution=execution, errors=["timeout"])
    assert why_of(record) == {
        "loop": "guarded: executor: timeout; "
        "fallback (timeout): 1 row, recall 1.000, F1 0.250, not counted for the case"
    }
