"""What the records of a run sum up to: counts and means, and what models were asked for."""

import random
from collections.abc import Iterable
from typing import Any

import pytest
from msgspec import convert, to_builtins
from support.consoles import printed
from support.records import key_score, record_of

from retrocypher.plugins.analysis.scores import ScoreTable, slice_means
from retrocypher.plugins.analysis.summary import Usage, summary_of
from retrocypher.plugins.reporting.run_tables import render_table
from retrocypher.plugins.runs.files import json_page
from retrocypher.plugins.runs.manifest import MadeOnce
from retrocypher.plugins.runs.record import Leak, Record, Round, Tokens
from retrocypher.plugins.runs.summary import VARIATIONS
from retrocypher.plugins.runs.written_answer import RecordedClaim
from retrocypher.prompts.answering.roles import Citations

HEADINGS = ("task", "cases", "scored", "P", "R", "F1", "interval", "F1", "ran", "passed", "failed")
TIMES = "\N{MULTIPLICATION SIGN}"


def record(f1: float = 1.0, **fields: Any) -> Record:
    made = {
        "shot": "1S-D-S",
        "model": "oracle",
        "exemplar_id": "product_identification",
        "execution": {"status": "ok"},
        "scores": {"precision": f1, "recall": f1, "f1": f1, "unmatched_columns": []},
        "passed": f1 >= 1.0,
    }
    return record_of(**made | fields)


def error(stage: str, **fields: Any) -> Record:
    fault = {"stage": stage, "kind": "x", "message": "y"}
    return record(scores=None, execution=None, passed=False, infrastructure_error=fault, **fields)


RECORDS = [
    record(),
    record(f1=0.5, exemplar_id="best_yield"),
    record(f1=0.0, execution={"status": "timeout"}, prompt="P10", shot="ZS", exemplar_id=None),
    record(
        **{"task": "intermediates", "setting": "multi_step", "steps": 3, "prompt": "P10", "passed": False},
        scores={"f1": 0.25, "exact_path_f1": 0.25, "unmatched_columns": None},
    ),
    record(model="gpt", scores={"f1": 0.1, "unmatched_columns": ["n", "patent"]}, passed=False),
    error("graph"),
    error("model", model="gpt"),
    error("model", model="gpt"),
]


def test_counts() -> None:
    summary = to_builtins(summary_of(RECORDS).run_summary())
    assert [summary[name] for name in ("cases", "scored", "passed", "failed")] == [8, 5, 1, 4]
    assert summary["infrastructure_errors"] == 3
    assert summary["infrastructure_errors_by_stage"] == {"graph": 1, "model": 2}
    assert summary["statuses"] == {"ok": 4, "timeout": 1}
    assert summary["exemplars"] == {"1S-D-S": {"best_yield": 1, "product_identification": 6}}
    assert summary["unmatched_columns"] == {"cases": 1, "columns": {"n": 1, "patent": 1}}


def test_means_are_over_cases_and_leave_infrastructure_errors_out() -> None:
    summary = to_builtins(summary_of(RECORDS).run_summary())
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
    cells = to_builtins(summary_of(RECORDS).run_summary())["cells"]
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
    assert json_page(summary_of(records).run_summary()) == json_page(summary_of(shuffled).run_summary())


def test_no_records() -> None:
    summary = to_builtins(summary_of([]).run_summary())
    assert (summary["cases"], summary["means"]["f1"], summary["cells"]) == (0, None, [])


def shown(records: Iterable[Record], width: int = 100, **order: list[str]) -> list[str]:
    return [line.strip() for line in printed(render_table(summary_of(records), **order), width).splitlines()]


def test_table() -> None:
    lines = shown([*RECORDS, record(task="best_yield", f1=0.0)])
    assert lines[0] == "gpt"
    rows = [line.split() for line in lines]
    first = f"P5{TIMES}1S-D-S precursors 3 2 0.750 0.750 0.750 n/a n/a 1.000 1 1"
    assert first.split() in rows
    assert ["best_yield", "1", "1", *["0.000"] * 3, "n/a", "n/a", "1.000", "0", "1"] in rows
    assert ["all", "4", "3", *["0.500"] * 3, "n/a", "n/a", "1.000", "1", "2"] in rows
    assert ["all", "3", "1", "n/a", "n/a", "0.100", "n/a", "n/a", "1.000", "0", "1"] in rows


def test_the_mean_without_the_cases_that_the_exemplar_answers() -> None:
    leaks = (Leak(1.0, 1.0, None), Leak(0.0, 1.0, "swap_ends"), Leak(0.25, 0.5, "swap_ends"), None)
    records = [record(f1=f1, leak=leak) for f1, leak in zip((1.0, 0.9, 0.25, 0.75), leaks, strict=True)]
    line = "F1 without the 2 cases whose exemplar's query is right (1 as is, 1 with one edit): 0.500 ["
    (found,) = (each for each in shown(records, 150) if each.startswith(line))
    assert "; with them: 0.725 [" in found
    assert not [line for line in shown(records[2:]) if "query is right" in line]
    by = to_builtins(summary_of([*records, record()]).run_summary())["by"]["leak"]
    assert {kind: (group["cases"], group["means"]["f1"]) for kind, group in by.items()} == {
        "as_is": (1, 1.0),
        "none": (2, 0.5),
        "one_edit": (1, 0.9),
    }
    # As in runs of earlier versions.
    assert "leak" not in to_builtins(summary_of(RECORDS).run_summary())["by"]


def test_table_names_the_loop_and_shows_markup_as_it_stands() -> None:
    assert shown([record(model="my[bold]model", loop="cove")])[0] == "my[bold]model, loop cove"


def test_errors_are_counted_by_primary_label_in_every_group() -> None:
    records = [
        record(f1=0.5, errors=["missing_component:agents", "missing_component:solvents"]),
        record(f1=0.0, errors=["traversal_direction", "empty_result"], prompt="P1"),
        record(errors=["wrong_aggregation_or_order"]),
        record(errors=[]),
        error("graph"),
    ]
    summary = to_builtins(summary_of(records).run_summary())

    errors = summary["errors"]
    assert (errors["cases"], errors["passed"]) == (3, 1)
    primary = ("traversal_direction", "missing_component:agents", "wrong_aggregation_or_order")
    assert errors["primary"] == dict.fromkeys(primary, 1)
    # As labels are listed everywhere.
    names = ["traversal_direction", "missing_component", "wrong_aggregation_or_order", "empty_result"]
    assert list(errors["any"].items()) == [(name, 1) for name in names]
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
    by = to_builtins(summary_of(records).run_summary())["by"]["prompt_shot"]

    none = dict.fromkeys(VARIATIONS, 0)
    assert by[f"P5 {TIMES} 1S-D-S"]["variations"] == {"perfect": 2, **none, "aliases": 1}
    assert by[f"P5 {TIMES} ZS"]["variations"] == {"perfect": 1, **none, "aliases": 1, "with_clause": 1}


def test_the_table_tells_all_primary_labels_of_each_model() -> None:
    labels = ["limit", "missing_component:agents", "missing_component:products", "set_logic", "path_length"]
    records = [record(f1=0.5, errors=[label]) for label in (*labels, "other", "return_shape", "limit")]
    lines = shown([*records, record(model="right")], 200)
    assert [line for line in lines if line.startswith("primary labels")] == [
        "primary labels of the failed cases: missing_component 2, limit 2, "
        "path_length 1, set_logic 1, return_shape 1, other 1"
    ]
    also = shown([*records[:1], record(errors=["other"])], 200)
    assert (
        "primary labels of the failed cases (and of 1 that passed, but not row by row): limit 1, other 1"
        in also
    )


def test_wordings_are_told_apart_where_there_are_several() -> None:
    records = [record(f1=1.0), record(f1=0.5, phrasing=3), record(f1=0.0, phrasing=3, model="gpt")]
    records = [*records, error("graph", phrasing=2)]
    summary = to_builtins(summary_of(records).run_summary())
    means = {name: group["means"]["f1"] for name, group in summary["by"]["phrasing"].items()}
    assert means == {"1": 1.0, "2": None, "3": 0.25}
    found = [(each["model"], each["phrasing"], each["cases"]) for each in summary["wordings"]]
    assert found == [("gpt", 3, 1), ("oracle", 1, 1), ("oracle", 2, 1), ("oracle", 3, 1)]
    found = [line for line in shown(records, 200) if line.startswith("mean F1 by paraphrase")]
    assert found == ["mean F1 by paraphrase: 1: 1.000, 2: n/a, 3: 0.500"]


def test_tables_come_in_the_order_that_was_given() -> None:
    records = [record(loop=loop, model=model) for model in ("a", "b") for loop in ("cove", "none", "review")]
    lines = shown(records, models=["b", "a"], loops=["review", "none"])
    titles = [line for line in lines if line.split(",")[0] in ("a", "b")]
    assert titles == ["b, loop review", "b", "b, loop cove", "a, loop review", "a", "a, loop cove"]


def test_the_table_fits_100_columns() -> None:
    wide = {"task": "multi_step_precursors", "setting": "multi_step", "prompt": "P10"}
    records = [record(f1=n % 2, question_id=f"q{n}", **wide) for n in range(1_000)]
    _, above, heading, *lines = shown([*records, *[error("graph", **wide)] * 1_000], 100)
    assert above.split() == ["95", "%", "focus"]
    assert heading.split() == [f"prompt{TIMES}shot", *HEADINGS]
    row = [f"P10{TIMES}1S-D-S", "multi_step_precursors", "2,000", "1,000", *["0.500"] * 3]
    assert [*row, "0.47\N{EN DASH}0.53", "n/a", "1.000", "500", "500"] in [line.split() for line in lines]


def fallback(f1: float, rows: int, reason: str = "empty") -> dict[str, Any]:
    """Return the execution of a query whose rows were looked up instead."""
    scores = {"f1": f1, "precision": f1, "recall": 1.0, "row_f1": None, "focus_f1": None}
    found = {"reason": reason, "status": "ok", "row_count": rows, "scores": scores, "passed": f1 == 1.0}
    return {"status": "ok", "fallback": found}


def test_fallbacks_are_apart() -> None:
    records = [
        record(0.0, loop="guarded"),
        record(0.0, loop="guarded", execution=fallback(1.0, 3)),
        record(0.0, loop="guarded", execution=fallback(0.5, 9)),
        record(0.0, loop="guarded", execution=fallback(0.0, 0, "syntax_error")),
    ]
    found = to_builtins(summary_of(records).run_summary())
    assert found["means"]["f1"] == 0.0
    assert (found["passed"], found["failed"]) == (0, 4)
    totals = {
        "cases": 3,
        "with_rows": 2,
        "passed": 1,
        "reasons": {"empty": 2, "syntax_error": 1},
        "means": {"f1": 0.5, "precision": 0.5, "recall": 1.0},
    }
    assert found["fallback"] == {**totals, "by_loop": {"guarded": totals}}
    assert found["by"]["loop"]["guarded"]["fallback"] == totals


def test_each_loop_has_its_own_and_the_closing_lines_tell_them() -> None:
    records = [
        record(loop="guarded", execution=fallback(1.0, 3)),
        record(loop="guarded", execution=fallback(0.5, 9)),
        record(loop="guarded-limit", execution=fallback(0.0, 0)),
        record(loop="cove"),
    ]
    found = to_builtins(summary_of(records).run_summary())
    by_loop = found["fallback"]["by_loop"]
    assert {loop: each["cases"] for loop, each in by_loop.items()} == {"guarded": 2, "guarded-limit": 1}
    assert (by_loop["guarded"]["means"]["f1"], found["fallback"]["means"]["f1"]) == (0.75, 0.5)
    lines = shown(records, 120)
    assert [line for line in lines if line.startswith("fallback")] == [
        "fallback in 2 cases: mean recall 1.000, F1 0.750 of its rows, in no other mean",
        "fallback in 1 case: mean recall 1.000, F1 0.000 of its rows, in no other mean",
    ]
    assert "fallback" not in to_builtins(summary_of(records[-1:]).run_summary())


TOKENS = {"prompt": 100, "completion": 20}


def turn(role: str = "generator", **fields: Any) -> Round:
    values = {"attempts": 1, "finish_reason": "stop", "model": "gpt-x-2025", "system_fingerprint": "fp_1"}
    findings = [{"label": "other", "model": "of a validator"}, values]
    called = {"findings": findings, "tokens": TOKENS, "cost": 0.25, "time_s": 1.5, **fields}
    return Round(role, called.pop("messages_sha256", "h"), "", None, **called)


def case(*rounds: Round, model: str = "m", **fields: Any) -> Record:
    return record_of(model=model, rounds=list(rounds), **fields)


def counts(usage: Usage) -> dict[str, Any]:
    found: dict[str, Any] = to_builtins(usage.counts())
    return found


def test_answers_are_counted_by_the_model_that_gave_them() -> None:
    usage = Usage({"m": "strong"})
    usage.add(case(turn(), turn("corrector", findings=[{"attempts": 2}])))
    usage.add(case(turn(cached=True, cost=None)))
    usage.add(case(turn(tokens=None, cost=None), model="other"))
    found = counts(usage)
    assert (found["asked"], found["from_cache"], found["cost"]) == (3, 1, 0.5)
    assert list(found["by_model"]) == ["m", "other", "strong"]
    assert found["by_model"]["m"] == {
        "asked": 1,
        "from_cache": 1,
        "without_tokens": 0,
        "tokens": TOKENS,
        "tokens_from_cache": TOKENS,
        "cost": 0.25,
        "seconds": 1.5,
        "served": [{"model": "gpt-x-2025", "system_fingerprint": "fp_1", "answers": 2}],
    }
    other = found["by_model"]["other"]
    assert (other["without_tokens"], other["cost"]) == (1, None)
    assert found["by_model"]["strong"]["served"] == []


def test_what_was_made_once_for_the_run_is_in_the_totals_alone() -> None:
    usage = Usage()
    usage.add(case(turn(messages_sha256=None), turn(time_s=0.0)))
    assert counts(usage) == {"cache": None, "asked": 0, "from_cache": 0, "cost": None, "by_model": {}}
    usage.add_once([MadeOnce(tokens=Tokens(**TOKENS), cost=0.5, time_s=1.0)])
    assert counts(usage) == {"cache": None, "asked": 1, "from_cache": 0, "cost": 0.5, "by_model": {}}


@pytest.mark.parametrize("details", [{}, {"system_fingerprint": "b1"}, {"model": "m-1"}, {"model": None}])
def test_servers_may_leave_out_what_they_are(details: dict[str, Any]) -> None:
    usage = Usage()
    usage.add(case(turn(findings=[{"finish_reason": "stop", **details}])))
    (served,) = counts(usage)["by_model"]["m"]["served"] or [{}]
    assert served.get("model") == details.get("model")
    assert served.get("system_fingerprint") == details.get("system_fingerprint")


def test_writers_of_answers_are_counted_by_themselves() -> None:
    usage = Usage({"m": "strong"}, {"m": "writer"})
    written = turn("answer:text"), turn("answer:claims", cached=True, cost=None)
    verification = {"verdict": "VERIFIED", "support": 1.0, "claims": 1, "judge": {"model": "j"}}
    usage.add(case(turn(), *written, turn("answer:judge:faithfulness"), verification=verification))
    found = counts(usage)["by_model"]
    assert list(found) == ["judge:j", "m", "writer"]
    assert (found["writer"]["asked"], found["writer"]["from_cache"]) == (1, 1)


def verified(support: float | None = 1.0, **more: Any) -> dict[str, Any]:
    return {"verdict": "VERIFIED", "support": support, **more}


def answered(verification: dict[str, Any]) -> Record:
    return record(
        rounds=[Round("answer:text", "h", "", None, "written")], answer="It is.", verification=verification
    )


def test_answers_are_counted_beside_the_scores() -> None:
    fault = {"stage": "model", "kind": "timeout", "message": "too long"}
    failed = Round("answer:text", None, "", None, "error", findings=[{"error": fault}])
    insufficient = Round("answer:text", "h", "", None, "insufficient")
    records = [
        answered(verified()),
        record(rounds=[insufficient], answer="Insufficient information."),
        record(rounds=[failed]),
        record(),
    ]
    summary = to_builtins(summary_of(records).run_summary())
    assert summary["means"]["f1"] == 1.0
    assert summary["infrastructure_errors"] == 0
    assert summary["answers"] == {
        **{"cases": 3, "written": 1, "insufficient": 1, "empty": 0, "failed": 1},
        **{"verdicts": {"VERIFIED": 1}, "support": 1.0, "claiming": 1},
        **{"claims": 0, "hallucination_rate": None, "traceable": 0, "provenance_completeness": None},
    }
    assert "answers" not in to_builtins(summary_of([record()]).run_summary())


def test_support_is_the_mean_over_the_answers_that_claim() -> None:
    lines = shown([answered(verified(support)) for support in (1.0, 0.5, None)])
    assert "answers: 3 written; VERIFIED 3; mean support 0.750 (of 2 with claims)" in lines


def claim(verdict: str, **more: Any) -> dict[str, Any]:
    return {"subject": 5, "predicate": "PRODUCES", "object": "CCO", "verdict": verdict, **more}


def test_claims_are_counted_that_the_graph_does_not_hold_and_that_texts_state() -> None:
    claims = [
        claim("SUPPORTED", traced=True),
        claim("UNCERTAIN", traced=False, origin="answer"),
        claim("CONTRADICTED", traced=True),
        # Of a run without evidence.
        claim("UNSUPPORTED"),
        # The question requires it; the answer does not say it.
        claim("UNSUPPORTED", traced=False, origin="question"),
    ]
    found = answered(verified())
    found.claims = convert(claims, list[RecordedClaim])
    answers = to_builtins(summary_of([found, answered(verified())]).run_summary())["answers"]
    assert (answers["claims"], answers["hallucination_rate"]) == (4, 0.5)
    assert (answers["traceable"], answers["provenance_completeness"]) == (3, 2 / 3)
    line = "claims: 4; hallucination rate 0.500; provenance completeness 0.667 (of 3)"
    assert line in shown([found])
    found.claims = convert([claim("SUPPORTED")], list[RecordedClaim])
    line = "claims: 1; hallucination rate 0.000; provenance completeness n/a (of 0)"
    assert line in shown([found])


def test_citations_are_counted_where_they_were_asked_for() -> None:
    found = answered(verified())
    found.citations = Citations(sentences=4, cited=2, citations=3, wrong=["sentence 1, row 9: not given"])
    summary = to_builtins(summary_of([found, found, answered(verified())]).run_summary())["answers"]
    counts = {"answers": 2, "sentences": 8, "cited": 4, "citations": 6, "wrong": 2}
    assert summary["citations"] == counts
    assert "citations: 6 in 4 of 8 sentences, 2 wrong" in shown([found, found])


def test_what_a_judge_measured_is_shown_apart() -> None:
    def judged(score: float | None) -> dict[str, Any]:
        error = None if score is not None else {"kind": "malformed", "message": "no"}
        parts = {"score": score, "parts": 2, "error": error}
        return verified(
            judge={"model": "j", "faithfulness": parts, "answer_relevancy": {**parts, "score": 0.5}}
        )

    records = [answered(judged(score)) for score in (0.5, 1.0, None)]
    assert to_builtins(summary_of(records).run_summary())["answers"]["judge"] == {
        "answer_relevancy": {"mean": 0.5, "count": 3},
        "faithfulness": {"mean": 0.75, "count": 2},
        "without_score": {"faithfulness: malformed": 1},
    }
    assert (
        "answers by the judge: faithfulness 0.750 (of 2), answer relevancy 0.500 (of 3); "
        "no score: faithfulness: malformed 1"
    ) in shown(records, 200)


def keyed(f1: float = 1.0, *, focus: float | None = None, fields: Any = (), **keys: Any) -> Record:
    per_key = {key: score if isinstance(score, dict) else key_score(score) for key, score in keys.items()}
    scores = {"precision": f1, "recall": f1, "f1": f1, "focus_f1": focus, "per_key": per_key or None}
    return record(f1=f1, **{"scores": scores, **dict(fields)})


KEYED = [
    keyed(agents=0.5, solvents=None, reactants=key_score(0.8, 1.0)),
    keyed(agents=0.0, solvents=1.0, reactants=0.4),
    keyed(agents=None, solvents=None, reactants=1.0, fields={"model": "gpt", "task": "best_yield"}),
    keyed(f1=0.25, fields={"task": "intermediates", "setting": "multi_step"}),
    error("graph"),
]


def test_keys_are_averaged_over_the_cases_in_which_they_are_defined() -> None:
    summary = to_builtins(summary_of(KEYED).run_summary())
    # In the order of the scores, without keys that no case has.
    assert list(summary["per_key"]) == ["reactants", "agents", "solvents"]
    assert summary["per_key"]["agents"] == {"precision": 0.25, "recall": 0.25, "f1": 0.25, "cases": 2}
    assert summary["per_key"]["solvents"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "cases": 1}
    reactants = summary["per_key"]["reactants"]
    assert reactants == {
        "precision": pytest.approx(0.8),
        "recall": pytest.approx(2.2 / 3),
        "f1": pytest.approx(2.2 / 3),
        "cases": 3,
    }
    assert summary["by"]["setting"]["multi_step"]["per_key"] == {}
    assert summary["by"]["task"]["best_yield"]["per_key"] == {"reactants": summary["per_key"]["solvents"]}


def test_the_table_has_the_keys_of_each_model() -> None:
    rows = [line.split() for line in shown(KEYED)]
    assert ["key", "cases", "P", "R", "F1"] in rows
    assert ["agents", "2", "0.250", "0.250", "0.250"] in rows
    assert ["reactants", "1", "1.000", "1.000", "1.000"] in rows
    assert ["reactants", "2", "0.700", "0.600", "0.600"] in rows
    assert not any(row[:1] == ["key"] for row in map(str.split, shown(KEYED[3:])))


def test_the_table_tells_focus_f1_the_share_that_ran_and_the_interval_of_the_report() -> None:
    scores = [1.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.5]
    records = [
        keyed(f1, focus=f1 / 2, fields={"question_id": f"q{n}", "execution": {"status": status}})
        for n, (f1, status) in enumerate(zip(scores, ["ok"] * 5 + ["timeout", "ok"], strict=True))
    ]
    # Two questions of one molecule are one cluster.
    clusters = {"q0": "C", "q1": "C"}
    (mean,) = slice_means(ScoreTable(records, clusters))
    assert mean.mean.clusters == 6
    text = printed(render_table(summary_of([*records, error("graph")]), clusters=clusters), 100)
    ends = f"{mean.mean.low:.2f}\N{EN DASH}{mean.mean.high:.2f}"
    row = ["8", "7", *["0.571"] * 3, ends, "0.286", "0.857", "3", "4"]
    assert ["precursors", *row] in [line.split()[-11:] for line in text.splitlines()]
    assert ["all", *row] in [line.split() for line in text.splitlines()]
    few = printed(render_table(summary_of(records[:3])), 100).splitlines()
    assert ["all", "3", "3", *["0.500"] * 3, "n/a", "0.250", "1.000", "1", "2"] in [
        line.split() for line in few
    ]


def test_slices_of_a_suite_have_intervals() -> None:
    records = [
        record(
            setting="table",
            task="t",
            question_id=f"q{number}",
            slices={"length": "short" if number < 8 else "long"},
            scores={"ex": float(number % 2), "f1": 1.0},
        )
        for number in range(10)
    ]
    lines = printed(render_table(summary_of(records), headline="ex"), 100).splitlines()
    place = next(number for number, line in enumerate(lines) if line.split()[:1] == ["length"])
    rows = {line.split()[0]: line.split()[1:] for line in lines[place + 1 :] if line.split()[:1]}
    assert rows["short"][:3] == ["8", "8", "0.500"]
    low, high = map(float, rows["short"][3].split("\N{EN DASH}"))
    assert 0 <= low < 0.5 < high <= 1
    # Two clusters are too few.
    assert rows["long"][:4] == ["2", "2", "0.500", "n/a"]
