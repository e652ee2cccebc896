"""What is wrong with one case, as its query, its result and gold show it."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.execution.execution import Execution, Status
from retrocypher.kg.labels.error_labels import is_label
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.scoring.labels import diagnose, labels_of
from retrocypher.plugins.scoring.score import score

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
def test_a_case_that_passes_with_values_outside_the_rows_of_their_reactions_has_a_label(
    with_ids: bool, label: str
) -> None:
    asked = question("precursors")
    keys = ["reactants", "products", "agents", "solvents"]
    lists = [sorted({name for row in asked.gold for name in row[key]}) for key in keys]
    ids = [[row["id"] for row in asked.gold]]
    result = execution([ids + lists if with_ids else lists], ["id", *keys] if with_ids else keys)
    assert score(asked, result, None, text_metrics=False).f1 == 1.0
    assert labelled(asked, asked.reference_cypher, result) == [label]


def test_labels_in_the_order_of_their_evidence() -> None:
    asked = question("precursors")
    agents = "collect(DISTINCT agent.name) AS agents,"
    without_agents = asked.reference_cypher.replace(agents, "") + " LIMIT 100"
    columns = [key for key in asked.gold[0] if key != "agents"]
    result = execution([[row[key] for key in columns] for row in asked.gold], columns)
    # The rows contradict the limit, so it is not the primary label.
    assert labelled(asked, without_agents, result) == ["missing_component:agents", "limit"]

    asked = question("chains_to_target")
    unbounded = asked.reference_cypher.replace(f"*{2 * asked.steps}", "*")
    assert labelled(asked, unbounded, execution(status="timeout")) == ["path_length", "timeout"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 9000)
    | st.floats()
    | st.sampled_from(["CCO", "id", "", "\ud800"])
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "$node", "$path", "labels", "name"]), inner, max_size=3)
    ),
    max_leaves=6,
)


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
    columns = draw(
        st.lists(st.sampled_from([*asked.gold[0], "x", "path", "precursor"]), max_size=4, unique=True)
    )
    rows = draw(st.lists(st.lists(json_values, min_size=len(columns), max_size=len(columns)), max_size=3))
    status = draw(st.sampled_from(["ok", "ok", *STATUSES]))
    return asked, cypher, execution(rows, columns, status)


@given(cases())
def test_any_case_gets_known_labels_and_the_same_ones_again(
    case: tuple[Question, str | None, dict[str, Any]],
) -> None:
    found = labelled(*case)
    assert all(is_label(label) for label in found), found
    assert len(set(found)) == len(found)
    assert labelled(*case) == found
    asked, cypher, result = case
    scores = score(asked, result, cypher, text_metrics=False)
    assert bool(found) == (scores.f1 < 1.0 or scores.row_f1 not in (None, 1.0))


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
