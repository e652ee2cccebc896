"""The summary of a run, from its records."""

import io
import json
import random
from typing import Any

import pytest
from rich.console import Console
from support.records import record_of

from retrocypher.plugins.analysis.group import RunningMean
from retrocypher.plugins.analysis.summary import Summary, summarise, summary_of
from retrocypher.plugins.reporting.run_tables import render_table
from retrocypher.plugins.runs.record import Record

HEADINGS = ("task", "cases", "P", "R", "F1", "passed", "failed")
TIMES = "\N{MULTIPLICATION SIGN}"


def record(**fields: Any) -> Record:
    f1 = fields.pop("f1", 1.0)
    made = {
        "task": "precursors",
        "setting": "single_step",
        "steps": 1,
        "prompt": "P5",
        "shot": "1S-D-S",
        "loop": "none",
        "model": "oracle",
        "exemplar_id": "product_identification",
        "execution": {"status": "ok"},
        "scores": {"precision": f1, "recall": f1, "f1": f1, "focus_f1": None, "unmatched_columns": []},
        "infrastructure_error": None,
        "passed": f1 >= 1.0,
    }
    return record_of(**made | fields)


def error(stage: str, **fields: Any) -> Record:
    return record(
        scores=None,
        execution=None,
        passed=False,
        infrastructure_error={"stage": stage, "kind": "x", "message": "y"},
        **fields,
    )


RECORDS = [
    record(),
    record(f1=0.5, exemplar_id="best_yield"),
    record(f1=0.0, execution={"status": "timeout"}, prompt="P10", shot="ZS", exemplar_id=None),
    record(
        task="intermediates",
        setting="multi_step",
        steps=3,
        prompt="P10",
        f1=0.25,
        scores={"f1": 0.25, "exact_path_f1": 0.25, "unmatched_columns": None},
    ),
    record(model="gpt", scores={"f1": 0.1, "unmatched_columns": ["n", "patent"]}, passed=False),
    error("graph"),
    error("model", model="gpt"),
    error("model", model="gpt"),
]


def test_counts() -> None:
    summary = summarise(RECORDS)

    assert {name: summary[name] for name in ("cases", "scored", "passed", "failed")} == {
        "cases": 8,
        "scored": 5,
        "passed": 1,
        "failed": 4,
    }
    assert summary["infrastructure_errors"] == 3
    assert summary["infrastructure_errors_by_stage"] == {"graph": 1, "model": 2}
    assert summary["statuses"] == {"ok": 4, "timeout": 1}
    assert summary["exemplars"] == {"1S-D-S": {"best_yield": 1, "product_identification": 6}}
    assert summary["unmatched_columns"] == {"cases": 1, "columns": {"n": 1, "patent": 1}}


def test_means_are_over_cases_and_leave_infrastructure_errors_out() -> None:
    summary = summarise(RECORDS)

    assert summary["means"]["f1"] == pytest.approx((1.0 + 0.5 + 0.0 + 0.25 + 0.1) / 5)
    assert summary["means"]["exact_path_f1"] == 0.25
    assert summary["defined"]["exact_path_f1"] == 1
    assert summary["means"]["focus_f1"] is None
    by = summary["by"]
    assert by["setting"]["multi_step"]["means"]["f1"] == 0.25
    assert by["steps"]["1"]["means"]["f1"] == pytest.approx(0.4)
    assert by["task"]["precursors"]["cases"] == 7
    assert by["model"]["gpt"]["means"]["f1"] == 0.1
    assert by["model"]["gpt"]["infrastructure_errors"] == 2
    assert list(by["prompt_shot"]) == [f"P5 {TIMES} 1S-D-S", f"P10 {TIMES} ZS", f"P10 {TIMES} 1S-D-S"]


def test_cells_are_one_a_model_loop_prompt_shot_and_task() -> None:
    cells = summarise(RECORDS)["cells"]

    named = [tuple(cell[name] for name in ("model", "prompt", "shot", "task", "cases")) for cell in cells]
    assert named == [
        ("gpt", "P5", "1S-D-S", "precursors", 3),
        ("oracle", "P5", "1S-D-S", "precursors", 3),
        ("oracle", "P10", "ZS", "precursors", 1),
        ("oracle", "P10", "1S-D-S", "intermediates", 1),
    ]


def test_the_order_of_records_changes_not_a_byte() -> None:
    rng = random.Random(4)
    records = [record(f1=rng.random(), task=rng.choice(["co_products", "precursors"])) for _ in range(500)]
    shuffled = rng.sample(records, len(records))

    assert json.dumps(summarise(records)) == json.dumps(summarise(shuffled))


def test_a_summary_can_be_asked_on_the_way() -> None:
    summary = Summary()
    for each in RECORDS:
        summary.add(each)

    assert (summary.passed, summary.failed, summary.infrastructure_errors) == (1, 4, 3)
    assert summary.to_json() == summarise(RECORDS)


def test_no_records() -> None:
    summary = summarise([])

    assert summary["cases"] == 0
    assert summary["means"]["f1"] is None
    assert summary["cells"] == []


def test_running_mean() -> None:
    mean = RunningMean()
    assert mean.mean is None

    for value in (1.0, 0.0, 0.5, 0.5):
        mean.add(value)

    assert (mean.count, mean.mean) == (4, 0.5)


def shown(summary: Summary) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=80).print(render_table(summary))
    return text.getvalue().splitlines()


def test_table() -> None:
    lines = shown(summary_of([*RECORDS, record(task="best_yield", f1=0.0)]))

    assert lines[0].strip() == "gpt"
    rows = [line.split() for line in lines]
    first = f"P5 {TIMES} 1S-D-S precursors 3 0.750 0.750 0.750 1 1 1"
    assert first.split() in rows
    assert ["best_yield", "1", "0.000", "0.000", "0.000", "0", "1", "0"] in rows
    assert ["all", "4", "0.500", "0.500", "0.500", "1", "2", "1"] in rows
    assert ["all", "3", "n/a", "n/a", "0.100", "0", "1", "2"] in rows


def test_table_names_the_loop_and_shows_markup_as_it_stands() -> None:
    lines = shown(summary_of([record(model="my[bold]model", loop="cove")]))

    assert lines[0].strip() == "my[bold]model, loop cove"


def test_errors_are_counted_by_primary_label_in_every_group() -> None:
    records = [
        record(f1=0.5, errors=["missing_component:agents", "missing_component:solvents"]),
        record(f1=0.0, errors=["traversal_direction", "empty_result"], prompt="P1"),
        record(errors=["wrong_aggregation_or_order"]),
        record(errors=[]),
        error("graph"),
    ]
    summary = summarise(records)

    assert summary["errors"] == {
        "cases": 3,
        "passed": 1,
        "primary": {
            "traversal_direction": 1,
            "missing_component:agents": 1,
            "wrong_aggregation_or_order": 1,
        },
        "any": {
            "traversal_direction": 1,
            "missing_component": 1,
            "wrong_aggregation_or_order": 1,
            "empty_result": 1,
        },
    }
    assert list(summary["errors"]["any"]) == [
        "traversal_direction",
        "missing_component",
        "wrong_aggregation_or_order",
        "empty_result",
    ]
    first = summary["by"]["prompt_shot"][f"P1 {TIMES} 1S-D-S"]
    assert first["errors"]["primary"] == {"traversal_direction": 1}
    assert [cell["errors"]["cases"] for cell in summary["cells"]] == [1, 2]


def test_variations_are_counted_among_perfect_cases_by_prompt_and_shot() -> None:
    query = "MATCH (a:Molecule {name: 'C'})-[:REACTS_IN]->(r) RETURN r"
    records = [
        record(cypher=query, reference_cypher=query),
        record(cypher=query.replace("(a:", "(b:"), reference_cypher=query),
        record(cypher=query.replace("(a:", "(b:"), reference_cypher=query, f1=0.9),
        record(cypher=f"MATCH (n) WITH n {query}", reference_cypher=query, shot="ZS"),
    ]
    by = summarise(records)["by"]["prompt_shot"]

    none = {"aliases": 0, "with_clause": 0, "edge_written_from_other_side": 0, "clause_order": 0}
    assert by[f"P5 {TIMES} 1S-D-S"]["variations"] == {"perfect": 2, **none, "aliases": 1}
    assert by[f"P5 {TIMES} ZS"]["variations"] == {"perfect": 1, **none, "aliases": 1, "with_clause": 1}


def below(summary: Summary, **order: list[str]) -> list[str]:
    """The closing table's lines of a wide terminal."""
    text = io.StringIO()
    Console(file=text, width=200).print(render_table(summary, **order))
    return [line.strip() for line in text.getvalue().splitlines()]


def test_the_table_tells_all_primary_labels_of_each_model() -> None:
    labels = ["limit", "missing_component:agents", "missing_component:products", "set_logic", "path_length"]
    records = [record(f1=0.5, errors=[label]) for label in (*labels, "other", "return_shape", "limit")]
    lines = below(summary_of([*records, record(model="right")]))
    assert [line for line in lines if line.startswith("primary labels")] == [
        "primary labels of the failed cases: missing_component 2, limit 2, "
        "path_length 1, set_logic 1, return_shape 1, other 1"
    ]
    also = below(summary_of([*records[:1], record(errors=["other"])]))
    assert (
        "primary labels of the failed cases (and of 1 that passed, but not row by row): limit 1, other 1"
        in also
    )


def test_wordings_are_told_apart_where_there_are_several() -> None:
    records = [record(f1=1.0), record(f1=0.5, phrasing=3), record(f1=0.0, phrasing=3, model="gpt")]
    counted = summary_of([*records, error("graph", phrasing=2)])
    summary = counted.to_json()
    assert {name: group["means"]["f1"] for name, group in summary["by"]["phrasing"].items()} == {
        "1": 1.0,
        "2": None,
        "3": 0.25,
    }
    assert [
        (each["model"], each["loop"], each["phrasing"], each["cases"]) for each in summary["wordings"]
    ] == [
        ("gpt", "none", 3, 1),
        ("oracle", "none", 1, 1),
        ("oracle", "none", 2, 1),
        ("oracle", "none", 3, 1),
    ]
    told = [line for line in below(counted) if line.startswith("mean F1 by wording")]
    assert told == ["mean F1 by wording: 1: 1.000, 2: n/a, 3: 0.500"]


def test_tables_come_in_the_order_that_was_given() -> None:
    records = [record(loop=loop, model=model) for model in ("a", "b") for loop in ("cove", "none", "review")]
    lines = below(summary_of(records), models=["b", "a"], loops=["review", "none"])
    titles = [line for line in lines if line.split(",")[0] in ("a", "b")]
    assert titles == ["b, loop review", "b", "b, loop cove", "a, loop review", "a", "a, loop cove"]


def test_the_table_fits_80_columns() -> None:
    wide = record(task="multi_step_precursors", setting="multi_step", prompt="P10")
    text = io.StringIO()
    Console(file=text, width=80).print(render_table(summary_of([wide, error("graph")])))
    assert "multi_step_precursors" in text.getvalue()
    assert f"P10 {TIMES} 1S-D-S" in text.getvalue()
    heading = text.getvalue().splitlines()[1]
    assert heading.split() == [f"prompt{TIMES}shot", *HEADINGS, "not", "run"]
