"""The options of a session, read back as one object."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import pytest

from kg.errors import InputError
from kg.secrets import without_password
from plugins.session._declared import DECLARED, Declared, dest

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for, as typed; lists split at commas, nothing resolved yet.

    Attributes:
        prompt: Prompt names, or ``all``.
        shot: Shot names, or ``all``.
        model: Model specifications; empty for the default model.
        task: Task names; empty for all.
        phrasing: Numbers of wordings, or ``all``.
        loop: Names of loops.
        validator: Which validator the loops use: ``checklist``, ``schema`` or ``both``; None where it was not
            named, which is ``schema``.
        loop_model: Specification of the model that plays the other roles of loops; None for the model itself.
        judge: Specification of the model that judges queries; None for no judge.
        judge_rows: Most rows of a result that the judge is shown.
        ledger: Whether the closing lines show what the loops repaired and broke.
        sample: Number of questions to draw; None for all.
        seed: Seed of the sample, of 1S-D-R and of the models that take one.
        graph: ``auto``, ``docker``, ``local``, a URI, or ``none``.
        replay: Folders of the runs that rows and answers come from, with the graph ``none``.
        questions: Folder of a question set; None for the shipped one.
        prompt_dir: Folder of prompts that replace the shipped ones.
        run_dir: Folder the run is written to; None for a new one under ``reports``.
        query_timeout: Seconds a query may take.
        case_threshold: F1 under which a case fails, 0 to 1.
        concurrency: Model calls in flight, over all workers together.
        key_encoder: ``NAME@THRESHOLD``; None for no encoder in key matching.
        cache: File that answers are kept in, or ``none``; None for the one in the cache folder.
        fresh: Whether to start anew where a run could be gone on with.
        offline: Whether nothing but this machine is to be reached, and every answer is to be kept already.
        gate: Rules that decide the exit status.
        baseline: Name or folder of what rules against regressions measure against.
        gate_allow_inconclusive: Whether such a rule holds where nothing can be told.
        gate_partial: Whether rules judge a part of the planned cases.
        gate_judge_kappa: What the lower end of kappa of a judge's calibration must be at least, -1 to 1.
        shard: Which part of the run to run, as ``i/n``; None for all of it.
        answer: Whether answers are written from rows.
        answer_model: Specification of the model that writes them; None for the model itself.
        answer_context: ``rows``, ``hybrid`` or ``hybrid-lexical``.
        answer_encoder: Encoder that passages are found by with ``hybrid``.
        answer_weights: Weights of passages and of rows in a hybrid context, as ``T,G``.
        answer_rows: Rows that an answer is written from, at most.
        answer_budget: Characters of rows and passages together, at most.
        answer_thresholds: Shares of supported claims from which an answer is verified, and partially.
    """

    prompt: tuple[str, ...]
    shot: tuple[str, ...]
    model: tuple[str, ...]
    task: tuple[str, ...]
    phrasing: tuple[str, ...]
    loop: tuple[str, ...]
    validator: str | None
    loop_model: str | None
    judge: str | None
    judge_rows: int
    ledger: bool
    sample: int | None
    seed: int
    graph: str
    replay: tuple[str, ...]
    questions: str | None
    prompt_dir: str | None
    run_dir: str | None
    query_timeout: float
    case_threshold: float
    concurrency: int
    key_encoder: str | None
    cache: str | None
    fresh: bool
    offline: bool
    gate: tuple[str, ...]
    baseline: str | None
    gate_allow_inconclusive: bool
    gate_partial: bool
    gate_judge_kappa: float
    shard: str | None
    answer: bool
    answer_model: str | None
    answer_context: str
    answer_encoder: str
    answer_weights: str
    answer_rows: int
    answer_budget: int
    answer_thresholds: str

    def to_json(self) -> dict[str, Any]:
        """Return the options for the manifest, a password in the graph's URI blotted out."""
        return {**asdict(self), "graph": without_password(self.graph)}


def read_options(config: pytest.Config) -> Options:
    """Read the options: command line first, then ``pyproject.toml``, then the default.

    Raises:
        InputError: If a number is not one, or out of its range.
    """
    given = {option.name: _value(config, option) for option in DECLARED}
    return Options(
        prompt=_split(given["prompt"]),
        shot=_split(given["shot"]),
        model=tuple(given["model"] or ()),
        task=_split(given["task"]),
        phrasing=_split(given["phrasing"]),
        loop=_split(given["loop"]),
        validator=given["validator"],
        loop_model=given["loop-model"],
        judge=given["judge"],
        judge_rows=_required("judge-rows", given["judge-rows"], int, 0),
        ledger=bool(given["ledger"]),
        sample=_number("sample", given["sample"], int, 1),
        seed=_required("seed", given["seed"], int, 0),
        graph=given["graph"],
        replay=_split(given["replay"]),
        questions=given["questions"],
        prompt_dir=given["prompt-dir"],
        run_dir=given["run-dir"],
        query_timeout=_required("query-timeout", given["query-timeout"], float, 0.1),
        case_threshold=_required("case-threshold", given["case-threshold"], float, 0.0, 1.0),
        concurrency=_required("concurrency", given["concurrency"], int, 1),
        key_encoder=given["key-encoder"],
        cache=given["cache"],
        fresh=bool(given["fresh"]),
        offline=bool(given["offline"]),
        gate=tuple(given["gate"] or ()),
        baseline=given["baseline"],
        gate_allow_inconclusive=bool(given["gate-allow-inconclusive"]),
        gate_partial=bool(given["gate-partial"]),
        gate_judge_kappa=_required("gate-judge-kappa", given["gate-judge-kappa"], float, -1.0, 1.0),
        shard=given["shard"],
        answer=bool(given["answer"]),
        answer_model=given["answer-model"],
        answer_context=given["answer-context"],
        answer_encoder=given["answer-encoder"],
        answer_weights=given["answer-weights"],
        answer_rows=_required("answer-rows", given["answer-rows"], int, 1),
        answer_budget=_required("answer-budget", given["answer-budget"], int, 100),
        answer_thresholds=given["answer-thresholds"],
    )


def _value(config: pytest.Config, option: Declared) -> Any:
    given = config.getoption(dest(option.name))
    if given is None:
        given = config.getini(option.name.replace("-", "_")) or None
    if given is None and option.default is not None:
        given = [option.default] if option.many else option.default
    return given


def _split(values: list[str] | None) -> tuple[str, ...]:
    parts = (part.strip() for value in values or () for part in value.split(","))
    return tuple(dict.fromkeys(part for part in parts if part))


def _required(name: str, text: str, kind: Callable[[str], N], low: float, high: float | None = None) -> N:
    number = _number(name, text, kind, low, high)
    if number is None:
        raise InputError(f"--{name} needs a value")
    return number


def _number(
    name: str, text: str | None, kind: Callable[[str], N], low: float, high: float | None = None
) -> N | None:
    if text is None:
        return None
    limits = f"of at least {low:g}" if high is None else f"from {low:g} to {high:g}"
    wanted = "a whole number" if kind is int else "a number"
    try:
        number = kind(text)
    except ValueError:
        raise InputError(f"--{name} {text}: not {wanted}; give one {limits}") from None
    if not math.isfinite(number) or number < low or (high is not None and number > high):
        raise InputError(f"--{name} {text}: out of range; give a number {limits}")
    return number
