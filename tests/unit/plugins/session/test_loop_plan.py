"""Loops, validators and the models that play roles: what is resolved, and what is refused."""

from typing import Any

import pytest
from support.options import FakeConfig

from retrocypher.kg.errors import InputError
from retrocypher.plugins.session.options import read_options
from retrocypher.plugins.session.side_plans import LoopPlan, loop_lines, loop_plan
from retrocypher.prompts.loops.interface import LoopCase, LoopResult, LoopTools
from retrocypher.prompts.models.spec import DEFAULT_MODEL, parse_specs

KEY = {"OPENAI_API_KEY": "any"}


def plan(
    *models: str, environment: dict[str, str] | None = None, registered: tuple[object, ...] = (), **given: Any
) -> LoopPlan:
    environment = environment or {}
    options = read_options(FakeConfig(given))  # type: ignore[arg-type]
    return loop_plan(options, parse_specs(models, environment), registered, environment)


def test_the_default_is_no_loop_and_no_player() -> None:
    found = plan("oracle")
    assert list(found.loops) == ["none"]
    assert (found.validator, found.players, found.active) == ("schema", {}, False)
    assert loop_lines(found) == []


def test_a_model_that_reads_plays_its_own_roles() -> None:
    found = plan("gpt-x", "oracle", environment=KEY, loop=["none,cove"])
    assert {label: spec.argument for label, spec in found.players.items()} == {
        "gpt-x": "gpt-x",
        "oracle": DEFAULT_MODEL,
    }
    (line,) = loop_lines(found)
    assert line == f"loops: none, cove, validator schema, their roles played by gpt-x, {DEFAULT_MODEL}"


def test_a_model_can_be_named_for_all() -> None:
    found = plan("gpt-x", "mutant", environment=KEY, loop=["cove"], loop_model="strong=gpt-y")
    assert {spec.label for spec in found.players.values()} == {"strong"}
    assert found.described().players["mutant"].argument == "gpt-y"


def test_a_loop_that_asks_nobody_needs_no_model() -> None:
    found = plan("mutant", loop=["guarded", "guarded-limit"])
    assert found.players == {}
    assert found.active


@pytest.mark.parametrize(
    ("models", "environment", "given", "said"),
    [
        (["oracle"], {}, {"loop": ["coev"]}, "--loop coev: no such loop; choose from none, cove, review"),
        (["oracle"], {}, {"loop": [","]}, "--loop names none"),
        (
            ["oracle"],
            {},
            {"validator": "x"},
            "--validator x: no such validator; choose from checklist",
        ),
        (["oracle"], {}, {"loop": ["review"]}, "oracle reads no messages .* --loop-model"),
        (["gpt-x", "mutant"], {}, {"loop": ["cove"]}, "mutant reads no messages"),
        (["oracle"], KEY, {"loop": ["cove"], "loop_model": "mutant"}, "--loop-model mutant: mutant reads no"),
        (["oracle"], KEY, {"loop_model": "file:/nowhere"}, "--loop-model file:/nowhere: file reads"),
        (
            ["oracle"],
            {},
            {"loop_model": "gpt-x"},
            "--loop-model gpt-x: .* OPENAI_API_KEY is not set.*: gguf:PATH, local",
        ),
        (["oracle"], {}, {"loop_model": "gguf:/nowhere.gguf"}, "/nowhere.gguf"),
    ],
)
def test_what_cannot_be_run_is_refused(
    models: list[str], environment: dict[str, str], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        plan(*models, environment=environment, **given)


def test_a_label_that_hides_its_model_is_explained() -> None:
    (line,) = loop_lines(plan("mutant", environment=KEY, loop=["cove"], loop_model="corrector=gpt-4.1"))
    assert line == "loops: cove, validator schema, their roles played by corrector (gpt-4.1)"
    (line,) = loop_lines(plan("mine=local", loop=["review"]))
    assert line == "loops: review, their roles played by mine (local)"


def test_no_validator_is_named_where_none_is_used() -> None:
    assert loop_lines(plan("mutant", loop=["guarded,none"])) == ["loops: guarded, none"]
    # A loop of a user's may use one.
    mine = plan("mutant", registered=(Mine(),), loop=["mine"], validator="both")
    assert loop_lines(mine) == ["loops: mine, validator both"]


def test_what_has_no_effect_is_noted() -> None:
    given = {"validator": "schema", "loop_model": "gpt-x"}
    notes = [
        "note: --validator schema has no effect: no loop of this run uses a validator",
        "note: --loop-model gpt-x has no effect: no loop of this run asks a model",
    ]
    assert loop_lines(plan("oracle", environment=KEY, **given)) == notes
    guarded = plan("oracle", environment=KEY, loop=["guarded"], **given)
    assert loop_lines(guarded) == ["loops: guarded", *notes]
    review = plan("oracle", environment=KEY, loop=["review"], **given)
    assert loop_lines(review) == ["loops: review, their roles played by gpt-x", notes[0]]
    assert len(loop_lines(plan("oracle", environment=KEY, loop=["cove"], **given))) == 1


class Mine:
    """A loop of a user's."""

    name = "mine"
    needs_model = False

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        return LoopResult(case.cypher)


def test_a_loop_of_a_users_own_is_known() -> None:
    assert list(plan("oracle", registered=(Mine(),), loop=["mine"]).loops) == ["mine"]
