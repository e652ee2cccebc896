"""The runs that a study needs: what they ask, and what that costs at list prices."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.semantics.schema import default_schema_text
from retrocypher.plugins.runs.record import VARIANTS
from retrocypher.plugins.session.options import options_in
from retrocypher.plugins.session.plan import Plan, resolve
from retrocypher.prompts.models.prices import load_prices
from retrocypher.prompts.models.sides import with_any_key
from retrocypher.prompts.models.spec import TEXT_KINDS, ModelSpec, parse_specs
from retrocypher.prompts.templates.exemplars import SHOTS, choose_exemplar, shot_encoder
from retrocypher.prompts.templates.template import build_messages

_CHARACTERS = 4
"""Characters of a token, about: as the gateway estimates calls before it knows better."""
_NO_SHOT = "ZS"
_OF_STUDY = frozenset(
    ("--model", "--prompt", "--shot", "--loop", "--run-dir", "--shard", "--replay", "--graph", "--cache")
)
"""Options that a study sets itself."""
_WITH_ANALYST = frozenset(("self-review", "self-review-control"))
"""Loops whose schema analyst is asked once a run."""


class PlannedRun(Struct, frozen=True):
    """A run of one model."""

    name: str
    options: str
    """Options of ``pytest benchmarks``."""
    questions: int = 0
    cases: int = 0
    calls: tuple[int, int] = (0, 0)
    """At least and at most; both 0 for a model that reads no messages."""
    tokens: tuple[int, int] = (0, 0)
    """About, prompts and completions together."""
    usd: tuple[float, float] | None = None
    """At list prices; None if no model with a known price is called."""
    unpriced: tuple[str, ...] = ()
    """Models whose price is not known, and whose calls are not in `usd`."""
    left_out: str = ""
    """Why it is not run; empty if it is."""

    @property
    def command(self) -> str:
        """The command that makes it."""
        return f"pytest benchmarks {self.options}"


def plan_runs(
    runs: Mapping[str, str], models: Sequence[str], more: str, environment: Mapping[str, str]
) -> list[PlannedRun]:
    """Return each run of each model; raise InputError if an option does not fit, or a key is missing.

    Args:
        runs: Options of ``pytest benchmarks`` by the name of a run.
        more: Further options, such as ``--sample 20``.
    """
    options_in(more)
    if own := sorted(_OF_STUDY.intersection(word.partition("=")[0] for word in shlex.split(more))):
        raise InputError(f"--options: the study sets {', '.join(own)} itself; leave it out")
    return [
        _planned(
            f"{name}-{spec.label}",
            f"--model {shlex.quote(text)} {_fitting(options, spec)} {more}",
            spec,
            environment,
        )
        for text, spec in zip(models, parse_specs(models, with_any_key(environment)), strict=True)
        for name, options in runs.items()
    ]


def _planned(name: str, options: str, spec: ModelSpec, environment: Mapping[str, str]) -> PlannedRun:
    options = options.strip()
    asked = options_in(options)
    # What is left out needs no key.
    plan = resolve(asked, with_any_key(environment))
    if plan.loops.needs_model and spec.kind not in TEXT_KINDS and asked.loop_model is None:
        why = f"{spec.label} reads no messages; name who plays its roles with --options '--loop-model SPEC'"
        return PlannedRun(name, options, left_out=why)
    if not environment.get("OPENAI_API_KEY"):
        resolve(asked, environment)
    questions, cases, callers = len(plan.questions), plan.case_count(), list(_callers(plan, spec))
    if not cases:
        raise InputError(f"{options}: selects no case")
    if not callers:
        return PlannedRun(name, options, questions, cases)
    tokens = _tokens_of_a_call(plan)
    total = sum(tokens.values())
    least, most = (sum(each.calls[end] for each in callers) for end in (0, 1))
    about = (round(least * total), round(most * total))
    usd, unpriced = _costs(callers, tokens)
    return PlannedRun(name, options, questions, cases, (least, most), about, usd, unpriced)


class _Caller(NamedTuple):
    """A model that is called, and how often at least and at most, in all cases together."""

    model: ModelSpec
    calls: tuple[int, int]


def _callers(plan: Plan, spec: ModelSpec) -> Iterator[_Caller]:
    cases = plan.case_count()
    if spec.kind in TEXT_KINDS:
        yield _Caller(spec, (cases, cases))
    if (player := plan.loops.models.get(spec.label)) is not None:
        loops = plan.loops.loops
        of_loop, once = cases // len(loops), int(not _WITH_ANALYST.isdisjoint(loops))
        # Of the roles in a case, at least and at most; the validator by rules asks no model.
        of_roles = {"cove": (0, 3) if plan.loops.validator == "schema" else (1, 6), "self-review": (2, 7)}
        calls = [of_roles.get(loop, (0, 0)) for loop in loops]
        least, most = (once + of_loop * sum(each[end] for each in calls) for end in (0, 1))
        yield _Caller(player, (least, most))
    if plan.judge is not None:
        yield _Caller(plan.judge.spec, (len(VARIANTS) * cases, len(VARIANTS) * cases))


def _costs(
    callers: Sequence[_Caller], tokens: Mapping[str, float]
) -> tuple[tuple[float, float] | None, tuple[str, ...]]:
    """Return what the calls cost, each at the price of its model, and the models without a known price."""
    paid = [(each, load_prices().of(each.model.argument)) for each in callers if each.model.kind == "openai"]
    costs = [(each.calls, price.cost(tokens)) for each, price in paid if price is not None]
    unpriced = dict.fromkeys(each.model.label for each, price in paid if price is None)
    least, most = (sum(calls[end] * cost for calls, cost in costs) for end in (0, 1))
    return (least, most) if costs else None, tuple(unpriced)


def _fitting(options: str, spec: ModelSpec) -> str:
    """Return options without what a model cannot do: `exemplar` needs an exemplar."""
    if spec.kind != "exemplar":
        return options
    shots = ",".join(shot for shot in SHOTS if shot != _NO_SHOT)
    return options.replace("--shot all", f"--shot {shots}").replace(f"--shot {_NO_SHOT},", "--shot ")


def _tokens_of_a_call(plan: Plan) -> dict[str, float]:
    """Return about how many tokens the first call of a case takes: its prompt, and a completion like gold."""
    schema, encoder = default_schema_text(), shot_encoder()
    prompt = completion = distinct = 0
    for setting in get_args(Setting):
        # Loops and repeats ask the same first.
        first_calls = {(each.question.text, each.prompt, each.shot): each for each in plan.cases(setting)}
        distinct += len(first_calls)
        for case in first_calls.values():
            asked = case.question
            exemplar = choose_exemplar(case.shot, asked, plan.banks[setting], plan.options.seed, encoder)
            messages = build_messages(plan.prompts[case.prompt], schema, asked.text, exemplar, plan.addendum)
            prompt += sum(len(message["content"]) for message in messages)
            completion += len(asked.reference_cypher)
    characters = distinct * _CHARACTERS
    return {"prompt": prompt / characters, "completion": completion / characters}
