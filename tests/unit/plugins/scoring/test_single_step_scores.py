"""Scores of single-step queries: the worked examples of docs/scores.md, and beyond."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
import yaml
from sacrebleu.metrics.bleu import BLEU
from support.graph_values import molecule, reaction
from support.scored import question_of, scored
from support.suite import CHECKOUT

from retrocypher.kg.execution.execution import Execution
from retrocypher.plugins.scoring.columns import KeyMatcher
from retrocypher.plugins.scoring.score import score
from retrocypher.plugins.scoring.single_step import Values, values_by_key

PAGE = (CHECKOUT / "docs" / "scores.md").read_text("utf-8")
EXAMPLES = [
    yaml.safe_load(block) for block in re.findall(r'```yaml title="example"\n(.*?)\n```', PAGE, re.DOTALL)
]


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 18


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


@pytest.mark.parametrize("status", ["syntax_error", "runtime_error", "timeout", "refused", "no_query"])
def test_rows_of_a_query_that_failed_do_not_count(status: str) -> None:
    scores = score(PRECURSORS, Execution(status, columns=COLUMNS, rows=ROWS), "RETURN 1")

    assert scores.f1 == scores.row_f1 == scores.focus_f1 == 0.0
    assert scores.bleu > 0.0


def test_nodes_count_as_name_or_id_and_nests_are_flattened() -> None:
    rows = [
        [reaction(1), [[molecule("A")], [None, [molecule("B")]]], molecule("P"), None, "S"],
        [reaction(2), molecule("C"), [molecule("P"), "Q"], [["G"]], []],
    ]

    scores = scored(question_of("producing_reactions", GOLD), ["what", *COLUMNS[1:]], rows)

    assert (scores.f1, scores.row_f1, scores.focus_f1) == (1.0, 1.0, 1.0)
    assert scores.unmatched_columns == []
    others = ("exact_path_precision", "exact_path_recall", "exact_path_f1", "partial_path_recall")
    assert [scores.value(name) for name in (*others, "bleu", "meteor", "rouge_l")] == [None] * 7


@pytest.mark.parametrize("column", ["p", "rel", "yield"])
def test_a_relationship_is_the_map_of_its_properties(column: str) -> None:
    gold = [{"id": 1, "products": ["P"], "target_yield": 80.0}]
    link = {"id": "1", "type": "PRODUCES", "start": "r", "end": "m", "properties": {"yield": 80.0}}

    assert scored(question_of("best_yield", gold), [column], [[{"$relationship": link}]]).focus_f1 == 1.0


def test_what_is_no_molecule_counts_as_a_wrong_one() -> None:
    mixed = scored(PRECURSORS, ["reactants"], [[[reaction(1), "A"]]])
    assert (mixed.per_key["reactants"].tp, mixed.per_key["reactants"].fp) == (1, 1)

    path = {"$path": {"nodes": [molecule("A"), reaction(1)], "relationships": []}}
    date = {"$temporal": {"type": "date", "value": "2020-01-01"}}
    tagged = scored(PRECURSORS, ["p", "reactants"], [[path, [date, path]]])
    assert (tagged.per_key["reactants"].fp, tagged.precision) == (1, 0.0)
    assert tagged.unmatched_columns == ["p"]


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


def test_the_least_sure_stage_of_a_key_is_recorded() -> None:
    scores = scored(PRECURSORS, ["reactants", "substrates", "reactant"], [["A", "B", "C"]])

    assert scores.per_key["reactants"].stage == "alias"
    assert scores.per_key["reactants"].f1 == 1.0


def test_rows_match_by_their_ids_or_else_by_all_keys() -> None:
    rows = [row[1:] for row in ROWS]
    assert scored(PRECURSORS, COLUMNS[1:], rows + rows).row_f1 == 1.0
    assert scored(PRECURSORS, COLUMNS[1:-1], rows).row_f1 == 0.5
    # A row of several reactions is never right.
    several = scored(PRECURSORS, COLUMNS, [[[1, 2], ["A", "B", "C"], ["P", "Q"], ["G"], ["S"]]])
    assert (several.f1, several.row_f1) == (1.0, 0.0)


def test_a_list_of_maps_is_a_row_each() -> None:
    for column in ("collect({id: r.id})", "reactions"):
        for rows in ([[GOLD]], [[row] for row in GOLD]):
            scores = scored(PRECURSORS, [column], rows)
            assert (scores.f1, scores.row_f1, scores.unmatched_columns) == (1.0, 1.0, [])


def test_entries_of_a_map_are_columns() -> None:
    value = {"reactants": [{"name": "A", "mass": 3}], "vendor": "X"}

    scores = scored(PRECURSORS, ["info"], [[value]])

    columns = {"info.reactants": "exact", "info.reactants.name": "exact"}
    assert scores.per_key["reactants"].columns == columns
    assert scores.unmatched_columns == ["info.reactants.mass", "info.vendor"]


def test_values_of_a_result_stand_beside_those_of_gold() -> None:
    gold = [{"id": 1, "reactants": ["A"], "products": ["P"], "agents": [], "solvents": []}]
    result = Execution("ok", columns=["reaction_id", "precursors"], rows=[[1.0, ["A", "B"]]])
    found = values_by_key(question_of("precursors", gold), result)
    assert found["id"] == Values(frozenset({1}), frozenset({1}))
    assert found["reactants"] == Values(frozenset({"A"}), frozenset({"A", "B"}))
    assert found["products"] == Values(frozenset({"P"}), frozenset())

    routes = question_of("chains_to_target", [{"route": [1, 2]}])
    for status, returned in (("ok", {(2, 1)}), ("timeout", set())):
        result = Execution(status, columns=["ids"], rows=[[[2, 1]]])
        assert values_by_key(routes, result) == {"route": Values(frozenset({(1, 2)}), frozenset(returned))}
