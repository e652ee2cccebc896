"""The options of the suite, each declared once with type, parser, default and help."""

import argparse
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import PARAPHRASE_COUNT, Setting
from retrocypher.kg.secrets import without_password
from retrocypher.plugins.runs.record import JUDGE_KAPPA, MORE_METRICS, JsonValue

if TYPE_CHECKING:
    # Commands declare some of these options too, and start without pytest.
    import pytest

Given = Any
"""The value that pytest has for an option: a text, a list of texts, true, or None if it was not given."""
DEFAULT_VALIDATOR = "checklist"
_SPEC = "spec"


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """How an option is declared to pytest, and read back."""

    help: str
    metavar: str
    default: str | None
    parse: Callable[[str, Given], Any]
    """Returns the value of an option from its name and what was given; raises InputError."""
    action: Literal["store", "append", "store_true", "once"]


def _option(
    help: str,
    metavar: str = "",
    default: str | None = None,
    parse: Callable[[str, Given], Any] | None = None,
    action: Literal["store", "append", "store_true", "once"] = "store",
) -> Any:
    parse = parse or (lambda _, given: given)
    return field(metadata={_SPEC: OptionSpec(help, metavar, default, parse, action)})


def _names(help: str, metavar: str, default: str | None = None) -> Any:
    """Declare an option whose values are split at commas; an option that is given again adds to them."""

    def parse(_: str, given: Given) -> tuple[str, ...]:
        parts = (part.strip() for value in given or () for part in value.split(","))
        return tuple(dict.fromkeys(part for part in parts if part))

    return _option(help, metavar, default, parse, "append")


def _texts(help: str, metavar: str) -> Any:
    """Declare an option that can be given several times."""
    return _option(help, metavar, None, lambda _, given: tuple(given or ()), "append")


def _choice(help: str, names: tuple[str, ...], default: str) -> Any:
    """Declare an option that is one of some names."""

    def parse(name: str, given: Given) -> str:
        if given not in names:
            raise InputError(f"--{name} {given}: choose {' or '.join(names)}")
        return str(given)

    return _option(help, "|".join(names), default, parse)


def _flag(help: str) -> Any:
    return _option(help, "", None, lambda _, given: bool(given), "store_true")


def _number(
    help: str,
    metavar: str,
    default: str | None,
    kind: Callable[[str], float],
    low: float,
    high: float | None = None,
) -> Any:
    """Declare an option that is a number in a range; without a default it may be None."""

    def parse(name: str, given: Given) -> float | None:
        if given is None:
            return None
        limits = f"of at least {low:g}" if high is None else f"from {low:g} to {high:g}"
        wanted = "a whole number" if kind is int else "a number"
        try:
            number = kind(given)
        except ValueError:
            raise InputError(f"--{name} {given}: not {wanted}; give one {limits}") from None
        if not math.isfinite(number) or number < low or (high is not None and number > high):
            raise InputError(f"--{name} {given}: out of range; give a number {limits}")
        return number

    return _option(help, metavar, default, parse)


@dataclass(frozen=True, slots=True)
class Options:
    """The options as given; lists are split at commas, nothing else is resolved yet."""

    suite: str | None = _option(
        "suite to run: a shipped one (reactions, flights), or a folder with suite.yaml", "NAME|DIR"
    )
    prompt: tuple[str, ...] = _names("prompts to run: P1 to P10, or all", "NAME,...", "P5,P10")
    shot: tuple[str, ...] = _names("shots to run: ZS, 1S-S, 1S-D-R, 1S-D-S, or all", "NAME,...", "1S-D-S")
    model: tuple[str, ...] = _texts(
        "oracle, exemplar, mutant[:OPERATOR,...], file:PATH, gguf:PATH, local, or the name of a model "
        "behind an OpenAI-compatible API; LABEL=SPEC names it in ids and tables (repeatable)",
        "SPEC",
    )
    task: tuple[str, ...] = _names("tasks to run (default: all)", "NAME,...")
    phrasing: tuple[str, ...] = _names(
        f"paraphrases of each question: 1 to {PARAPHRASE_COUNT}, or all", "N,...", "1"
    )
    repeat: int = _number("times to ask each case, to measure how its outcome varies", "N", "1", int, 1, 1000)
    metrics: tuple[str, ...] = _names(
        f"more scores to measure on the graph: {', '.join(MORE_METRICS)} (CypherBench)", "NAME,..."
    )
    cypherbench_compat: bool = _flag("measure ex and psjs as CypherBench's published evaluator does")
    loop: tuple[str, ...] = _names(
        "what happens after the first completion: none, cove, self-review, self-review-control, guarded, "
        "guarded-limit, or a loop of your own",
        "NAME,...",
        "none",
    )
    validator: str | None = _option(
        "validator of queries in loops: checklist (a model), schema (rules), or both "
        f"(default: {DEFAULT_VALIDATOR})",
        "NAME",
    )
    loop_model: str | None = _option(
        "model that plays the other roles of loops (default: the model itself; for one that reads no "
        "messages, the default model)",
        "SPEC",
        action="once",
    )
    fallback_hops: int = _number(
        "how many relationships away from the molecules of the question the fallback of guarded reaches",
        "K",
        "2",
        int,
        2,
        6,
    )
    guidelines: str | None = _option(
        "guidelines for the generator of self-review, a file of retrocypher guidelines build", "FILE"
    )
    judge: str | None = _option(
        "model that judges each query, with and without the reference: gguf:PATH, local, or one behind an "
        "OpenAI-compatible API (RETROCYPHER_JUDGE_BASE_URL, else OPENAI_BASE_URL)",
        "MODEL",
    )
    judge_rows: int = _number("maximum number of result rows shown to the judge", "N", "0", int, 0)
    ledger: bool = _flag("show what the loops repaired and broke, and at what cost")
    sample: int | None = _number(
        "number of questions in total, stratified by task and step count", "N", None, int, 1
    )
    seed: int = _number(
        "seed of the sample, of random exemplars and of models that take one", "N", "0", int, 0
    )
    split: str | None = _option(
        "ask only questions of one part of a split by target molecule, such as test:0.5:0: the part (train, "
        "test), the share of targets for training, and a seed",
        "PART:SHARE[:SEED]",
    )
    graph: str = _option(
        "where Neo4j runs: auto, docker, local, or a bolt/neo4j URI; or DIR, the folder of a graph to load; "
        "none with --replay",
        "WHERE|DIR",
        "auto",
    )
    replay: tuple[str, ...] = _names(
        "runs whose rows and completions are used again, with --graph none", "DIR,..."
    )
    questions: str | None = _option(
        "questions: set-2 (default), set-1 or random, or the folder of a set of your own", "SET|DIR"
    )
    prompt_set: str = _option(
        "prompts with the information of the paper's (paper), or with more help (guided)", "NAME", "paper"
    )
    prompt_dir: str | None = _option("folder of prompts that replace those of the set", "DIR")
    exemplar_dir: str | None = _option(
        "folder of exemplar banks, single_step.yaml and multi_step.yaml, that replace the shipped ones", "DIR"
    )
    static_exemplar: tuple[str, ...] = _names(
        "ids of the exemplars of 1S-S, at most one of each bank (default: product-identification, "
        "multi-step-product-discovery)",
        "ID,...",
    )
    run_dir: str | None = _option("folder to write the run to (default: a new one under reports)", "DIR")
    query_timeout: float = _number("seconds that a generated query may take", "S", "30", float, 0.1)
    case_threshold: float = _number("F1 below which a case fails", "F", "1.0", float, 0.0, 1.0)
    concurrency: int = _number("maximum number of model calls in flight", "N", "16", int, 1)
    requests_per_minute: int | None = _number(
        "maximum number of requests to an API in a minute", "N", None, int, 1
    )
    tokens_per_minute: int | None = _number(
        "maximum number of tokens of an API in a minute, on average", "N", None, int, 1
    )
    max_cost: float | None = _number(
        "list prices of the calls of a session, in USD, from which it makes no more calls",
        "USD",
        None,
        float,
        0.0,
    )
    temperature: float | None = _number(
        "temperature of the models, their loops and written answers (default: 0)", "T", None, float, 0.0
    )
    top_p: float | None = _number("nucleus sampling: share of the probability", "P", None, float, 0.0, 1.0)
    max_tokens: int | None = _number("longest completion in tokens", "N", None, int, 1)
    extra_body: str | None = _option("JSON object with more parameters of the requests to an API", "JSON")
    key_encoder: str | None = _option("match leftover keys by an encoder at a cosine threshold", "NAME@T")
    cache: str | None = _option(
        "file of the response cache, or none (default: answers.sqlite in the cache folder)", "FILE"
    )
    fresh: bool = _flag("start a new run instead of resuming")
    offline: bool = _flag("refuse all connections to other machines; completions come from the cache")
    gate: tuple[str, ...] = _texts(
        'rule that decides the exit status, such as "f1 by task>=0.4" or "no-regression f1 margin=0.02" '
        "(repeatable)",
        "RULE",
    )
    baseline: str | None = _option("baseline of no-regression rules: its name, or a folder", "NAME|DIR")
    gate_cases: str = _choice(
        "what a case under the threshold is in a run with a gate: below, which fails no test, or fail",
        ("below", "fail"),
        "below",
    )
    gate_allow_inconclusive: bool = _flag("treat an inconclusive comparison as a pass")
    gate_partial: bool = _flag("let the gate judge a partial run, or a part of its baseline")
    gate_judge_kappa: float = _number(
        "minimum lower confidence bound of the judge's kappa, for rules on its score",
        "F",
        str(JUDGE_KAPPA),
        float,
        -1.0,
        1.0,
    )
    shard: str | None = _option("run one part of the run: 2/5 is the second of five", "I/N")
    answer: bool = _flag("write an answer from the rows, and check its claims")
    answer_model: str | None = _option(
        "model that writes answers (default: the model itself; for one that reads no messages, the default "
        "model)",
        "SPEC",
        action="once",
    )
    claims_model: str | None = _option(
        "model that lists the claims of answers (default: the one that writes them)", "SPEC", action="once"
    )
    answer_context: str = _option(
        "what answers are written from: rows; hybrid, with passages of patents found by vectors; or "
        "hybrid-lexical, with passages found by words",
        "NAME",
        "rows",
    )
    answer_encoder: str = _option(
        "encoder whose vectors find the passages of the context hybrid", "NAME", "all-MiniLM-L6-v2"
    )
    answer_weights: str = _option("weights of passages and of rows in a hybrid context", "T,G", "0.6,0.4")
    answer_rows: int = _number("maximum number of rows that an answer is written from", "N", "50", int, 1)
    answer_budget: int = _number(
        "maximum number of characters of rows and passages together", "N", "6000", int, 100
    )
    answer_thresholds: str = _option(
        "shares of supported claims from which an answer is verified, and partially verified",
        "V,P",
        "0.9,0.7",
    )
    evidence: bool = _flag(
        "let a claim that the graph holds be uncertain where a fact that it rests on has a low confidence"
    )
    evidence_confidence: float = _number(
        "minimum confidence of the facts of a supported claim, with --evidence", "F", "0.7", float, 0.0, 1.0
    )

    def redacted(self) -> "Options":
        """Return the options with the password in the graph's URI redacted."""
        return replace(self, graph=without_password(self.graph))


OPTION_SPECS: dict[str, OptionSpec] = {each.name: each.metadata[_SPEC] for each in fields(Options)}


def read_options(config: "pytest.Config") -> Options:
    """Read the options (command line, ``pyproject.toml``, default); raise InputError for a wrong number.

    With a suite, prompts and shots that are not given are empty: the suite sets them.
    """

    def given(name: str) -> Given:
        on_line = config.getoption(dest(name))
        return (config.getini(name) or None) if on_line is None else on_line

    return _options(given)


def options_in(text: str) -> Options:
    """Read the options in a part of a command line.

    Raises InputError as `read_options` does, and for words that are no option of the benchmark, such as those
    of pytest.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for name, spec in OPTION_SPECS.items():
        action: Any = _Once if spec.action == "once" else spec.action
        parser.add_argument(f"--{name.replace('_', '-')}", dest=dest(name), action=action, default=None)
    try:
        given, unknown = parser.parse_known_args(shlex.split(text))
    except argparse.ArgumentError as error:
        raise InputError(str(error)) from error
    except ValueError as error:
        raise InputError(f"{text}: {error}; close the quotation") from error
    if unknown:
        raise InputError(
            f"{shlex.join(unknown)}: not an option of the benchmark, and options of pytest cannot be given "
            "here; `pytest benchmarks --help` lists them"
        )
    return _options(lambda name: getattr(given, dest(name)))


_SET_BY_SUITE = ("prompt", "shot")


def _options(given: Callable[[str], Given]) -> Options:
    without_default = _SET_BY_SUITE if given("suite") else ()
    values = {}
    for name, spec in OPTION_SPECS.items():
        value = given(name)
        if value is None and spec.default is not None and name not in without_default:
            value = [spec.default] if spec.action == "append" else spec.default
        values[name] = spec.parse(name.replace("_", "-"), value)
    return Options(**values)


_NOT_REPEATED = frozenset(
    {
        *("run_dir", "cache", "fresh", "offline", "ledger", "concurrency", "requests_per_minute"),
        *("tokens_per_minute", "max_cost", "judge", "judge_rows", "baseline", "gate", "gate_cases"),
        *("gate_allow_inconclusive", "gate_partial", "gate_judge_kappa", "claims_model"),
        *("evidence", "evidence_confidence"),
    }
)
"""Options that change no score of execution, and those of a gate."""


def words_of(options: Mapping[str, JsonValue]) -> list[str]:
    """Return the words of a command line that give the options of a manifest again.

    Defaults are left out, and what changes neither cases nor their scores of execution.
    """
    words = []
    for name, spec in OPTION_SPECS.items():
        value = options.get(name)
        values = value if isinstance(value, list) else [value]
        given = ",".join(map(str, values))
        unset = value in (None, False, []) or given == spec.default or given == f"{spec.default}.0"
        # A password in the address of a graph is not on record.
        if unset or name in _NOT_REPEATED or name.startswith("answer") or "***" in given:
            continue
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        else:
            for text in map(str, values) if name == "model" else [given]:
                words += [flag, text]
    return words


class _Once(argparse.Action):
    """Stores a value, and refuses a second one, which would silently replace the first."""

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


def add_options(parser: "pytest.Parser") -> None:
    """Declare the options, each also as a setting of the same name in ``pyproject.toml``."""
    group = parser.getgroup("retrocypher", "RetroCypher benchmark")
    for name, spec in OPTION_SPECS.items():
        flag = f"--{name.replace('_', '-')}"
        if spec.action == "store_true":
            group.addoption(flag, dest=dest(name), action="store_true", default=None, help=spec.help)
            parser.addini(name, spec.help, type="bool", default=False)
            continue
        shown = "" if spec.default is None else f" (default: {spec.default})"
        action: Any = _Once if spec.action == "once" else spec.action
        group.addoption(flag, dest=dest(name), action=action, metavar=spec.metavar, help=spec.help + shown)
        kind: Literal["args", "linelist", "string"] = "string"
        if spec.action == "append":
            # A rule has spaces in it, so a text is one rule, and a list several.
            kind = "linelist" if name == "gate" else "args"
        parser.addini(name, spec.help, type=kind, default=None)


def dest(name: str) -> str:
    """Return the name that an option has among pytest's own."""
    return f"retrocypher_{name}"


_CASES = (Path(__file__).parents[2] / "benchmarks").resolve()
_SPEED = _CASES / "speed"
_FILES: dict[Path, Setting] = {
    _CASES / "test_single_step.py": "single_step",
    _CASES / "test_multi_step.py": "multi_step",
    _CASES / "test_table.py": "table",
}
_NO_RUN = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test")
_NO_CASE = ("--collect-only", "--setup-plan", "--setup-only")


def runs_nothing(config: "pytest.Config") -> bool:
    """Tell whether a session only prints something, such as ``--help``."""
    return any(getattr(config.option, name, None) for name in _NO_RUN)


def runs_no_case(config: "pytest.Config") -> str:
    """Return the option with which pytest collects cases and runs none; empty if they are run."""
    given = (each for each in _NO_CASE if getattr(config.option, each.replace("-", ""), False))
    return next(given, "")


def named_settings(config: "pytest.Config") -> set[Setting]:
    """Return the settings whose cases the arguments of a session reach; none for a session without cases."""
    if runs_nothing(config):
        return set()
    named = [path for path, _ in named_paths(config)]
    return {setting for file, setting in _FILES.items() if any(file.is_relative_to(path) for path in named)}


def setting_of_file(path: Path) -> Setting | None:
    """Return the setting of the cases in a file; None for a file without cases."""
    return _FILES.get(path.resolve())


def is_unrequested_speed_benchmark(config: "pytest.Config", path: Path) -> bool:
    """Tell whether a path belongs to the speed benchmarks, which are collected only when named."""
    named = [each for each, _ in named_paths(config)]
    return path.resolve().is_relative_to(_SPEED) and not any(each.is_relative_to(_SPEED) for each in named)


def is_case(nodeid: str) -> bool:
    """Tell whether a node id is that of a benchmark case, relative to any folder."""
    # A file that is named, and outside the root folder, has no name in node ids.
    return any(
        f"{file.name}::{file.stem}[" in nodeid or nodeid.startswith(f"::{file.stem}[") for file in _FILES
    )


def case_in(nodeid: str) -> str:
    """Return the id of the case in a node id."""
    return nodeid.partition("[")[2].removesuffix("]")


def require_local_workers(config: "pytest.Config") -> None:
    """Raise InputError for workers of pytest-xdist on another machine or in another folder."""
    gateways = [*config.getoption("tx", ()), *config.getoption("px", ())]
    if config.getoption("rsyncdir", None) or not all(map(_is_local, gateways)):
        raise InputError(
            "--tx, --px, --rsyncdir: workers run on this machine and in this folder only; to use several "
            "machines, run a shard on each (--shard, docs/resume.md)"
        )


def _is_local(gateway: str) -> bool:
    """Tell whether a gateway of execnet, such as ``4*popen``, is on this machine and in this folder."""
    keys = {part.partition("=")[0] for part in gateway.lstrip("0123456789*").split("//")}
    return "popen" in keys and "chdir" not in keys


def named_paths(config: "pytest.Config") -> list[tuple[Path, str]]:
    """Return the path that each argument of a session names, and what follows ``::``."""
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
