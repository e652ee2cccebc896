"""The runs that a study needs: what they ask, and what that costs at list prices."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.semantics.schema import default_schema_text
from retrocypher.plugins.reporting.study.paper import StudyRun
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


class PlannedRun(Struct, frozen=True):
    """A run of one model."""

    name: str
    options: str
    """Options of ``pytest benchmarks``."""
    cases: int
    calls: tuple[int, int]
    """At least and at most; both 0 for a model that reads no messages."""
    tokens: tuple[int, int]
    """About, prompts and completions together."""
    usd: tuple[float, float] | None
    """At list prices; None if nothing is called or the price is not known."""
    left_out: str = ""
    """Why it is not run; empty if it is."""

    @property
    def command(self) -> str:
        """The command that makes it."""
        return f"pytest benchmarks {self.options}"


def plan_runs(
    runs: Sequence[StudyRun], models: Sequence[str], more: str, environment: Mapping[str, str] = os.environ
) -> list[PlannedRun]:
    """Return each run of each model; raise InputError if an option does not exist or fit.

    Args:
        more: Further options of ``pytest benchmarks``, such as ``--sample 20``.
    """
    # Nothing is called here, so a plan needs no key.
    keyed = with_any_key(environment)
    specs = zip(models, parse_specs(models, keyed), strict=True)
    return [_planned(run, text, spec, more, keyed) for text, spec in specs for run in runs]


def _planned(
    run: StudyRun, text: str, spec: ModelSpec, more: str, environment: Mapping[str, str]
) -> PlannedRun:
    options = " ".join(filter(None, (f"--model {shlex.quote(text)}", _fitting(run.options, spec), more)))
    name = f"{run.name}-{spec.label}"
    asked = options_in(options)
    if run.asks_in_roles and spec.kind not in TEXT_KINDS and asked.loop_model is None:
        why = f"{spec.label} reads no messages; name who plays its roles with --options '--loop-model SPEC'"
        return PlannedRun(name, options, 0, (0, 0), (0, 0), None, why)
    plan = resolve(asked, environment)
    if not any(plan.cases_for([question]) for question in plan.questions):
        raise InputError(f"{options}: selects no case")
    in_roles = plan.loops.models.get(spec.label)
    caller = spec if spec.kind in TEXT_KINDS else in_roles
    least, most = run.calls if caller is spec else (run.calls[0] - 1, run.calls[1] - 1)
    cases = plan.case_count()
    if caller is None or caller.kind not in TEXT_KINDS:
        return PlannedRun(name, options, cases, (0, 0), (0, 0), None)
    prompt, completion = _tokens(plan)
    price = load_prices().of(caller.argument) if caller.kind == "openai" else None
    once = price.cost({"prompt": prompt, "completion": completion}) if price else 0.0
    return PlannedRun(
        name,
        options,
        cases,
        (least * cases, most * cases),
        (least * (prompt + completion), most * (prompt + completion)),
        (least * once, most * once) if price else None,
    )


def _fitting(options: str, spec: ModelSpec) -> str:
    """Return options without what a model cannot do: `exemplar` needs an exemplar."""
    if spec.kind != "exemplar":
        return options
    shots = ",".join(shot for shot in SHOTS if shot != _NO_SHOT)
    return options.replace("--shot all", f"--shot {shots}").replace(f"--shot {_NO_SHOT},", "--shot ")


def _tokens(plan: Plan) -> tuple[int, int]:
    """Return about how many tokens the first calls of all cases take: prompts, and completions like gold."""
    schema, encoder = default_schema_text(), shot_encoder()
    prompt = completion = distinct = 0
    for question, name, shot in _distinct(plan):
        asked = plan.questions[question]
        exemplar = choose_exemplar(shot, asked, plan.banks[asked.setting], plan.options.seed, encoder)
        messages = build_messages(plan.prompts[name], schema, asked.text, exemplar, plan.addendum)
        prompt += sum(len(message["content"]) for message in messages)
        completion += len(asked.reference_cypher)
        distinct += 1
    times = plan.case_count() / max(1, distinct)
    return round(prompt * times / _CHARACTERS), round(completion * times / _CHARACTERS)


def _distinct(plan: Plan) -> Iterator[tuple[int, str, str]]:
    """Yield place of the question, prompt and shot, once for all loops, repeats and paraphrases."""
    for setting in get_args(Setting):
        names = [name for name, prompt in plan.prompts.items() if prompt.setting == setting]
        for place, question in enumerate(plan.questions):
            if question.setting == setting:
                yield from ((place, name, shot) for name in names for shot in plan.shots)
