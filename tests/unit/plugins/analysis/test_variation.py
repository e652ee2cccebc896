"""How outcomes vary over repeats and paraphrases: by definition, and in summaries, gates and tables."""

from itertools import combinations
from pathlib import Path
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from support.compared import manifest_of, question
from support.consoles import printed
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.comparison import compare_runs
from retrocypher.plugins.analysis.gate_decision import RuleStatus, judge_rule
from retrocypher.plugins.analysis.gate_rules import RuleError, parse_rule
from retrocypher.plugins.analysis.run_scores import RunScores, read_scores
from retrocypher.plugins.analysis.scores import ScoreTable
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.analysis.variation import groups_of, slice_figures, variations
from retrocypher.plugins.reporting.run_tables import WIDTH, render_table
from retrocypher.plugins.reporting.text import render_comparison
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Leak, Record

Outcomes = list[list[float]]
"""F1 of each repeat of each question."""
OUTCOMES: Outcomes = [[1, 1, 1], [1, 0, 0], [0, 0.5, 0], [1, 1, 0]]


def records(outcomes: Outcomes, over: str = "repeat") -> list[Record]:
    return [
        record_of(
            f"precursors-{number:03}-r{repeat}",
            question_id=f"precursors-{number:03}",
            scores={"f1": f1, "precision": f1, "recall": f1},
            passed=f1 == 1,
            **{over: repeat},
        )
        for number, repeats in enumerate(outcomes, 1)
        for repeat, f1 in enumerate(repeats, 1)
    ]


def table(outcomes: Outcomes, over: str = "repeat") -> ScoreTable:
    return ScoreTable(records(outcomes, over), {}, ("f1", "passed"))


def scores_of(folder: Path, outcomes: Outcomes) -> RunScores:
    """Write a run and return its scores."""
    questions = [
        question(number, id=f"precursors-{number:03}", task="precursors")
        for number in range(1, len(outcomes) + 1)
    ]
    held = records(outcomes)
    summary = {"selected_cases": len(held), "lost_cases": []}
    write_run(folder, held, questions, manifest_of(cases=len(held)), summary)
    return read_scores(RunLog(folder))


def figure(outcomes: Outcomes, metric: str) -> float | None:
    (found,) = slice_figures(table(outcomes), (), metric)
    return found.mean.value


def test_paraphrases_that_show_other_exemplars_are_one_case() -> None:
    first, second = records([[1.0, 0.0]], "phrasing")
    first.leak, second.leak = Leak(1.0, 1.0, None), None
    groups = groups_of(ScoreTable([second, first], {}, ("f1", "passed")), "phrasing")
    assert (len(groups.table), groups.left_out) == (1, 0)
    assert groups.table.labels("leak") == ["as_is"]


shapes = st.integers(1, 5).flatmap(
    lambda count: st.lists(
        st.lists(st.sampled_from([0, 0.5, 1.0]), min_size=count, max_size=count), min_size=1, max_size=6
    )
)


@pytest.mark.hypothesis
@given(shapes)
def test_figures_are_means_over_all_choices_of_k_repeats(outcomes: Outcomes) -> None:
    count = len(outcomes[0])
    for k in range(1, count + 1):
        choices = [list(combinations([f1 == 1 for f1 in repeats], k)) for repeats in outcomes]
        some = [sum(map(any, chosen)) / len(chosen) for chosen in choices]
        every = [sum(map(all, chosen)) / len(chosen) for chosen in choices]
        assert figure(outcomes, f"pass@{k}") == pytest.approx(sum(some) / len(some))
        assert figure(outcomes, f"pass^{k}") == pytest.approx(sum(every) / len(every))
    if count > 1:
        changing = [len({f1 == 1 for f1 in repeats}) > 1 for repeats in outcomes]
        assert figure(outcomes, "changes") == pytest.approx(sum(changing) / len(changing))
        means = [sum(column) / len(outcomes) for column in zip(*outcomes, strict=True)]
        assert figure(outcomes, "f1_sd") == pytest.approx(stdev(means))


def test_pass_at_one_is_the_share_of_passed_cases() -> None:
    assert figure(OUTCOMES, "pass@1") == figure(OUTCOMES, "pass^1") == pytest.approx(6 / 12)


def test_a_case_without_a_score_in_one_repeat_is_left_out_and_counted() -> None:
    held = records(OUTCOMES)[:-1]
    groups = groups_of(ScoreTable(held, {}, ("f1", "passed")), "repeat")
    assert (len(groups.table), groups.left_out) == (3, 1)
    fault = {"stage": "model", "kind": "timeout", "message": "x"}
    failed = record_of(question_id="precursors-004", repeat=3, scores=None, infrastructure_error=fault)
    groups = groups_of(ScoreTable([*held, failed], {}, ("f1", "passed")), "repeat")
    assert (len(groups.table), groups.left_out) == (3, 1)


def test_repeats_of_a_question_are_one_cluster() -> None:
    (found,) = slice_figures(table(OUTCOMES * 3), (), "pass^3")
    assert (found.mean.n, found.mean.clusters) == (12, 12)


def test_paraphrases_have_the_same_figures() -> None:
    (found,) = variations(table(OUTCOMES, "phrasing"))
    assert (found.over, found.count, found.cases) == ("phrasing", 3, 4)
    assert [each.value for each in found.pass_all] == pytest.approx([6 / 12, (1 + 0 + 0 + 1 / 3) / 4, 1 / 4])


def test_a_run_with_one_of_each_has_no_variation() -> None:
    summary = to_builtins(summary_of(records([[1], [0]])).run_summary())
    assert "variation" not in summary


def test_the_summary_has_them_whatever_the_order_of_the_records() -> None:
    forward = summary_of(records(OUTCOMES)).run_summary()
    assert summary_of(reversed(records(OUTCOMES))).run_summary().variation == forward.variation
    (entry,) = to_builtins(forward)["variation"]
    assert entry["over"] == "repeat"
    assert (entry["count"], entry["cases"], entry["left_out"]) == (3, 4, 0)
    assert entry["pass_at"] == pytest.approx([0.5, (1 + 2 / 3 + 0 + 1) / 4, 3 / 4])
    assert entry["changes"] == 0.5


def test_the_closing_table_shows_them() -> None:
    shown = printed(render_table(summary_of(records(OUTCOMES * 2)), {}), WIDTH)
    line = next(line for line in shown.splitlines() if "3 repeats" in line)
    assert "0.750" in line
    assert "0.250" in line


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("pass@3>=0.75", RuleStatus.HOLDS),
        ("pass@3>=0.76", RuleStatus.FAILS),
        ("pass^3 by task>=0.25", RuleStatus.HOLDS),
        ("changes<=0.5", RuleStatus.HOLDS),
        ("changes<=0.49", RuleStatus.FAILS),
        ("f1_sd<=0.3", RuleStatus.HOLDS),
        ("f1_sd<=0.1", RuleStatus.FAILS),
        ("pass@4>=0.1", RuleStatus.FAILS),
        ("pass@2[phrasing]>=0.1", RuleStatus.FAILS),
    ],
)
def test_rules(tmp_path: Path, rule: str, verdict: RuleStatus) -> None:
    parsed = parse_rule(rule)
    run = scores_of(tmp_path, OUTCOMES)
    result = judge_rule(parsed, run, None, allow_inconclusive=False, partial=False)
    assert str(parse_rule(str(parsed))) == str(parsed)
    assert result.verdict is verdict


def test_a_figure_that_the_run_cannot_have_says_what_to_ask_for() -> None:
    with pytest.raises(
        InputError, match=r"pass@4 needs 4 repeats of each case, and the run has 3; .*--repeat"
    ):
        figure(OUTCOMES, "pass@4")


@pytest.mark.parametrize(
    "rule",
    [
        "changes>=0.5",
        "f1<=0.5",
        "no-regression changes",
        "pass@3 by task,repeat>=0.1",
        "pass@0>=0.1",
        "pass@>=1",
    ],
)
def test_rules_that_make_no_sense_are_refused(rule: str) -> None:
    with pytest.raises(RuleError):
        parse_rule(rule)


def test_a_comparison_pairs_repeats_and_shows_how_both_vary(tmp_path: Path) -> None:
    before = scores_of(tmp_path / "a", OUTCOMES * 2)
    after = scores_of(tmp_path / "b", [[1, 1, 1]] * 8)
    compared = compare_runs(before, after, "pass^3")
    assert compared.metric == "pass^3"
    assert compared.overall.mean_a == pytest.approx(0.25)
    assert compared.overall.mean_b == 1
    found = {each.figure: (each.a, each.b) for each in compared.variation}
    assert found["changes"] == (0.5, 0)
    assert found["f1_sd"][1] == 0
    assert "over repeats, pass^3: 0.250 in A, 1.000 in B, difference +0.750" in printed(
        render_comparison(compared)
    )
