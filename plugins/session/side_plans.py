"""The parts of a plan beside the cases: loops, written answers and the judge."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from msgspec import UNSET, structs

from retrocypher.kg.errors import InputError
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.judge.criteria import Criteria, judge_spec, load_criteria
from retrocypher.plugins.runs.manifest import AnsweringEntry, GuidelinesEntry, LoopsEntry, ModelEntry
from retrocypher.plugins.session.options import DEFAULT_VALIDATOR, Options
from retrocypher.prompts.loops.guarded import Guarded
from retrocypher.prompts.loops.guidelines import Guidelines, read_guidelines
from retrocypher.prompts.loops.interface import Loop, ValidatorName
from retrocypher.prompts.loops.proposal import text_hashes
from retrocypher.prompts.loops.registry import FORMER_NAMES, loops_by_name
from retrocypher.prompts.loops.self_review import SelfReview
from retrocypher.prompts.models.open import text_model
from retrocypher.prompts.models.spec import DEFAULT_MODEL, TEXT_KINDS, ModelSpec

if TYPE_CHECKING:
    from retrocypher.plugins.runs.written_answer import Thresholds
    from retrocypher.prompts.answering.writing import Limits


def reader_for(
    spec: ModelSpec, asked: str, cannot: str, option: str, environment: Mapping[str, str]
) -> ModelSpec:
    """Return a model itself if it reads messages, else the default model; raise InputError without its key.

    Args:
        asked: What needs one that reads, for the message, such as ``--loop cove``.
        cannot: What it cannot do, such as ``correct itself``.
    """
    if spec.kind in TEXT_KINDS:
        return spec
    if not environment.get("OPENAI_API_KEY"):
        raise InputError(
            f"{asked} --model {spec.label}: {spec.kind} reads no messages and cannot {cannot}. "
            f"Name a model that does with {option}, or set OPENAI_API_KEY for the default ({DEFAULT_MODEL})."
        )
    return ModelSpec(DEFAULT_MODEL, "openai", DEFAULT_MODEL)


def _model_name(spec: ModelSpec) -> str:
    """Return the label of a model, and what is behind it where the label does not say."""
    what = spec.argument if spec.kind == "openai" else spec.kind
    if spec.kind == "gguf":
        what = f"gguf:{Path(spec.argument).name}"
    return spec.label if spec.label == what else f"{spec.label} ({what})"


def _entries(models: Mapping[str, ModelSpec]) -> dict[str, ModelEntry]:
    return {label: _entry(spec) for label, spec in models.items()}


def _entry(spec: ModelSpec) -> ModelEntry:
    return ModelEntry(spec.label, spec.kind, spec.argument)


_ROWS = "rows"
_HYBRID = "hybrid"
_CONTEXTS: Mapping[str, str] = {
    _ROWS: "rows",
    _HYBRID: "rows and passages found by vectors",
    "hybrid-lexical": "rows and passages found by words (BM25)",
}


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """How answers are written.

    Attributes:
        models: The model that writes them, by the label of the model that wrote the query.
        extractor: The model that lists their claims; None for the one that writes them.
        context: ``rows``, ``hybrid`` (also passages found by vectors) or ``hybrid-lexical`` (found by words).
        encoder: The encoder of ``hybrid``; None with another context.
    """

    models: Mapping[str, ModelSpec]
    limits: "Limits"
    thresholds: "Thresholds"
    context: str = _ROWS
    encoder: str | None = None
    extractor: ModelSpec | None = None

    @property
    def all_models(self) -> tuple[ModelSpec, ...]:
        """All models that are asked."""
        return (*self.models.values(), *([self.extractor] if self.extractor else []))

    def described(self) -> AnsweringEntry:
        """Return the ``answering`` of the manifest."""
        from retrocypher.prompts.answering.writing import text_hashes

        return AnsweringEntry(
            writers=_entries(self.models),
            context=self.context,
            encoder=self.encoder,
            limits=asdict(self.limits),
            thresholds=self.thresholds,
            texts=text_hashes(),
            extractor=_entry(self.extractor) if self.extractor else None,
        )


def answer_plan(
    options: Options, models: Sequence[ModelSpec], fingerprint: str, environment: Mapping[str, str]
) -> AnswerPlan | None:
    """Resolve and check ``--answer`` and its options; None if no answers are written. Raises InputError."""
    if not options.answer:
        return None
    # What answers are made with takes a while to load, and most runs write none.
    from retrocypher.prompts.answering.writing import Limits

    context = options.answer_context
    if context not in _CONTEXTS:
        raise InputError(f"--answer-context {context}: no such context; choose from {', '.join(_CONTEXTS)}")
    given = None
    if options.answer_model is not None:
        given = text_model(options.answer_model, "--answer-model", environment)
    answer_models = {
        spec.label: given or reader_for(spec, "--answer", "write answers", "--answer-model", environment)
        for spec in models
    }
    text, graph = _weights(options.answer_weights)
    limits = Limits(
        rows=options.answer_rows,
        characters=options.answer_budget,
        text_weight=text,
        graph_weight=graph,
    )
    encoder = options.answer_encoder if context == _HYBRID else None
    if context != _ROWS:
        from retrocypher.plugins.scoring.answer_check import require_passages

        require_passages(context, encoder, fingerprint)
    extractor = None
    if options.claims_model is not None:
        extractor = text_model(options.claims_model, "--claims-model", environment)
    thresholds = _thresholds(options.answer_thresholds)
    if options.evidence:
        from retrocypher.plugins.scoring.answer_check import require_evidence

        require_evidence(fingerprint)
        thresholds = structs.replace(thresholds, confidence=options.evidence_confidence)
    return AnswerPlan(answer_models, limits, thresholds, context, encoder, extractor)


def answer_lines(plan: AnswerPlan | None, options: Options) -> Iterator[str]:
    """Yield the line of the terminal's header that says who writes answers, and from what."""
    if plan is not None:
        names = ", ".join(dict.fromkeys(map(_model_name, plan.models.values())))
        by = f" of {plan.encoder}" if plan.encoder else ""
        listed = f"; claims listed by {_model_name(plan.extractor)}" if plan.extractor else ""
        least = plan.thresholds.confidence
        sure = "" if least is UNSET else f"; claims need a confidence of {least:g}"
        yield f"answers written by {names}, from {_CONTEXTS[plan.context]}{by}{listed}{sure}"
        return
    if options.answer_model is not None:
        yield f"note: --answer-model {options.answer_model} has no effect without --answer"
    if options.claims_model is not None:
        yield f"note: --claims-model {options.claims_model} has no effect without --answer"
    if options.evidence:
        yield "note: --evidence has no effect without --answer"
    if options.answer_context != _ROWS:
        yield f"note: --answer-context {options.answer_context} has no effect without --answer"


def _thresholds(text: str) -> "Thresholds":
    from retrocypher.plugins.runs.written_answer import Thresholds

    shares = _shares(text)
    if len(shares) != 2 or shares[0] < shares[1]:
        raise InputError(
            f"--answer-thresholds {text}: not two shares; give those of supported claims from which an "
            "answer is verified, and partially verified, such as 0.9,0.7"
        )
    return Thresholds(shares[0], shares[1])


def _shares(text: str) -> list[float]:
    """Return numbers from 0 to 1; none where one is no such number."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return []
    return numbers if all(0 <= each <= 1 for each in numbers) else []


def _weights(text: str) -> tuple[float, float]:
    weights = _shares(text)
    if len(weights) != 2 or not math.isclose(sum(weights), 1):
        raise InputError(
            f"--answer-weights {text}: not two weights; give those of passages and of rows, which sum to 1, "
            "such as 0.6,0.4"
        )
    return weights[0], weights[1]


_VALIDATORS = get_args(ValidatorName)


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """The loops of a run.

    Attributes:
        loops: The loops by name, in the order asked for.
        models: The model that plays the roles, by the label of the model that wrote the query; may be empty.
        notes: What was asked for and has no effect, or another name by now.
        guidelines: What the generator of self-review reads besides; None without ``--guidelines``.
    """

    loops: Mapping[str, Loop]
    validator: ValidatorName
    models: Mapping[str, ModelSpec]
    notes: tuple[str, ...] = ()
    guidelines: Guidelines | None = None

    @property
    def active(self) -> bool:
        """Whether any loop but ``none`` is run."""
        return any(name != "none" for name in self.loops)

    def described(self) -> LoopsEntry:
        """Return the ``loops`` of the manifest."""
        texts = text_hashes() if self.active else {}
        entry = LoopsEntry(list(self.loops), self.validator, _entries(self.models), texts)
        if self.guidelines is not None:
            source = self.guidelines.source
            entry.guidelines = GuidelinesEntry(
                self.guidelines.path, self.guidelines.sha256, source.run, source.model, source.split
            )
        return entry

    @property
    def needs_model(self) -> bool:
        """Whether a loop of the run asks a model in roles of its own."""
        return any(loop.needs_model for loop in self.loops.values())

    @property
    def validates(self) -> bool:
        """Whether a loop of the run uses a validator; one that does not say may."""
        return _validates(self.loops.values())


def loop_lines(plan: LoopPlan) -> list[str]:
    """Return the lines of the terminal's header that say which loops are run, and with which model."""
    notes = [f"note: {note}" for note in plan.notes]
    if not plan.active:
        return notes
    names = ", ".join(dict.fromkeys(map(_model_name, plan.models.values())))
    played = f", their roles played by {names}" if names else ""
    validator = f", validator {plan.validator}" if plan.validates else ""
    guided = f", guidelines {plan.guidelines.path}" if plan.guidelines else ""
    return [f"loops: {', '.join(plan.loops)}{validator}{played}{guided}", *notes]


def _validates(loops: Iterable[Loop]) -> bool:
    return any(getattr(loop, "validates", True) for loop in loops)


def loop_plan(
    options: Options,
    models: Sequence[ModelSpec],
    registered: Iterable[object],
    environment: Mapping[str, str],
) -> LoopPlan:
    """Resolve and check ``--loop`` and the options that belong to it; raise InputError."""
    known = loops_by_name(registered)
    asked_for = tuple(dict.fromkeys(FORMER_NAMES.get(name, name) for name in options.loop))
    unknown = [name for name in asked_for if name not in known]
    if unknown or not options.loop:
        wrong = unknown[0] if unknown else "names none"
        raise InputError(f"--loop {wrong}: no such loop; choose from {', '.join(known)}")
    named = options.validator or DEFAULT_VALIDATOR
    if named not in _VALIDATORS:
        raise InputError(f"--validator {named}: no such validator; choose from {', '.join(_VALIDATORS)}")
    loops = {name: _configured(known[name], options) for name in asked_for}
    validator = cast(ValidatorName, named)
    given = None
    if options.loop_model is not None:
        given = text_model(options.loop_model, "--loop-model", environment)
    needing = next((loop.name for loop in loops.values() if loop.needs_model), None)
    notes = tuple(_loop_notes(options, loops.values()))
    guidelines = _guidelines(options, loops.values())
    if needing is None:
        return LoopPlan(loops, validator, {}, notes)
    loop_models = {
        spec.label: given
        or reader_for(spec, f"--loop {needing}", "correct itself", "--loop-model", environment)
        for spec in models
    }
    return LoopPlan(loops, validator, loop_models, notes, guidelines)


def _configured(loop: Loop, options: Options) -> Loop:
    return replace(loop, hops=options.fallback_hops) if isinstance(loop, Guarded) else loop


def _guidelines(options: Options, loops: Iterable[Loop]) -> Guidelines | None:
    if options.guidelines is None:
        return None
    if not any(isinstance(loop, SelfReview) for loop in loops):
        raise InputError(
            f"--guidelines {options.guidelines}: no loop of this run reads guidelines; add "
            "--loop self-review, or leave them out"
        )
    return read_guidelines(Path(options.guidelines), "--guidelines")


def _loop_notes(options: Options, loops: Collection[Loop]) -> Iterator[str]:
    for former in FORMER_NAMES.keys() & set(options.loop):
        now = FORMER_NAMES[former]
        yield f"--loop {former} is now called {now}, and asks new prompts; the former name will go"
    if options.validator is not None and not _validates(loops):
        yield f"--validator {options.validator} has no effect: no loop of this run uses a validator"
    if options.loop_model is not None and not any(loop.needs_model for loop in loops):
        yield f"--loop-model {options.loop_model} has no effect: no loop of this run asks a model"
    if options.fallback_hops != Guarded().hops and not any(isinstance(loop, Guarded) for loop in loops):
        yield f"--fallback-hops {options.fallback_hops} has no effect: no loop of this run has a fallback"


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """Who judges the cases of a run, and by which criteria."""

    spec: ModelSpec
    criteria: Criteria


def judge_lines(plan: JudgePlan | None, options: Options) -> list[str]:
    """Return the lines of the terminal's header that say who judges."""
    if plan is not None:
        rows = f", shown up to {counted(plan.criteria.rows, 'row')}" if plan.criteria.rows else ""
        return [f"judge: {plan.spec.label}, criteria {plan.criteria.sha256[:8]}{rows}"]
    if options.judge_rows:
        return [f"note: --judge-rows {options.judge_rows} has no effect: there is no judge"]
    return []


def judge_plan(
    options: Options, environment: Mapping[str, str], *, of_tables: bool = False
) -> JudgePlan | None:
    """Resolve and check ``--judge`` and ``--judge-rows``; None without a judge. Raises InputError."""
    if options.judge is None:
        return None
    return JudgePlan(
        judge_spec(options.judge, environment), load_criteria(options.judge_rows, of_tables=of_tables)
    )
