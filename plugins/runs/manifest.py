"""The manifest of a run: what was run, on what, and with what.

The docstring below a field is its documentation; `docs/records.md` is generated from them. Each field has a
default, because manifests of earlier versions, and of runs that were killed, lack some.
"""

import hashlib
import json
import platform
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import psutil
from msgspec import UNSET, Struct, UnsetType, convert, field

from retrocypher.plugins.runs.record import HEADLINE, SCHEMA_VERSION, JsonValue, Tokens
from retrocypher.plugins.runs.written_answer import Thresholds
from retrocypher.prompts.models.spec import sampling_parameters


class ModelEntry(Struct):
    """One model of a run."""

    label: str
    """Name in case ids and tables."""
    kind: str = ""
    """Kind of model, such as `openai`, `gguf` or `mutant`."""
    argument: str = ""
    """What the kind needs: a name, a file or nothing."""
    file_sha256: str | UnsetType = UNSET
    """SHA-256 of the file of a model from a file."""


class JudgeEntry(Struct):
    """The judge of a run."""

    model: ModelEntry
    """Its model."""
    api: str | None = None
    """Host, port and path of its API."""
    criteria: str = ""
    """SHA-256 of the criteria."""
    name: str = ""
    """Name of the criteria."""
    scale: list[int] = field(default_factory=list)
    """Lowest and highest rating."""
    rows: int = 0
    """Rows of the result shown to the judge at most."""


class MadeOnce(Struct):
    """A completion made once for a run."""

    key: str = ""
    """What it is for."""
    text: str = ""
    """The completion."""
    tokens: Tokens | None = None
    """Its tokens, if reported."""
    cost: float | None = None
    """Cost in USD; null if unknown or cached."""
    time_s: float = 0.0
    """Seconds of the call."""
    cached: bool = False
    """Whether it comes from the cache."""
    findings: list[JsonValue] = field(default_factory=list)
    """What the model reported beside it."""


class GuidelinesEntry(Struct):
    """The guidelines that the generator of self-review read."""

    file: str
    """Their file."""
    sha256: str
    """SHA-256 of the file."""
    run: str
    """Folder of the run whose failures they are learned from."""
    model: str
    """Label of the model that wrote them."""
    split: str
    """Share and seed of the split by target molecule."""


class LoopsEntry(Struct):
    """The loops of a run."""

    names: list[str] = field(default_factory=list)
    """Their names."""
    validator: str | None = ""
    """The validator of the loops."""
    players: dict[str, ModelEntry] = field(default_factory=dict)
    """The models that play roles, by label of the model."""
    texts: dict[str, str] = field(default_factory=dict)
    """SHA-256 of each prompt text; empty without a loop."""
    once: list[MadeOnce] | UnsetType = UNSET
    """Completions made once for the run; written at the end."""
    guidelines: GuidelinesEntry | UnsetType = UNSET
    """What the generator of self-review read besides; absent without `--guidelines`."""


class AnsweringEntry(Struct):
    """How written answers of a run were made."""

    writers: dict[str, ModelEntry] = field(default_factory=dict)
    """The models that write them, by label of the model."""
    extractor: ModelEntry | None = None
    """The model that lists their claims; null if the writer does."""
    context: str = ""
    """What they are written from: `rows`, `hybrid` or `hybrid-lexical`."""
    encoder: str | None = None
    """Encoder that finds passages."""
    limits: dict[str, JsonValue] = field(default_factory=dict)
    """Limits of the context, and weights of a hybrid one."""
    thresholds: Thresholds = Thresholds()
    """Where verdicts begin."""
    texts: dict[str, str] = field(default_factory=dict)
    """SHA-256 of each prompt text."""


class PriceEntry(Struct):
    """Price of a model, in USD per million tokens."""

    prompt: int | float = 0.0
    """Price of the prompts."""
    completion: int | float = 0.0
    """Price of the completions."""


class Prices(Struct):
    """List prices of the models of a run."""

    as_of: str = ""
    """Month of the price list."""
    usd_per_million_tokens: dict[str, PriceEntry] = field(default_factory=dict)
    """Prices by name of the model."""


class PromptSetEntry(Struct):
    """The set that the prompts of a run come from."""

    name: str = ""
    """Its name: `paper` or `guided`."""
    sha256: str = ""
    """SHA-256 of the set as shipped, over its ten prompts."""


class SuiteEntry(Struct):
    """The suite of a run."""

    name: str
    """Its name."""
    version: str
    """Its version."""
    sha256: str
    """SHA-256 of its `suite.yaml`."""
    headline: str
    """The metric that decides whether a case passes."""
    tasks: list[str] = []
    """Its tasks, in the order of tables."""


class QuestionsEntry(Struct):
    """The questions of a run."""

    count: int = 0
    """Number of questions asked."""
    set_sha256: str = ""
    """SHA-256 of the whole question set."""
    graph_fingerprint: str = ""
    """Fingerprint of the graph that the set was made for."""


class GraphEntry(Struct):
    """The graph of a run."""

    kind: str = ""
    """`local`, `docker`, `uri`; `none` in a replay."""
    version: str = ""
    """Version of the server."""
    fingerprint: str = ""
    """Hash of the content of the graph."""
    schema: str = ""
    """Schema as prompts show it."""
    notes: list[str] = field(default_factory=list)
    """Limits that cannot be enforced."""
    schema_sha256: str = ""
    """SHA-256 of the schema."""


class Git(Struct):
    """The commit of the code that ran."""

    commit: str = ""
    """Hash of the commit."""
    changed: bool = False
    """Whether files outside `reports/` had changes that were not committed."""


class Machine(Struct):
    """The machine that ran a run; null where something is unknown."""

    system: str | None = None
    """Operating system and kernel."""
    os: str | None = None
    """Name of the distribution."""
    architecture: str | None = None
    """Architecture of the processor."""
    cpu: str | None = None
    """Model of the processor."""
    cores: int | None = None
    """Logical cores."""
    physical_cores: int | None = None
    """Physical cores."""
    memory_gib: float | None = None
    """Memory in GiB."""
    java: str | None = None
    """Version of Java; null if the server is not a process of this machine."""


class KeyEntry(Struct):
    """The resume key of a run."""

    sha256: str = ""
    """Hash of the parts."""
    parts: dict[str, JsonValue] = field(default_factory=dict)
    """What decides the records, by name."""


class ShardEntry(Struct):
    """Which shard of a run this is."""

    number: int
    """Number of the shard, from 1."""
    of: int
    """How many shards there are."""
    cases_in_all: int = 0
    """Number of cases of the whole run."""
    key: KeyEntry = field(default_factory=KeyEntry)
    """Key of the whole run."""


class SessionEnd(Struct):
    """How an earlier session of a run ended."""

    ended: str | None = None
    """End in UTC; null if it was killed."""
    exit_status: int | None = None
    """pytest's exit status; null if it was killed."""


class Continued(Struct):
    """One resumption of a run."""

    at: str = ""
    """When it was resumed, in UTC."""
    taken: int = 0
    """Cases taken from the records."""
    retried: int = 0
    """Cases that were tried again."""
    before: SessionEnd = field(default_factory=SessionEnd)
    """How the earlier session ended."""


class Served(Struct):
    """What the server called the model that answered."""

    model: str | None = None
    """Name of the model as reported by the server."""
    system_fingerprint: str | None = None
    """Its build as reported by the server."""
    answers: int = 0
    """Number of completions, cached ones included."""


class ModelUsage(Struct):
    """Completions of one model."""

    asked: int = 0
    """Completions requested."""
    from_cache: int = 0
    """Completions taken from the cache."""
    without_tokens: int = 0
    """Requested completions whose tokens were not reported."""
    tokens: Tokens = field(default_factory=Tokens)
    """Tokens of those requested."""
    tokens_from_cache: Tokens = field(default_factory=Tokens)
    """The same of those from the cache."""
    cost: float | None = None
    """Cost of those requested, in USD."""
    seconds: float = 0.0
    """Seconds of those requested."""
    served: list[Served] = field(default_factory=list)
    """What the server called the model. Two entries mean that the server changed it."""


class AnswerCounts(Struct):
    """Completions of a run."""

    cache: str | None = None
    """File of the response cache, or null."""
    asked: int = 0
    """Completions requested from models."""
    from_cache: int = 0
    """Completions taken from the cache."""
    cost: float | None = None
    """Cost of those requested, in USD; null if no price is known."""
    by_model: dict[str, ModelUsage] = field(default_factory=dict)
    """By label, models that play roles included; a judge is `judge:LABEL`. Completions made once for the run
    are in the totals only."""


class Counts(Struct):
    """What became of the cases of a run."""

    planned: int = 0
    """As `cases`."""
    selected: int = 0
    """Left by `-k` and `-m`."""
    run: int = 0
    """Have a record."""
    passed: int = 0
    """Passed."""
    failed: int = 0
    """Scored below the threshold."""
    infrastructure_errors: int = 0
    """Have no scores because of an infrastructure error."""
    lost: int = 0
    """Crashed: selected, without a record."""


class ExclusiveRerunEntry(Struct):
    """What runaway queries cost a run."""

    queries: int = 0
    """Queries rerun alone."""
    seconds: int | float = 0.0
    """Seconds that others waited."""


class KnownOptions(Struct, frozen=True):
    """The part of `options` that commands read."""

    seed: int | UnsetType = UNSET
    """Seed of sample, random exemplars, mutants and models; absent if unknown."""
    shot: list[str] = field(default_factory=list)
    """How exemplars were chosen."""
    sample: int | None = None
    """Number of questions drawn; null for all."""
    split: str | None = None
    """The part of a split by target molecule that was asked; null for all."""
    case_threshold: int | float | UnsetType = UNSET
    """F1 below which a case fails; absent if unknown."""
    key_encoder: str | UnsetType | None = UNSET
    """Encoder stage of key matching; null without, absent if unknown."""
    query_timeout: int | float | UnsetType = UNSET
    """Seconds after which a query is ended; absent if unknown."""
    temperature: int | float | None = None
    """Temperature of the models; null for 0."""
    top_p: int | float | None = None
    """Share of the probability in nucleus sampling; null if it was not sent."""
    max_tokens: int | None = None
    """Longest completion in tokens; null for the model's own limit."""
    extra_body: str | None = None
    """More parameters of requests to an API, a JSON object; null for none."""

    @property
    def sampling(self) -> dict[str, JsonValue]:
        """The parameters of completions that were set."""
        return sampling_parameters(self.temperature, self.top_p, self.max_tokens, self.extra_body)


class Manifest(Struct, kw_only=True):
    """What was run, on what, and with what.

    Written before the first case and again at the end. In a killed run, `ended` and `exit_status` stay null
    and there is no `summary.json`.
    """

    schema_version: int = SCHEMA_VERSION
    """Version of the format: 1."""
    started: str | None = None
    """Start in UTC, to the second."""
    ended: str | None = None
    """End in UTC."""
    exit_status: int | None = None
    """pytest's exit status; 16 for an incomplete run."""
    cases: int | None = None
    """Number of cases that the options make, before `-k` and `-m`."""
    options: dict[str, JsonValue] = field(default_factory=dict)
    """Every option as resolved. `seed` is the one seed of sample, random exemplars, mutants, and models that
    take one."""
    models: list[ModelEntry] = field(default_factory=list)
    """The models."""
    loops: LoopsEntry = field(default_factory=LoopsEntry)
    """The loops."""
    judge: JudgeEntry | None = None
    """The judge; null without one."""
    api: str | None = None
    """Host, port and path of `OPENAI_BASE_URL`; null without a model behind an API."""
    prices: Prices | None = None
    """List prices; null if none is known."""
    questions: QuestionsEntry = field(default_factory=QuestionsEntry)
    """The questions."""
    prompts: dict[str, str] = field(default_factory=dict)
    """SHA-256 of each prompt by name, over its template and the way an exemplar is shown."""
    prompt_set: PromptSetEntry | None = None
    """The set of prompts, of which `--prompt-dir` may have replaced some; null if unknown."""
    exemplars: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the exemplar bank of each setting."""
    suite: SuiteEntry | UnsetType = UNSET
    """The suite; absent for the reaction benchmark without `--suite`."""
    addendum: str | UnsetType = UNSET
    """SHA-256 of `prompts/templates/unanswerable.md`, with which every first message ends.

    Absent where all questions can be answered.
    """
    graph: GraphEntry | None = None
    """The graph."""
    versions: dict[str, str] = field(default_factory=dict)
    """`python` and packages; `retrocypher` is this one, `neo4j-driver` the driver."""
    git: Git | None = None
    """The commit; null outside a checkout."""
    machine: Machine | None = None
    """The machine."""
    answering: AnsweringEntry | None = None
    """How written answers were made; null without `--answer`."""
    key: KeyEntry | None = None
    """The resume key."""
    executor: dict[str, JsonValue] = field(default_factory=dict)
    """Who ran it: `name` and `type` of the CI service or `local`; of a service also `buildName`, `buildOrder`
    and `buildUrl`, if known."""
    shard: ShardEntry | None = None
    """Which shard the run is; null if it is none."""
    continued: list[Continued] | UnsetType = UNSET
    """One entry each time the run was resumed."""
    answers: AnswerCounts | UnsetType = UNSET
    """Completions: how many were requested, and their cost. Written at the end."""
    counts: Counts | UnsetType = UNSET
    """What became of the cases. Written at the end."""
    standstill: ExclusiveRerunEntry | UnsetType = UNSET
    """Runaway queries. Written at the end."""
    merged_from: list[JsonValue] | UnsetType = UNSET
    """The shards of a merged run."""
    rescored_from: JsonValue | UnsetType = UNSET
    """The run that was rescored, with time, versions and commit."""
    judged_from: JsonValue | UnsetType = UNSET
    """When the run was judged afterwards, by which code, and the number of completions requested."""

    @property
    def headline(self) -> str:
        """The score that decides whether a case passes."""
        return HEADLINE if self.suite is UNSET else self.suite.headline

    def model(self, label: str) -> ModelEntry | None:
        """The model of a label; None if there is none."""
        return next((each for each in self.models if each.label == label), None)

    @property
    def known_options(self) -> KnownOptions:
        """The options that are read by name."""
        # Other names may be text that msgspec cannot read, such as half a surrogate pair.
        known = self.options.keys() & KnownOptions.__struct_fields__
        return convert({name: self.options[name] for name in known}, KnownOptions)

    def unpriced_loop_models(self) -> dict[str, str]:
        """Return, by label of a model, the name of the one that plays its roles, if it has no list price."""
        known = self.prices.usd_per_million_tokens if self.prices else {}
        return {
            label: entry.argument
            for label, entry in self.loops.players.items()
            if entry.kind == "openai" and entry.argument not in known
        }


_CPUS = Path("/proc/cpuinfo")


def machine(java: str | None = None) -> Machine:
    """Return the facts of this machine; `java` is the Java of a graph's server here."""
    return Machine(
        system=platform.platform(terse=True),
        os=_os(),
        architecture=platform.machine(),
        cpu=_cpu(),
        cores=psutil.cpu_count(),
        physical_cores=psutil.cpu_count(logical=False),
        memory_gib=round(psutil.virtual_memory().total / 2**30, 1),
        java=java,
    )


def _os() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return f"{platform.system()} {platform.release()}".strip() or None


def _cpu() -> str | None:
    try:
        lines = _CPUS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or None


_PACKAGES = (
    "retrocypher",
    "neo4j",
    "neo4j-rust-ext",
    "openai",
    "pytest",
    "pytest-xdist",
    "allure-pytest",
    "antlr4-python3-runtime",
    "numpy",
    "scipy",
    "rdkit",
    "sacrebleu",
    "nltk",
    "rouge-score-rs",
    "sentence-transformers",
    "deepeval",
    "xllamacpp",
)
# Not to be taken for the server's version.
_SHOWN_AS = {"neo4j": "neo4j-driver"}
_NO_CODE = ":(top,exclude)reports"


def code_facts(checkout: Path) -> dict[str, JsonValue]:
    """Return the `versions` of Python and packages, and `git`, the commit of the project's folder."""
    return {"versions": {"python": platform.python_version(), **_versions()}, "git": _commit(checkout)}


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[_SHOWN_AS.get(name, name)] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _commit(checkout: Path) -> Git | None:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(checkout), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        # The package may be installed in a folder of somebody else's repository.
        git("ls-files", "--error-unmatch", str(Path(__file__).resolve()))
        return Git(git("rev-parse", "HEAD"), bool(git("status", "--porcelain", "--", ":/", _NO_CODE)))
    except (OSError, subprocess.SubprocessError):
        return None


def conditions_sha256(manifest: Mapping[str, JsonValue]) -> str:
    """Return a hash over what a manifest names of how the scores of its run were measured."""
    parts = {
        "graph": ("fingerprint", "schema"),
        "options": ("query_timeout", "key_encoder", "case_threshold"),
    }
    named = {name: manifest.get(name) for name in ("models", "prompts", "suite")}
    for part, fields in parts.items():
        known = manifest.get(part) or {}
        named[part] = [known.get(name) for name in fields]
    if judge := manifest.get("judge"):
        named["judge"] = [judge.get(name) for name in ("model", "criteria", "rows")]
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()
