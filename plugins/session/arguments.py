"""The options of a session, read back as one object."""

import difflib
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS, Setting, setting_of
from retrocypher.kg.secrets import without_password
from retrocypher.plugins.session.options import DECLARED, Declared, dest
from retrocypher.prompts.templates.exemplars import SHOTS, canonical_shot
from retrocypher.prompts.templates.template import Prompt, load_prompts

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


def prompts_named(options: Options) -> dict[str, Prompt]:
    """Return the prompts of a run by name; raises InputError where one does not exist, or none is named."""
    known = load_prompts(Path(options.prompt_dir) if options.prompt_dir else None)
    unknown = [name for name in options.prompt if name not in (*known, "all")]
    if unknown:
        raise InputError(f"--prompt {unknown[0]}: no such prompt; {_choose(unknown[0], known)}, or all")
    if not options.prompt:
        raise InputError(f"--prompt names no prompt; choose from {', '.join(known)}, or all")
    if "all" in options.prompt:
        return known
    return {name: known[name] for name in options.prompt}


def shots_named(options: Options) -> tuple[str, ...]:
    """Return the shots of a run by their canonical names; raises InputError as `prompts_named` does."""
    if not options.shot:
        raise InputError(f"--shot names no shot; choose from {', '.join(SHOTS)}, or all")
    named = dict.fromkeys(canonical_shot(name) for name in options.shot if name != "all")
    return SHOTS if "all" in options.shot else tuple(named)


def tasks_named(options: Options) -> tuple[str, ...]:
    """Return the tasks of a run; raises InputError where one does not exist."""
    unknown = [name for name in options.task if name not in TASKS]
    if unknown:
        raise InputError(f"--task {unknown[0]}: no such task; {_choose(unknown[0], TASKS)}")
    return options.task or TASKS


def _choose(name: str, known: Collection[str]) -> str:
    """Say what there is to choose from, the name that was meant first where one is near."""
    written = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower().replace("-", "_"), written, n=1, cutoff=0.82)
    choice = f"choose from {', '.join(known)}"
    return f"did you mean {written[near[0]]}? Else {choice}" if near else choice


def require_overlap(prompts: Mapping[str, Prompt], tasks: tuple[str, ...], settings: set[Setting]) -> None:
    """Refuse prompts and tasks that have no setting in common; raises InputError."""
    if not any(setting_of(task) in settings for task in tasks):
        raise InputError(
            f"--prompt {','.join(prompts)} and --task {','.join(tasks)} have no case in common: "
            "P1 to P5 go with single-step tasks, P6 to P10 with multi-step tasks"
        )


_CASES = (Path(__file__).parents[2] / "benchmarks").resolve()
_SPEED = _CASES / "speed"
_FILES: dict[Path, Setting] = {
    _CASES / "test_single_step.py": "single_step",
    _CASES / "test_multi_step.py": "multi_step",
}
_NO_RUN = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test")


def named_settings(config: pytest.Config) -> set[Setting]:
    """Return the settings whose cases the arguments of a session reach; none where no case is to be run.

    The speed benchmarks, and the project's own tests, are not cases.
    """
    if any(getattr(config.option, name, None) for name in _NO_RUN):
        return set()
    named = [path for path, _ in named_paths(config)]
    return {setting for file, setting in _FILES.items() if any(file.is_relative_to(path) for path in named)}


def is_unasked_speed(config: pytest.Config, path: Path) -> bool:
    """Tell whether a path belongs to the speed benchmarks, which are collected only when named."""
    named = [each for each, _ in named_paths(config)]
    return path.resolve().is_relative_to(_SPEED) and not any(each.is_relative_to(_SPEED) for each in named)


def is_case(nodeid: str) -> bool:
    """Tell whether a node id is that of a benchmark case, whatever folder it is told from."""
    return any(f"{file.name}::{file.stem}[" in nodeid for file in _FILES)


def named_paths(config: pytest.Config) -> list[tuple[Path, str]]:
    """Return the file or folder of each argument of a session, and the rest of the argument from ``::`` on.

    Modules that ``--pyargs`` names are found as pytest finds them.
    """
    start, found = config.invocation_params.dir, []
    for argument in config.args:
        name, mark, rest = argument.partition("::")
        module = _module_path(name) if config.option.pyargs else None
        found.append(((module or start / name).resolve(), mark + rest))
    return found


def _module_path(name: str) -> Path | None:
    try:
        spec = find_spec(name)
    except (AttributeError, ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
