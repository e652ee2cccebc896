"""Loops, written answers and the judge of a session: who does them, and what is refused."""

from typing import Any

import pytest
from msgspec import UNSET
from support.options import options_of

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import graph_fingerprint
from retrocypher.plugins.runs.manifest import ModelEntry
from retrocypher.plugins.session.side_plans import (
    AnswerPlan,
    LoopPlan,
    answer_lines,
    answer_plan,
    judge_lines,
    judge_plan,
    loop_lines,
    loop_plan,
)
from retrocypher.prompts.answering.writing import Limits
from retrocypher.prompts.loops.interface import LoopCase, LoopResult, LoopTools
from retrocypher.prompts.models.spec import DEFAULT_MODEL, parse_specs

KEY = {"OPENAI_API_KEY": "any"}
NO_KEY: dict[str, str] = {}


class Mine:
    """A loop of a user's."""

    name = "mine"
    needs_model = False

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        return LoopResult(case.cypher)


def loops(*models: str, environment: dict[str, str] = NO_KEY, **given: Any) -> LoopPlan:
    return loop_plan(options_of(**given), parse_specs(models, environment), (Mine(),), environment)


def answers(*models: str, environment: dict[str, str] = NO_KEY, **given: Any) -> AnswerPlan | None:
    options = options_of(**{"answer": True, **given})
    return answer_plan(options, parse_specs(models, environment), "", environment)


def test_the_default_is_no_loop_no_answers_and_no_judge() -> None:
    found = loops("oracle")
    assert list(found.loops) == ["none"]
    assert (found.validator, found.models, found.active) == ("checklist", {}, False)
    assert answers("oracle", answer=None) is None
    assert judge_plan(options_of(), KEY) is None
    assert [*loop_lines(found), *answer_lines(None, options_of()), *judge_lines(None, options_of())] == []


def test_a_model_that_reads_plays_its_own_roles() -> None:
    found = loops("gpt-x", "oracle", environment=KEY, loop=["none,cove"])
    named = {"gpt-x": "gpt-x", "oracle": DEFAULT_MODEL}
    assert {label: spec.argument for label, spec in found.models.items()} == named
    (line,) = loop_lines(found)
    assert line == f"loops: none, cove, validator checklist, their roles played by gpt-x, {DEFAULT_MODEL}"

    written = answers("gpt-x", "oracle", environment=KEY)
    assert written is not None
    assert {label: spec.argument for label, spec in written.models.items()} == named
    assert written.limits == Limits()
    assert [*answer_lines(written, options_of())] == [f"answers written by gpt-x, {DEFAULT_MODEL}, from rows"]


def test_a_model_can_be_named_for_all() -> None:
    found = loops("gpt-x", "mutant", environment=KEY, loop=["cove"], loop_model="strong=gpt-y")
    assert {spec.label for spec in found.models.values()} == {"strong"}
    assert found.described().players["mutant"].argument == "gpt-y"
    given = {"answer_weights": "0.3,0.7", "answer_rows": "5", "answer_budget": "900"}
    written = answers("mutant", environment=KEY, answer_model="strong=gpt-y", **given)
    assert written is not None
    seen = written.described()
    assert seen.writers["mutant"] == ModelEntry("strong", "openai", "gpt-y")
    limits = {"rows": 5, "characters": 900, "passages": 3, "text_weight": 0.3, "graph_weight": 0.7}
    assert seen.limits == limits
    assert (seen.context, seen.encoder) == ("rows", None)
    assert set(seen.texts) == {"answer", "hybrid", "claims", "fallback", "passages", "insufficient"}


def test_a_loop_that_asks_nobody_needs_no_model() -> None:
    found = loops("mutant", loop=["guarded", "guarded-limit"])
    assert (found.models, found.active) == ({}, True)
    assert list(loops("oracle", loop=["mine"]).loops) == ["mine"]


@pytest.mark.parametrize(
    ("models", "environment", "given", "said"),
    [
        (
            ["oracle"],
            {},
            {"loop": ["coev"]},
            "--loop coev: no such loop; choose from none, cove, self-review, self-review-control",
        ),
        (["oracle"], {}, {"validator": "x"}, "--validator x: no such validator; choose from checklist"),
        (["oracle"], {}, {"loop": ["self-review"]}, "oracle reads no messages .* --loop-model"),
        (["gpt-x", "mutant"], {}, {"loop": ["cove"]}, "mutant reads no messages"),
        (["oracle"], KEY, {"loop": ["cove"], "loop_model": "mutant"}, "--loop-model mutant: mutant reads no"),
        (["oracle"], KEY, {"loop_model": "file:/nowhere"}, "--loop-model file:/nowhere: file reads"),
        (
            ["oracle"],
            {},
            {"loop_model": "gpt-x"},
            "--loop-model gpt-x: .* OPENAI_API_KEY is not set.*: gguf:PATH, local",
        ),
    ],
)
def test_loops_that_cannot_be_run(
    models: list[str], environment: dict[str, str], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        loops(*models, environment=environment, **given)


@pytest.mark.parametrize(
    ("model", "given", "said"),
    [
        ("oracle", {}, "--answer --model oracle: oracle reads no messages and cannot write answers"),
        ("oracle", {"answer_model": "mutant"}, "--answer-model mutant: mutant reads no messages"),
        ("oracle", {"answer_model": "oracel"}, "--answer-model oracel: no model 'oracel'; did you mean"),
        ("local", {"answer_context": "all"}, "--answer-context all: no such context"),
        ("local", {"answer_weights": "1"}, "--answer-weights 1: not two weights"),
        ("local", {"answer_weights": "0.5,0.6"}, "--answer-weights 0.5,0.6"),
        ("local", {"answer_weights": "nan,0.6"}, "--answer-weights nan,0.6"),
        ("local", {"answer_weights": "-0.5,1.5"}, "--answer-weights -0.5,1.5"),
        ("local", {"answer_rows": "0"}, "--answer-rows 0: out of range"),
        ("local", {"answer_budget": "many"}, "--answer-budget many: not a whole number"),
    ],
)
def test_answers_that_cannot_be_written(model: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        answers(model, **given)


def test_lines_name_what_a_label_hides_and_no_validator_where_none_is_used() -> None:
    (line,) = loop_lines(loops("mutant", environment=KEY, loop=["cove"], loop_model="corrector=gpt-4.1"))
    assert line == "loops: cove, validator checklist, their roles played by corrector (gpt-4.1)"
    (line,) = loop_lines(loops("mine=local", loop=["self-review"]))
    assert line == "loops: self-review, their roles played by mine (local)"
    assert loop_lines(loops("mutant", loop=["guarded,none"])) == ["loops: guarded, none"]
    # A user's own loop may use one.
    assert loop_lines(loops("mutant", loop=["mine"], validator="both")) == ["loops: mine, validator both"]


def test_confidences_are_for_the_default_graph() -> None:
    with pytest.raises(InputError, match="--evidence: confidences come with the default graph alone"):
        answers("local", evidence=True)
    options = options_of(answer=True, evidence=True, evidence_confidence="0.6")
    found = answer_plan(options, parse_specs(["local"], NO_KEY), graph_fingerprint(), NO_KEY)
    assert found is not None
    assert found.described().thresholds.confidence == 0.6
    (line,) = answer_lines(found, options)
    assert line.endswith("; claims need a confidence of 0.6")
    assert [*answer_lines(None, options)] == ["note: --evidence has no effect without --answer"]
    plain = answers("local")
    assert plain is not None
    assert plain.described().thresholds.confidence is UNSET


def test_options_without_effect_are_noted() -> None:
    given = {"validator": "schema", "loop_model": "gpt-x"}
    notes = [
        "note: --validator schema has no effect: no loop of this run uses a validator",
        "note: --loop-model gpt-x has no effect: no loop of this run asks a model",
    ]
    assert loop_lines(loops("oracle", environment=KEY, **given)) == notes
    guarded = loops("oracle", environment=KEY, loop=["guarded"], **given)
    assert loop_lines(guarded) == ["loops: guarded", *notes]
    former = loops("mine=local", loop=["review,self-review"])
    assert list(former.loops) == ["self-review"]
    assert loop_lines(former)[1:] == [
        "note: --loop review is now called self-review, and asks new prompts; the former name will go"
    ]
    review = loops("oracle", environment=KEY, loop=["self-review"], **given)
    assert loop_lines(review) == ["loops: self-review, their roles played by gpt-x", notes[0]]
    assert len(loop_lines(loops("oracle", environment=KEY, loop=["cove"], **given))) == 1
    for name, value in (("answer_model", "gpt-x"), ("answer_context", "hybrid")):
        noted = f"note: --{name.replace('_', '-')} {value} has no effect without --answer"
        assert [*answer_lines(None, options_of(**{name: value}))] == [noted]
    noted = "note: --fallback-hops 4 has no effect: no loop of this run has a fallback"
    assert noted in loop_lines(loops("oracle", loop=["mine"], fallback_hops="4"))
    assert len(loop_lines(loops("oracle", loop=["guarded-limit"], fallback_hops="4"))) == 1
    noted = "note: --judge-rows 3 has no effect: there is no judge"
    assert judge_lines(None, options_of(judge_rows="3")) == [noted]


def test_a_judge_is_named_with_what_it_judges_by() -> None:
    options = options_of(judge="strict=gpt-x", judge_rows="3")
    plan = judge_plan(options, KEY)
    assert plan is not None
    (line,) = judge_lines(plan, options)
    assert line == f"judge: strict, criteria {plan.criteria.sha256[:8]}, shown up to 3 rows"
    with pytest.raises(InputError, match="--judge oracle: oracle reads no messages"):
        judge_plan(options_of(judge="oracle"), KEY)
    for rows in ("-1", "x", "1.5"):
        with pytest.raises(InputError, match="--judge-rows"):
            options_of(judge_rows=rows)
