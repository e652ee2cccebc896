"""The options of the suite: declared to pytest, and read back as one object."""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

import pytest

from kg.errors import InputError
from kg.questions import PHRASINGS
from kg.secrets import without_password

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
        shard: Which part of the run to run, as ``i/n``; None for all of it.
    """

    prompt: tuple[str, ...]
    shot: tuple[str, ...]
    model: tuple[str, ...]
    task: tuple[str, ...]
    phrasing: tuple[str, ...]
    loop: tuple[str, ...]
    validator: str | None
    loop_model: str | None
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
    shard: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the options for the manifest, a password in the graph's URI blotted out."""
        return {**asdict(self), "graph": without_password(self.graph)}


@dataclass(frozen=True, slots=True)
class _Declared:
    name: str
    help: str
    metavar: str
    default: str | None
    many: bool = False
    flag: bool = False
    once: bool = False


_DECLARED = (
    _Declared("prompt", "prompts to run: P1 to P10, or all", "NAME,...", "P5,P10", many=True),
    _Declared("shot", "shots to run: ZS, 1S-S, 1S-D-R, 1S-D-S, or all", "NAME,...", "1S-D-S", many=True),
    _Declared(
        "model",
        "oracle, exemplar, mutant[:OPERATOR,...], file:PATH, gguf:PATH, local, or the name of a model "
        "behind an OpenAI-compatible API; LABEL=SPEC names it in ids and tables (repeatable)",
        "SPEC",
        None,
        many=True,
    ),
    _Declared("task", "tasks to run (default: all)", "NAME,...", None, many=True),
    _Declared(
        "phrasing",
        f"wordings of each question: 1 to {PHRASINGS}, or all",
        "N,...",
        "1",
        many=True,
    ),
    _Declared(
        "loop",
        "what happens after the first answer: none, cove, review, guarded, guarded-limit, or a loop of yours",
        "NAME,...",
        "none",
        many=True,
    ),
    _Declared(
        "validator", "what judges queries in loops: schema (default), checklist, or both", "NAME", None
    ),
    _Declared(
        "loop-model",
        "model that plays the other roles of loops (default: the model itself; for one that reads no "
        "messages, the default model)",
        "SPEC",
        None,
        once=True,
    ),
    _Declared("ledger", "show what the loops repaired and broke, and at what cost", "", None, flag=True),
    _Declared("sample", "questions in total, stratified by task and step count", "N", None),
    _Declared("seed", "seed of the sample and of random exemplars", "N", "0"),
    _Declared(
        "graph",
        "where Neo4j runs: auto, docker, local, or a bolt/neo4j URI; none with --replay",
        "WHERE",
        "auto",
    ),
    _Declared(
        "replay",
        "runs whose rows and answers are taken again, with --graph none",
        "DIR,...",
        None,
        many=True,
    ),
    _Declared("questions", "folder of a question set of your own", "DIR", None),
    _Declared("prompt-dir", "folder of prompts that replace the shipped ones", "DIR", None),
    _Declared("run-dir", "folder to write the run to (default: a new one under reports)", "DIR", None),
    _Declared("query-timeout", "seconds a generated query may take", "S", "30"),
    _Declared("case-threshold", "F1 under which a case fails", "F", "1.0"),
    _Declared("concurrency", "model calls in flight, over all workers together", "N", "8"),
    _Declared(
        "cache",
        "file that answers of models are kept in, or none (default: answers.sqlite in the cache folder)",
        "FILE",
        None,
    ),
    _Declared(
        "fresh", "start anew where a run that was cut short could be gone on with", "", None, flag=True
    ),
    _Declared(
        "offline",
        "refuse all connections to other machines; answers come from the cache",
        "",
        None,
        flag=True,
    ),
    _Declared(
        "gate",
        'rule that decides the exit status, such as "f1 by task>=0.4" or "no-regression f1 margin=0.02" '
        "(repeatable)",
        "RULE",
        None,
        many=True,
    ),
    _Declared("baseline", "what no-regression is measured against: its name, or a folder", "NAME|DIR", None),
    _Declared("gate-allow-inconclusive", "let no-regression hold where nothing shows", "", None, flag=True),
    _Declared("gate-partial", "let the gate judge a sampled or cut run", "", None, flag=True),
    _Declared("shard", "run one part of the run: 2/5 is the second of five", "I/N", None),
    _Declared("key-encoder", "match leftover keys by an encoder at a cosine threshold", "NAME@T", None),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare the options, each also as a setting of the same name in ``pyproject.toml``."""
    group = parser.getgroup("retrocypher", "RetroCypher benchmark")
    for option in _DECLARED:
        shown = "" if option.default is None else f" (default: {option.default})"
        setting = option.name.replace("-", "_")
        if option.flag:
            group.addoption(
                f"--{option.name}",
                dest=_dest(option.name),
                action="store_true",
                default=None,
                help=option.help,
            )
            parser.addini(setting, option.help, type="bool", default=False)
            continue
        group.addoption(
            f"--{option.name}",
            dest=_dest(option.name),
            action=_Once if option.once else "append" if option.many else "store",
            metavar=option.metavar,
            help=option.help + shown,
        )
        if option.many:
            # A rule has spaces in it, so that a text is one rule, and a list several.
            kind: Literal["args", "linelist"] = "linelist" if option.name == "gate" else "args"
            parser.addini(setting, option.help, type=kind, default=None)
        else:
            parser.addini(setting, option.help, type="string", default=None)


class _Once(argparse.Action):
    """Stores a value, and refuses a second one: it would replace the first without a word."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest)
        if before is not None:
            raise argparse.ArgumentError(self, f"given twice ({before}, {values}); one plays all the roles")
        setattr(namespace, self.dest, values)


def read_options(config: pytest.Config) -> Options:
    """Read the options: command line first, then ``pyproject.toml``, then the default.

    Raises:
        InputError: If a number is not one, or out of its range.
    """
    given = {option.name: _value(config, option) for option in _DECLARED}
    return Options(
        prompt=_split(given["prompt"]),
        shot=_split(given["shot"]),
        model=tuple(given["model"] or ()),
        task=_split(given["task"]),
        phrasing=_split(given["phrasing"]),
        loop=_split(given["loop"]),
        validator=given["validator"],
        loop_model=given["loop-model"],
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
        shard=given["shard"],
    )


def _dest(name: str) -> str:
    return "retrocypher_" + name.replace("-", "_")


def _value(config: pytest.Config, option: _Declared) -> Any:
    given = config.getoption(_dest(option.name))
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
