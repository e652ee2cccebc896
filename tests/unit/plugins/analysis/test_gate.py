"""Rules of a gate: what they mean, where one goes wrong, and what becomes of a run."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compared import case, question, run_of, scores_of, whole_run
from support.manifests import manifest_of
from support.records import key_score
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.lookup import evidence_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.analysis.gate import gate_of
from retrocypher.plugins.analysis.gate_decision import GateResult, GateVerdict, RuleStatus
from retrocypher.plugins.analysis.gate_rules import NonInferiority, Rule, RuleError, Threshold, parse_rule
from retrocypher.plugins.analysis.gold_confidence import gold_confidences
from retrocypher.plugins.analysis.run_scores import RunScores
from retrocypher.plugins.analysis.scores import COMPARABLE_METRICS, DIMENSIONS, LEAK_KINDS
from retrocypher.plugins.reporting.text import gate_lines
from retrocypher.plugins.runs.record import Leak
from retrocypher.plugins.session.gate import require_pairs

HALF = [1.0] * 20 + [0.0] * 20


def side(folder: Path, scores: Sequence[float | None], **keywords: Any) -> RunScores:
    return scores_of(run_of(folder, scores, **keywords))


def judge(run: RunScores, *rules: str, baseline: Path | None = None, **keywords: Any) -> GateResult:
    named = None if baseline is None else str(baseline)
    return gate_of(rules, named, Path("/nowhere"), **keywords).judge(run)


def said(result: GateResult) -> str:
    return "\n".join(gate_lines(result))


@pytest.mark.parametrize(
    ("scores", "rule", "found"),
    [
        (HALF, "f1>=0.5", RuleStatus.HOLDS),
        (HALF, "f1>=0.500001", RuleStatus.FAILS),
        (HALF, "passed>=0.5", RuleStatus.HOLDS),
        (HALF, "passed>=0.51", RuleStatus.FAILS),
        (HALF, "status.ok>=1", RuleStatus.HOLDS),
        # The mean of these is 0.09999999999999999.
        ([0.1] * 3 + [0.3] + [0.0] * 2, "f1>=0.1", RuleStatus.HOLDS),
        ([], "f1>=0", RuleStatus.FAILS),
        # Shown with the digits that tell it from the threshold.
        ([0.5999] * 20, "f1>=0.6", RuleStatus.FAILS),
    ],
)
def test_a_mean_at_its_threshold_holds(
    tmp_path: Path, scores: list[float], rule: str, found: RuleStatus
) -> None:
    result = judge(side(tmp_path / "r", scores), rule)
    assert result.rules[0].verdict is found
    assert result.exit_status == (found is not RuleStatus.HOLDS)
    assert (f"of {len(scores)} cases" if scores else "there is no case") in said(result)
    assert ("0.5999 [" in said(result)) == (0.5999 in scores)


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("leak<=0.75", RuleStatus.HOLDS),
        ("leak<=0.7", RuleStatus.FAILS),
        ("leak by task<=0.7", RuleStatus.FAILS),
        ("f1 where leak=none>=0.2", RuleStatus.HOLDS),
        ("f1 where leak=none>=0.21", RuleStatus.FAILS),
        ("f1 where leak=one_edit>=1", RuleStatus.HOLDS),
        ("f1 by leak>=0.2", RuleStatus.HOLDS),
    ],
)
def test_a_gate_refuses_cases_that_leak_or_leaves_them_out(
    tmp_path: Path, rule: str, found: RuleStatus
) -> None:
    leaks = [Leak(1.0, 1.0, None), Leak(0.0, 1.0, "swap_ends"), Leak(0.5, 1.0, "swap_ends"), None]
    asked = [question(number) for number in range(40)]
    records = [
        case(each, 0.2 if number % 4 == 3 else 1.0, leak=leaks[number % 4])
        for number, each in enumerate(asked)
    ]
    run = whole_run(tmp_path / "r", records, asked, manifest_of(cases=40))
    assert judge(scores_of(run), rule).rules[0].verdict is found


def test_a_gate_about_leaks_fails_where_they_are_not_known(tmp_path: Path) -> None:
    result = judge(side(tmp_path / "r", HALF), "leak<=1", "f1 where leak=none>=0")
    assert [each.verdict for each in result.rules] == [RuleStatus.FAILS] * 2
    assert "leak is defined for none of its cases" in said(result)
    assert "no case of it has leak=none" in said(result)


def leaking(folder: Path, scores: Sequence[float], leaks: Sequence[Leak | None]) -> Path:
    asked = [question(number) for number in range(len(scores))]
    records = [case(*each, leak=leak) for *each, leak in zip(asked, scores, leaks, strict=True)]
    return whole_run(folder, records, asked, manifest_of(cases=len(records)))


def test_no_regression_compares_the_cases_without_a_leak_in_both_runs(tmp_path: Path) -> None:
    leaks = [Leak(1.0, 1.0, None) if number % 2 else None for number in range(200)]
    # All that is lost, half of it, is lost where the exemplar has the answer.
    before = leaking(tmp_path / "before", [1.0] * 200, leaks)
    after = scores_of(leaking(tmp_path / "after", [1.0, 0.0] * 100, leaks))
    rules = (
        "no-regression f1 margin=0.1",
        "no-regression f1 where leak=none margin=0.1",
        "no-regression f1 where leak=as_is margin=0.1",
    )
    result = judge(after, *rules, baseline=before)
    assert [each.rule for each in result.rules] == list(rules)
    verdicts = [RuleStatus.REGRESSED, RuleStatus.HOLDS, RuleStatus.REGRESSED]
    assert [each.verdict for each in result.rules] == verdicts
    assert [each.slices[0].pairs.difference.n for each in result.rules] == [200, 100, 100]  # type: ignore[union-attr]

    # A case with another exemplar in one of the runs has no partner.
    other = leaking(tmp_path / "other", [1.0] * 200, [None, *leaks[:-1]])
    result = judge(after, rules[1], baseline=other)
    assert result.rules[0].verdict is RuleStatus.FAILS
    assert "no partner" in said(result)


def test_a_baseline_without_leaks_is_refused_before_the_run(tmp_path: Path) -> None:
    before, run = run_of(tmp_path / "before", HALF), side(tmp_path / "r", HALF)
    gate = gate_of(["no-regression f1 where leak=none"], str(before), Path("/nowhere"))
    with pytest.raises(InputError, match=r"no case of it has leak=none.*save a baseline of it again"):
        require_pairs(gate, run)


def about_the_default_graph(folder: Path, scores: Sequence[float]) -> Path:
    """Write a run whose cases with score 0 are the questions of the least sure gold."""
    shipped = load_questions()
    graph = evidence_of(shipped.fingerprint)
    assert graph is not None
    known = gold_confidences(shipped.questions, graph)
    ordered = sorted(shipped.questions, key=lambda each: known[each.id].least)
    asked = [*ordered[:60], *ordered[-60:]]
    assert known[ordered[59].id].least < 0.7 <= known[ordered[-60].id].least
    manifest = manifest_of(cases=120, graph={"fingerprint": shipped.fingerprint})
    records = [case(each, f1) for each, f1 in zip(asked, scores, strict=True)]
    return whole_run(folder, records, asked, manifest)


def test_a_rule_may_be_about_questions_with_sure_gold(tmp_path: Path) -> None:
    before = about_the_default_graph(tmp_path / "before", [1.0] * 120)
    after = about_the_default_graph(tmp_path / "after", [0.0] * 60 + [1.0] * 60)
    rules = {
        "f1[confidence>=0.7]>=1": (RuleStatus.HOLDS, 60),
        "f1>=0.51": (RuleStatus.FAILS, 120),
        "no-regression f1[confidence>=0.7] margin=0.2": (RuleStatus.HOLDS, 60),
        "no-regression f1 margin=0.2": (RuleStatus.REGRESSED, 120),
    }
    result = judge(scores_of(after), *rules, baseline=before)
    assert [(each.verdict, each.slices[0].estimate.n) for each in result.rules] == [*rules.values()]  # type: ignore[union-attr]
    assert [each.rule for each in result.rules] == [*rules]


def test_no_confidence_is_known_of_another_graph(tmp_path: Path) -> None:
    result = judge(side(tmp_path / "r", HALF), "f1[confidence>=0.7]>=0.5")
    assert result.rules[0].verdict is RuleStatus.FAILS
    assert "only the default graph has evidence" in said(result)


def test_one_case_is_called_one(tmp_path: Path) -> None:
    before, run = run_of(tmp_path / "before", [1.0]), side(tmp_path / "r", [1.0])
    result = judge(run, "f1>=0.5", "f1 by task>=0.5", "no-regression f1", baseline=before)
    text = said(result)
    assert "[no interval] of 1 case\n" in text
    assert "1 of 1 slice holds" in text
    assert "of 1 pair, 0 won" in text


def test_each_slice_is_to_hold(tmp_path: Path) -> None:
    run = side(tmp_path / "r", [1.0, 0.2] * 10)
    result = judge(run, "f1>=0.5", "f1 by task>=0.5")
    assert [rule.verdict for rule in result.rules] == [RuleStatus.HOLDS, RuleStatus.FAILS]
    assert {each.slice["task"]: each.verdict for each in result.rules[1].slices} == {
        "precursors": RuleStatus.HOLDS,
        "conditions": RuleStatus.FAILS,
    }
    assert result.verdict is GateVerdict.FAILS
    text = said(result)
    assert "gate: FAILS (1 of 2 rules not met)" in text
    assert "fails        conditions: 0.200 [" in text


def test_what_is_defined_nowhere_fails_closed(tmp_path: Path) -> None:
    run = side(tmp_path / "r", HALF)
    result = judge(run, "exact_path_f1>=0", "exact_path_f1 by task>=0")
    assert [rule.verdict for rule in result.rules] == [RuleStatus.FAILS, RuleStatus.FAILS]
    assert "exact_path_f1 is defined for none of its cases" in said(result)
    before = run_of(tmp_path / "b", HALF)
    result = judge(run, "no-regression exact_path_f1", baseline=before)
    assert result.rules[0].verdict is RuleStatus.FAILS
    assert "no pair has exact_path_f1 on both sides (pairs: 40)" in said(result)


def keyed_run(folder: Path, agents: Sequence[float | None]) -> Path:
    """Write a run with a mean of 0.5 in all scores but those of agents."""
    asked = [question(number) for number in range(len(agents))]
    pairs = zip(asked, agents, strict=True)
    records = [case(each, 0.5, per_key={"agents": key_score(f1)}) for each, f1 in pairs]
    return whole_run(folder, records, asked, manifest_of(cases=len(records)))


def test_a_key_is_judged_over_the_cases_that_have_it(tmp_path: Path) -> None:
    before = keyed_run(tmp_path / "before", [1.0, 1.0, None] * 10)
    run = scores_of(keyed_run(tmp_path / "now", [1.0, 0.0, None] * 10))
    result = judge(
        run, "f1[agents]>=0.5", "recall[agents] by task>=0.6", "no-regression f1 margin=0.2", baseline=before
    )
    assert [each.verdict.value for each in result.rules] == ["holds", "fails", "holds"]
    assert "f1[agents]>=0.5: 0.500 [" in said(result)
    assert "of 20 cases" in said(result)
    result = judge(run, "no-regression f1[agents]", "f1[solvents]>=0", baseline=before)
    assert [each.verdict.value for each in result.rules] == ["regressed", "fails"]
    assert "f1[solvents] is defined for none of its cases" in said(result)


def test_a_baseline_without_the_score_is_refused_before_the_run(tmp_path: Path) -> None:
    before, run = run_of(tmp_path / "before", HALF), side(tmp_path / "now", HALF)
    gate = gate_of(["no-regression f1"], str(before), Path("/nowhere"))
    require_pairs(gate, run)
    gate = gate_of(["no-regression f1[agents]"], str(before), Path("/nowhere"))
    with pytest.raises(InputError, match=r"no case of it has f1\[agents\]. .*baseline save"):
        require_pairs(gate, run)


@pytest.mark.parametrize(
    ("now", "found", "status"),
    [
        (HALF, RuleStatus.HOLDS, 0),
        ([1.0] * 40, RuleStatus.HOLDS, 0),
        ([0.0] * 40, RuleStatus.REGRESSED, 1),
        ([*HALF[:18], 0.0, 0.0, 1.0, 1.0, *HALF[22:]], RuleStatus.INCONCLUSIVE, 1),
    ],
)
def test_against_a_baseline(tmp_path: Path, now: list[float], found: RuleStatus, status: int) -> None:
    before = run_of(tmp_path / "before", HALF)
    run, rule = side(tmp_path / "now", now), "no-regression f1 margin=0.1"
    result = judge(run, rule, baseline=before)
    assert result.rules[0].verdict is found
    assert result.exit_status == status
    allowed = judge(run, rule, baseline=before, allow_inconclusive=True)
    assert allowed.exit_status == (found is RuleStatus.REGRESSED)
    if found is RuleStatus.INCONCLUSIVE:
        assert "inconclusive no-regression f1 margin=0.1 against" in said(result)
        assert "which is allowed" in said(allowed)
        changed = [line.strip() for line in said(result).splitlines() if "before" in line]
        # Losses come first.
        assert "1.000 before, 0.000 now" in changed[-4]
        assert result.rules[0].changed == 4


def test_a_slice_without_a_partner_fails_closed(tmp_path: Path) -> None:
    asked = [question(number) for number in range(0, 20, 2)]
    before = run_of(tmp_path / "before", [1.0] * 10, questions=asked)
    now = side(tmp_path / "now", [1.0] * 20)
    result = judge(now, "no-regression f1 margin=0.4 by task", baseline=before, partial=True)
    assert {each.slice["task"]: each.verdict for each in result.rules[0].slices} == {
        "precursors": RuleStatus.HOLDS,
        "conditions": RuleStatus.FAILS,
    }
    assert "conditions: no case of it has a partner with a score in the baseline" in said(result)
    assert "10 cases of this run have no partner in the baseline" in said(result)


@pytest.mark.parametrize(
    ("ran", "kept", "message"),
    [
        (range(19), range(20), "1 case of the baseline has no partner in this run"),
        (
            range(1, 20),
            range(18),
            "1 case of the baseline has no partner in this run and 2 cases of this run have no partner in",
        ),
    ],
)
def test_a_run_of_other_questions_is_no_judge_of_a_baseline(
    tmp_path: Path, ran: range, kept: range, message: str
) -> None:
    before = run_of(tmp_path / "before", [1.0] * len(kept), questions=[question(each) for each in kept])
    now = side(tmp_path / "now", [1.0] * len(ran), questions=[question(each) for each in ran])
    result = judge(now, "no-regression f1", baseline=before)
    assert (result.verdict, result.exit_status) == (GateVerdict.FAILS, 1)
    assert message in said(result)
    assert "With --gate-partial" in said(result)
    common = judge(now, "no-regression f1", baseline=before, partial=True)
    assert message in said(common)


@pytest.mark.parametrize("pairs", [1, 2, 4, 5, 7, 20])
def test_a_few_equal_pairs_never_hold_without_a_word(tmp_path: Path, pairs: int) -> None:
    before = run_of(tmp_path / "before", [1.0] * pairs)
    result = judge(side(tmp_path / "now", [1.0] * pairs), "no-regression f1", baseline=before)
    assert (result.holds, result.rules[0].verdict) == (False, RuleStatus.INCONCLUSIVE)
    smallest = f"{1 - 0.025 ** (1 / pairs):.2g}"
    shown = f"{pairs} (effective) clusters of questions can show no margin below {smallest}"
    assert (shown in said(result)) == (pairs >= 5)
    assert ("too few clusters of questions for an interval" in said(result)) == (pairs < 5)
    wide = judge(side(tmp_path / "now", [1.0] * pairs), "no-regression f1 margin=0.6", baseline=before)
    assert wide.holds == (pairs >= 5)


def test_what_a_gate_does_not_judge(tmp_path: Path) -> None:
    broken = side(tmp_path / "broken", [None, *HALF[1:]])
    for partial in (False, True):
        result = judge(broken, "f1>=0", partial=partial)
        assert (result.verdict, result.exit_status) == (GateVerdict.REFUSED, 16)
        assert "REFUSED: the run is incomplete: 1 with an infrastructure error" in said(result)
    sampled = side(tmp_path / "sampled", HALF, manifest={"options": {"sample": 40}})
    cut = side(tmp_path / "cut", HALF, manifest={"cases": 50})
    shard = side(tmp_path / "shard", HALF, manifest={"shard": {"number": 2, "of": 3}})
    for run, why in (
        (sampled, "a sample of 40 questions"),
        (cut, "40 of 50 planned cases"),
        (shard, "shard 2/3"),
    ):
        result = judge(run, "f1>=0")
        assert (result.verdict, result.exit_status) == (GateVerdict.REFUSED, 1)
        assert f"the run is partial: {why}; --gate-partial" in said(result)
        allowed = judge(run, "f1>=0", partial=True)
        assert allowed.holds
        assert f"note: judged on a partial run: {why}" in said(allowed)


def test_a_baseline_of_something_else_fails_closed(tmp_path: Path) -> None:
    before = run_of(tmp_path / "before", HALF, manifest={"graph": {"fingerprint": "b" * 64}})
    result = judge(side(tmp_path / "now", HALF), "f1>=0", "no-regression f1", baseline=before)
    assert [rule.verdict for rule in result.rules] == [RuleStatus.HOLDS, RuleStatus.FAILS]
    assert "They differ in graph fingerprint" in said(result)
    assert "save a new one with `retrocypher baseline save" in said(result)
    assert result.exit_status == 1


def test_models_that_differ_are_compared_with_each_other_where_that_is_clear(tmp_path: Path) -> None:
    before = run_of(tmp_path / "before", HALF, model="old")
    assert judge(
        side(tmp_path / "now", HALF, model="new"), "no-regression f1 margin=0.1", baseline=before
    ).holds
    by_model = judge(side(tmp_path / "now2", HALF, model="new"), "no-regression f1 by model", baseline=before)
    assert "have no model in common, so there are no slices by it" in said(by_model)
    assert by_model.exit_status == 1
    asked = [question(0), question(2)]
    cases = [case(each, 1.0, model=model) for model in ("first", "second") for each in asked]
    models = [{"label": label, "kind": "oracle", "argument": ""} for label in ("first", "second")]
    two = scores_of(whole_run(tmp_path / "two", cases, asked, manifest_of(models=models)))
    result = judge(two, "no-regression f1", baseline=before)
    assert "so the pairs are ambiguous" in said(result)
    assert result.exit_status == 1
    assert "takes 2 models together; by model separates them" in said(judge(two, "f1>=0"))


def test_rules_that_need_a_baseline_say_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs a baseline; name one with --baseline"):
        gate_of(["no-regression f1"], None, tmp_path)
    with pytest.raises(InputError, match=r"^--baseline main: no such run, and no such .*; save one with"):
        gate_of(["no-regression f1"], "main", tmp_path)
    broken = run_of(tmp_path / "broken", [None, *HALF[1:]])
    with pytest.raises(InputError, match=r"an incomplete run .* is no baseline"):
        gate_of(["no-regression f1"], str(broken), tmp_path)


def test_a_baseline_that_no_rule_needs_is_never_passed_over_in_silence(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        gate_of(["f1>=0.6", "passed>=0.5"], "main", tmp_path)
    assert str(raised.value) == (
        "--baseline main: nothing would be compared with it, because f1>=0.6; passed>=0.5 needs none; "
        'add a rule such as "no-regression f1 margin=0.02", or leave out --baseline'
    )
    # A standing one, of pyproject.toml, is not read and does not have to be there.
    gate = gate_of(["f1>=0.5"], "main", tmp_path, standing=True)
    assert gate.baseline is None
    result = gate.judge(side(tmp_path / "r", HALF))
    assert result.holds
    assert "note: baseline main is not used: there is no no-regression rule" in said(result)


PAGE = CHECKOUT / "docs" / "compare-and-gate.md"

metrics = st.sampled_from(COMPARABLE_METRICS)
numbers = st.floats(0, 1)
slices = st.lists(st.sampled_from(DIMENSIONS), unique=True, max_size=4).map(tuple)
rules = st.one_of(
    st.builds(Threshold, metrics, numbers, slices, st.sampled_from(("", "none", *LEAK_KINDS)), numbers),
    st.builds(NonInferiority, metrics, numbers, slices, confidence=numbers),
)
parts = (
    "f1",
    "f2",
    "leak",
    "where",
    "none",
    "no-regression",
    "by",
    "task",
    ",",
    ">=",
    "=",
    "0.6",
    "1e9",
    "-1",
    "margin",
    "[",
    "confidence",
    "]",
    " ",
    "%",
)
near_rules = st.lists(st.sampled_from(parts), max_size=9).map("".join)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("f1>=0.60", Threshold("f1", 0.6)),
        ("  f1  by task , steps >= .4 ", Threshold("f1", 0.4, ("task", "steps"))),
        ("status.ok>=1", Threshold("status.ok", 1.0)),
        ("passed by model>=5e-1", Threshold("passed", 0.5, ("model",))),
        ("judge.without_reference by task >= 0.5", Threshold("judge.without_reference", 0.5, ("task",))),
        ("no-regression f1", NonInferiority("f1", 0.02)),
        ("no-regression f1 margin=0.02 by task", NonInferiority("f1", 0.02, ("task",))),
        ("f1[agents]>=0.4", Threshold("f1[agents]", 0.4)),
        ("leak by shot <= 0.1", Threshold("leak", 0.1, ("shot",))),
        ("f1 where leak=none by task>=0.7", Threshold("f1", 0.7, ("task",), "none")),
        ("f1 by task where leak=none>=0.7", Threshold("f1", 0.7, ("task",), "none")),
        ("no-regression f1 where leak=none by task", NonInferiority("f1", 0.02, ("task",), "none")),
        ("f1[confidence>=.7] by task >= .4", Threshold("f1", 0.4, ("task",), "", 0.7)),
        ("no-regression f1[agents][confidence>=0.9]", NonInferiority("f1[agents]", 0.02, (), "", 0.9)),
        ("recall[target_yield] by task >= .4", Threshold("recall[target_yield]", 0.4, ("task",))),
        ("no-regression precision[solvents] by task", NonInferiority("precision[solvents]", 0.02, ("task",))),
        ("no-regression recall by task margin = 0", NonInferiority("recall", 0.0, ("task",))),
    ],
)
def test_what_a_rule_means(text: str, meant: Rule) -> None:
    assert parse_rule(text) == meant


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("", 0, "a rule is missing"),
        ("F1>=0.6", 0, "no score is called F1; did you mean f1?"),
        ("no-regresion f1", 0, "did you mean no-regression?"),
        ("0.6", 0, "expected the name of a score, not 0.6"),
        ("f1", 2, "expected >=: write f1>= and a number from 0 to 1"),
        ("f1>0.6", 2, "expected >=, not >"),
        ("f1 by tusk>=0.6", 6, "no slice is called tusk; did you mean task?"),
        ("f1 by >=0.6", 6, "expected the name of a slice, not >="),
        ("f1 by task,task>=0.6", 11, "task is named twice"),
        ("f1>=", 4, "a number is missing; give one from 0 to 1"),
        ("f1>=high", 4, "a number is missing, not high"),
        ("f1>=60", 4, "60 is out of range"),
        ("f1>=0.6%", 7, "'%' cannot be part of a rule"),
        ("f1>=0.6,recall>=0.6", 7, "the rule ends before ,"),
        ("no-regression", 13, "expected the name of a score; choose from"),
        ("no-regression f1 margin 0.1", 24, "expected =, not 0.1"),
        ("no-regression f1 margin=", 24, "a number is missing"),
        ("no-regression f1 margin=0 margin=0", 26, "margin is given twice"),
        ("no-regression f1 by task by task", 25, "by is given twice"),
        ("f1[agent]>=0.6", 0, "no key is called agent; did you mean agents? Otherwise choose from reactants"),
        ("no-regression f1[id]", 14, "no key is called id; choose from reactants, products, agents"),
        ("bleu[agents]>=0.6", 0, "bleu[agents]: only precision, recall and f1 are computed by key"),
        ("f1 by task[agents]>=0.6", 6, "no slice is called task[agents]; did you mean task?"),
        ("f1 [agents]>=0.6", 4, "expected confidence, not agents: f1[confidence>=0.7]"),
        ("f1[confidence>0.7]>=0.6", 13, "expected >=, not >: f1[confidence>=0.7]"),
        ("f1[confidence>=7]>=0.6", 15, "7 is out of range"),
        ("f1[confidence>=0.7>=0.6", 18, "expected ], not >=: f1[confidence>=0.7]"),
        ("f1[]>=0.6", 3, "expected confidence, not ]"),
        ("f2>=0.6", 0, "f1[KEY], pass@K, pass^K, changes, f1_sd, judge"),
        ("no-regression f1>=0.6", 16, "expected margin=NUMBER or by, not >="),
        ("leak>=0.1", 4, "expected <=, not >=: write leak<= and a number from 0 to 1"),
        ("no-regression leak", 14, "no score is called leak"),
        ("f1 where task=precursors>=0.6", 9, "expected leak, not task: where leak=none"),
        ("f1 where leak>=0.6", 13, "expected =, not >=: where leak=none"),
        ("f1 where leak=some>=0.6", 14, "no kind of leak is called some"),
        ("no-regression judge", 14, "a baseline has no scores of a judge"),
    ],
)
def test_where_a_rule_goes_wrong(text: str, position: int, said: str) -> None:
    with pytest.raises(RuleError) as raised:
        parse_rule(text)
    assert raised.value.position == position
    assert said in str(raised.value)
    assert str(raised.value).startswith(f"gate rule, character {position + 1}: ")


def test_the_caret_stands_below_what_is_meant() -> None:
    with pytest.raises(RuleError) as raised:
        parse_rule("f1 by task" + " " * 300 + ">=\x1b")
    _, shown, caret = str(raised.value).splitlines()
    assert shown[caret.index("^")] == "?"
    assert "\x1b" not in str(raised.value)


@given(rules)
def test_a_rule_is_read_back_as_it_was(rule: Rule) -> None:
    assert parse_rule(str(rule)) == rule
    assert str(parse_rule(str(rule))) == str(rule)


@given(st.one_of(st.text(max_size=60), near_rules))
def test_any_text_is_a_rule_or_goes_wrong_within_it(text: str) -> None:
    wrong: RuleError | None = None
    try:
        rule = parse_rule(text)
    except RuleError as error:
        wrong = error
    if wrong is None:
        assert parse_rule(str(rule)) == rule
    else:
        assert 0 <= wrong.position <= len(text)
        assert len(str(wrong).splitlines()) == 3


def test_the_rules_of_the_page_are_rules() -> None:
    shown = re.findall(r'--gate "([^"]+)"', PAGE.read_text(encoding="utf-8"))
    assert len(shown) >= 4
    for text in shown:
        parse_rule(text)
