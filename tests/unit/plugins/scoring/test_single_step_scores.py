"""Scores: the worked examples of docs/scores.md, which column is which key, and what holds for any rows.

The independent scorer is held against results of many more shapes.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from support.graph_values import reaction
from support.records import record_of
from support.scored import question_of, scored
from support.suite import CHECKOUT

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.columns import (
    KeyMatcher,
    Match,
    match_columns,
    normalise,
    plain_name,
    resolve,
)
from retrocypher.plugins.scoring.explanation import difference
from retrocypher.plugins.scoring.routes import partial_path_recall
from retrocypher.plugins.scoring.score import Assessor, score
from retrocypher.plugins.scoring.single_step import focus_key, values_by_key

PAGE = (CHECKOUT / "docs" / "scores.md").read_text("utf-8")
EXAMPLES = [
    yaml.safe_load(block) for block in re.findall(r'```yaml title="example"\n(.*?)\n```', PAGE, re.DOTALL)
]


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 23


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: dict[str, Any]) -> None:
    asked = replace(
        question_of(example["task"], example["gold"], example.get("slots")), steps=example.get("steps", 1)
    )
    execution = Execution(example.get("status", "ok"), columns=example["columns"], rows=example["rows"])
    found = msgspec.to_builtins(score(asked, execution, None, text_metrics=False))
    assert {name: found[name] for name in example["scores"]} == example["scores"]


def test_bleu_table() -> None:
    queries = dict(re.findall(r'```cypher title="(\w+)"\n(.*?)\n```', PAGE, re.DOTALL))
    table = {
        name.strip("`"): [float(cell) for cell in cells.split("|")]
        for name, cells in re.findall(r"^\| (\S+|the grammar) \| ([\d.]+ \| [\d.]+) \|$", PAGE, re.MULTILINE)
    }
    others = ("wrong", "renamed")
    asked = replace(question_of("precursors", [{"reactants": ["A"]}]), reference_cypher=queries["reference"])

    for name, tokenizer in (("blanks", "none"), ("13a", "13a")):
        bleu = BLEU(tokenize=tokenizer, effective_order=True)
        measured = [
            bleu.sentence_score(queries[other], [queries["reference"]]).score / 100 for other in others
        ]
        assert measured == pytest.approx(table[name], abs=5e-4)
    ours = [score(asked, Execution("ok"), queries[other]).bleu for other in others]
    assert ours == pytest.approx(table["the grammar"], abs=5e-4)


def test_table_of_answers_of_only_what_was_asked() -> None:
    table = re.findall(
        r"^\| `(\w+)` \| `\w+`(?: or `\w+`)? \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.M
    )
    found: dict[str, list[Scores]] = {task: [] for task, *_ in table}
    for each in load_questions().questions:
        if key := focus_key(each):
            found[each.task].append(scored(each, [key], [[row[key]] for row in each.gold]))

    assert len(table) == 6
    for task, *means in table:
        ours = [[each.precision, each.recall, each.f1] for each in found[task]]
        assert np.mean(ours, axis=0) == pytest.approx([float(mean) for mean in means], abs=0.006)
        assert {each.focus_f1 for each in found[task]} == {1.0}


GOLD = [
    {"id": 1, "reactants": ["A", "B"], "products": ["P"], "agents": [], "solvents": ["S"]},
    {"id": 2, "reactants": ["C"], "products": ["P", "Q"], "agents": ["G"], "solvents": []},
]
COLUMNS = ["id", "reactants", "products", "agents", "solvents"]
ROWS = [list(row.values()) for row in GOLD]
PRECURSORS = question_of("precursors", GOLD)


class Compass:
    """Knows two directions: agents and the rest."""

    name = "compass"

    def encode(self, texts: Sequence[str]) -> Any:
        return np.array(
            [[1.0, 0.0] if text in ("agents", "helper stuff") else [0.6, 0.8] for text in texts], np.float32
        )


def test_nothing_expected_and_nothing_returned_is_right() -> None:
    scores = scored(question_of("precursors", []), [], [])
    assert (scores.precision, scores.recall, scores.f1, scores.row_f1) == (1.0, 1.0, 1.0, 1.0)
    others = ("exact_path_precision", "exact_path_recall", "exact_path_f1", "partial_path_recall")
    assert [scores.value(name) for name in (*others, "bleu", "meteor", "rouge_l")] == [None] * 7


@pytest.mark.parametrize("status", ["syntax_error", "runtime_error", "timeout", "refused", "no_query"])
def test_rows_of_a_query_that_failed_do_not_count(status: str) -> None:
    scores = score(PRECURSORS, Execution(status, columns=COLUMNS, rows=ROWS), "RETURN 1")

    assert scores.f1 == scores.row_f1 == scores.focus_f1 == 0.0
    assert scores.bleu > 0.0


@pytest.mark.parametrize(
    ("returned", "f1"),
    [
        ([50.0, 70.0], 1.0),
        ([70.0000005, 50], 1.0),
        (["70.0", "50"], 1.0),
        ([70.0, 70.0000005, 50.0], 1.0),
        ([70.000002, 50.0], 0.5),
        ([{"$float": "NaN"}, 50.0, 70.0], 0.8),
        ([True, 50.0, 70.0], 0.8),
        (["high"], 0.0),
        ([10**400, 50.0, 70.0], 0.8),
        ([None], 0.0),
    ],
)
def test_yields(returned: list[Any], f1: float) -> None:
    gold = [{"id": 1, "target_yield": 70.0}, {"id": 2, "target_yield": 50.0}]

    assert scored(question_of("best_yield", gold), ["yield"], [[returned]]).focus_f1 == pytest.approx(f1)


@pytest.mark.parametrize(("returned", "f1"), [(True, 0.0), ("1", 1.0)])
def test_ids(returned: Any, f1: float) -> None:
    gold = [{"id": 1, "products": ["P"]}]

    assert scored(question_of("producing_reactions", gold), ["id"], [[returned]]).focus_f1 == f1


def test_focus_is_on_the_role_that_conditions_ask_for() -> None:
    made = question_of("conditions", GOLD, {"role": "agents"})

    assert scored(made, ["agents"], [["G"]]).focus_f1 == 1.0
    assert scored(made, ["solvents"], [["S"]]).focus_f1 == 0.0


def _passes(question: Question, columns: list[str], rows: list[Any], threshold: float = 1.0) -> list[bool]:
    assessor, execution = (
        Assessor(default_schema(), threshold, None),
        Execution("ok", columns=columns, rows=rows),
    )
    case = assessor.case(question, "RETURN 1", execution)
    assert case.passed or case.labels
    found = {"reason": "x", "status": "ok", "columns": columns, "rows": rows}
    return [
        case.passed,
        assessor.query(question, "RETURN 1", execution).passed,
        assessor.fallback(question, found).passed,
    ]


@pytest.mark.parametrize(
    ("task", "ids", "passed"),
    [
        ("multi_product", [1, 2], True),
        ("multi_product", [-1, -2], False),
        ("multi_product", [2, 1], False),
        ("multi_product", None, False),
        ("precursors", [1, 2], True),
        ("precursors", [-1, -2], False),
        ("precursors", [2, 1], False),
        ("precursors", None, True),
    ],
)
def test_wrong_ids_do_not_pass(task: str, ids: list[int] | None, passed: bool) -> None:
    columns = COLUMNS if ids else COLUMNS[1:]
    rows = [[*([ids[at]] if ids else []), *row[1:]] for at, row in enumerate(ROWS)]
    made = question_of(task, GOLD)

    assert scored(made, columns, rows).f1 == 1.0
    assert set(_passes(made, columns, rows)) == {passed}
    assert set(_passes(made, columns, rows, 0.0)) == {True}
    lines = difference(values_by_key(made, Execution("ok", columns=columns, rows=rows)))
    assert (lines == ["no difference"]) == (ids is not None and sorted(ids) == [1, 2])


def test_values_in_the_wrong_rows_pass_only_without_ids() -> None:
    mixed = [["A", "P", None, "S"], [["B", "C"], ["P", "Q"], "G", None]]

    assert set(_passes(question_of("precursors", GOLD), COLUMNS[1:], mixed)) == {True}
    identified = [[1, *mixed[0]], [2, *mixed[1]]]
    assert set(_passes(question_of("precursors", GOLD), COLUMNS, identified)) == {False}


def test_the_encoder_comes_last_and_only_when_asked_for() -> None:
    columns, rows = ["id", "Helper stuff", "reactant"], [[2, "G", "C"]]
    made = question_of("conditions", GOLD, {"role": "agents"})

    without = scored(made, columns, rows)
    with_encoder = scored(made, columns, rows, KeyMatcher(Compass(), 0.93))
    too_strict = scored(made, columns, rows, KeyMatcher(Compass(), 1.5))

    assert without.unmatched_columns == too_strict.unmatched_columns == ["Helper stuff"]
    assert with_encoder.per_key["agents"].columns == {"Helper stuff": "encoder"}
    assert with_encoder.per_key["agents"].stage == "encoder"
    assert with_encoder.per_key["reactants"].stage == "stem"
    assert (without.focus_f1, with_encoder.focus_f1) == (0.0, 1.0)
    # The page of a case shows what was scored.
    case = record_of("q", execution={"status": "ok", "columns": columns, "rows": rows})
    assert values_by_key(made, case.execution)["agents"].returned == frozenset()
    assert values_by_key(made, case.execution, KeyMatcher(Compass(), 0.93))["agents"].returned == {"G"}


def test_the_least_sure_stage_of_a_key_is_recorded() -> None:
    scores = scored(PRECURSORS, ["reactants", "substrates", "reactant"], [["A", "B", "C"]])

    assert scores.per_key["reactants"].stage == "alias"
    assert scores.per_key["reactants"].f1 == 1.0


KEYS = ("id", "reactants", "products", "agents", "solvents")
ALL_KEYS = (*KEYS, "target_yield", "co_products")
NAMES = yaml.safe_load(Path(__file__).with_name("column_names.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (key, name)
        for table in ("observed_in_the_paper", "written_by_chemists", "listed_since")
        for key, row in NAMES[table].items()
        for name in row.split()
    ],
)
def test_variants_of_names(key: str, name: str) -> None:
    match = resolve(plain_name(name), ALL_KEYS)
    assert match is not None
    assert match.key == key


@pytest.mark.parametrize(("name", "normal"), NAMES["normalised"])
def test_normalise(name: str, normal: str) -> None:
    assert normalise(name) == normal


@pytest.mark.parametrize(("expression", "name"), NAMES["expressions"])
def test_expressions(expression: str, name: str) -> None:
    assert plain_name(expression) == name


@pytest.mark.parametrize(
    "name", ["conditions", "n", "name", "count(reactant)", "yield", "patent", "molecule", "size(agents)"]
)
def test_names_that_match_nothing(name: str) -> None:
    assert resolve(plain_name(name), KEYS) is None


def test_stages() -> None:
    names = {name: name for name in ("agents", "Agent 2", "catalyst", "patent", "n")}
    assert match_columns(names, frozenset({"n"}), KEYS[1:], None) == {
        "agents": Match("agents", "exact"),
        "Agent 2": Match("agents", "stem"),
        "catalyst": Match("agents", "alias"),
        "n": Match("id", "nodes"),
    }


@pytest.mark.parametrize("name", NAMES["misspelled"])
def test_one_edit_from_one_alias(name: str) -> None:
    key, misspelled = name.split(": ")
    assert resolve(plain_name(misspelled), ALL_KEYS) == Match(key, "misspelling")


@pytest.mark.parametrize("name", NAMES["not_misspelled"])
def test_no_misspelling(name: str) -> None:
    assert resolve(plain_name(name), ALL_KEYS) is None


@given(st.data())
def test_another_alias_of_the_same_key_changes_no_score(data: Any) -> None:
    columns = ["id"]
    for key in COLUMNS[1:]:
        columns.append(data.draw(st.sampled_from([key, *NAMES["written_by_chemists"][key].split()])))
    scores = scored(PRECURSORS, columns, ROWS)
    assert (scores.f1, scores.row_f1, scores.unmatched_columns) == (1.0, 1.0, [])


def test_co_products_are_products_where_they_are_not_asked_for() -> None:
    assert resolve("byproduct", ALL_KEYS) == Match("co_products", "alias")
    assert resolve("byproduct", KEYS) == Match("products", "alias")


Routes = set[tuple[int, ...]]

GOLD_COLUMNS = ["id", "reactants", "products", "agents", "solvents", "target_yield"]

molecules = st.sets(st.sampled_from(["C", "CO", "CCO", "c1ccccc1", "N", "[Na+].[Cl-]"]), max_size=3).map(
    sorted
)
yields = st.none() | st.integers(0, 100) | st.floats(0, 100)
reactions = st.fixed_dictionaries(
    {
        "id": st.integers(0, 9),
        "reactants": molecules,
        "products": molecules,
        "agents": molecules,
        "solvents": molecules,
        "target_yield": yields,
    }
)
answers = st.lists(reactions, min_size=1, max_size=4, unique_by=lambda row: row["id"])
route_sets = st.sets(st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple), min_size=1, max_size=5)


def rows_of(answer: list[dict[str, Any]]) -> list[list[Any]]:
    return [[row[name] for name in GOLD_COLUMNS] for row in answer]


@given(answers)
def test_gold_scores_one(gold: list[dict[str, Any]]) -> None:
    scores = scored(question_of("producing_reactions", gold), GOLD_COLUMNS, rows_of(gold))

    assert (scores.precision, scores.recall, scores.f1) == (1.0, 1.0, 1.0)
    assert (scores.row_f1, scores.focus_f1) == (1.0, 1.0)


@given(answers, answers, st.randoms())
def test_order_of_rows_and_columns_changes_nothing(
    gold: list[dict[str, Any]], answer: list[dict[str, Any]], random: Any
) -> None:
    made = question_of("best_yield", gold)
    shuffled = random.sample(answer, len(answer))
    names = random.sample(GOLD_COLUMNS, len(GOLD_COLUMNS))

    scores = scored(made, GOLD_COLUMNS, rows_of(answer))

    assert scored(made, names, [[row[name] for name in names] for row in shuffled]) == scores


@given(answers, answers)
def test_swapping_the_sides_swaps_precision_and_recall_but_not_f1(
    left: list[dict[str, Any]], right: list[dict[str, Any]]
) -> None:
    there = scored(question_of("best_yield", left), GOLD_COLUMNS, rows_of(right))
    back = scored(question_of("best_yield", right), GOLD_COLUMNS, rows_of(left))

    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert (there.f1, there.row_f1) == (back.f1, back.row_f1)
    total = there.precision + there.recall
    expected = 2 * there.precision * there.recall / total if total else 0.0
    assert abs(there.f1 - expected) < 1e-12
    for key, entry in there.per_key.items():
        other = back.per_key[key]
        assert (entry.precision, entry.recall) == (other.recall, other.precision)


@given(route_sets, st.sampled_from(["lists", "ids", "r", "reaction", "step_", "x"]), st.randoms())
def test_gold_routes_score_one_in_every_form(gold: Routes, form: str, random: Any) -> None:
    shuffled = random.sample(sorted(gold), len(gold))
    rows: list[Any]
    if form == "lists":
        rows = [[[reaction(step) for step in route]] for route in shuffled]
    elif form == "ids":
        rows = [[list(route)] for route in shuffled]
    else:
        rows = [[*route, *[None] * (4 - len(route))] for route in shuffled]
    names = ["route"] if form in ("lists", "ids") else [f"{form}{number}" for number in range(1, 5)]

    scores = scored(question_of("chains_to_target", [{"route": list(route)} for route in gold]), names, rows)

    assert (scores.f1, scores.partial_path_recall) == (1.0, 1.0)
    assert scores.per_key is scores.focus_f1 is scores.row_f1 is scores.unmatched_columns is None


@given(route_sets, route_sets, route_sets)
def test_swapping_route_sets_swaps_precision_and_recall(left: Routes, right: Routes, more: Routes) -> None:
    def run(gold: Routes, returned: Routes) -> Scores:
        made = question_of("chains_to_target", [{"route": list(route)} for route in gold])
        return scored(made, ["route"], [[list(route)] for route in returned])

    there, back = run(left, right), run(right, left)

    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert there.partial_path_recall >= there.exact_path_recall
    assert partial_path_recall(right | more, left) >= partial_path_recall(right, left)
