"""Rules: what they mean, and where one goes wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.suite import CHECKOUT

from retrocypher.plugins.analysis.gate_rules import NonInferiority, Rule, RuleError, Threshold, parse_rule
from retrocypher.plugins.analysis.scores import COMPARABLE_METRICS, DIMENSIONS

PAGE = CHECKOUT / "docs" / "compare-and-gate.md"

metrics = st.sampled_from(COMPARABLE_METRICS)
numbers = st.floats(0, 1)
slices = st.lists(st.sampled_from(DIMENSIONS), unique=True, max_size=4).map(tuple)
rules = st.one_of(
    st.builds(Threshold, metrics, numbers, slices), st.builds(NonInferiority, metrics, numbers, slices)
)
parts = ("f1", "f2", "no-regression", "by", "task", ",", ">=", "=", "0.6", "1e9", "-1", "margin", " ", "%")
near_rules = st.lists(st.sampled_from(parts), max_size=9).map("".join)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("f1>=0.60", Threshold("f1", 0.6)),
        ("  f1  by task , steps >= .4 ", Threshold("f1", 0.4, ("task", "steps"))),
        ("status.ok>=1", Threshold("status.ok", 1.0)),
        ("passed by model>=5e-1", Threshold("passed", 0.5, ("model",))),
        ("no-regression f1", NonInferiority("f1", 0.02)),
        ("no-regression f1 margin=0.02 by task", NonInferiority("f1", 0.02, ("task",))),
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
        ("no-regression f1>=0.6", 16, "expected margin=NUMBER or by, not >="),
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
