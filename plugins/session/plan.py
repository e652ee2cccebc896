"""The plan of a run: its options resolved and checked, and its cases."""

import difflib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from retrocypher.kg.errors import InputError
from retrocypher.kg.offline import require_loopback
from retrocypher.kg.questions.question import (
    TASKS,
    UNANSWERABLE,
    Question,
    Setting,
    paraphrase,
    parse_paraphrases,
    select,
    setting_of,
)
from retrocypher.kg.questions.reading import QuestionSet, load_questions, question_folder
from retrocypher.kg.questions.split import parse_part
from retrocypher.kg.questions.unanswerable import unanswerable
from retrocypher.kg.secrets import without_password
from retrocypher.kg.server.open import is_uri
from retrocypher.plugins.analysis.summary import Usage
from retrocypher.plugins.runs.record import HEADLINE, MORE_METRICS, JsonValue
from retrocypher.plugins.runs.replay import ReplayedRuns, replayed_runs
from retrocypher.plugins.runs.shards import Shard, parse_shard
from retrocypher.plugins.scoring.columns import KeyEncoder, key_encoder_named
from retrocypher.plugins.session.cases import Case, cases_of
from retrocypher.plugins.session.options import Options
from retrocypher.plugins.session.side_plans import (
    AnswerPlan,
    JudgePlan,
    LoopPlan,
    answer_plan,
    judge_plan,
    loop_plan,
)
from retrocypher.plugins.session.suites import TableSuite, open_suite
from retrocypher.prompts.models.cache_files import cache_file
from retrocypher.prompts.models.open import check_models
from retrocypher.prompts.models.prices import prices_used, require_prices
from retrocypher.prompts.models.sides import with_any_key
from retrocypher.prompts.models.spec import TEXT_KINDS, ModelSpec, parse_specs, sampling_parameters
from retrocypher.prompts.templates.abstention import addendum
from retrocypher.prompts.templates.exemplars import SHOTS, Bank, canonical_shot, load_banks, require_vectors
from retrocypher.prompts.templates.template import Prompt, load_prompts


def answers_file(options: Options, specs: Sequence[ModelSpec]) -> Path | None:
    """Return the file of the response cache; None without one. Raises InputError if nothing could answer."""
    if not any(spec.kind in TEXT_KINDS for spec in specs):
        return None
    replayed = options.offline and bool(options.replay)
    file = cache_file(options.cache, offline=options.offline and not replayed)
    # The runs that are replayed may have all answers.
    return None if replayed and not options.cache and file and not file.is_file() else file


def answers_line(usage: Usage, cache: Path | None, replayed: bool = False) -> str:
    """Return in words how many completions a run requested; empty if none."""
    if not usage.asked and not usage.from_cache:
        return ""
    kept = f", {usage.from_cache:,} from the cache" if cache else ", none kept (--cache none)"
    if replayed:
        kept = f", {usage.from_cache:,} from records or the cache"
    return f"answers: {usage.asked:,} asked{kept}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A run as it will be: every name resolved, every input file read.

    Attributes:
        suite: The suite of table questions; None for questions about reactions.
        question_set: The set that the questions were taken from.
        questions: The questions of this run, in their first paraphrase.
        paraphrases: The paraphrases of this run, by number.
        banks: The exemplar bank of each setting.
        prices: List prices of its models, of those that play roles, and of the judge; None if none is known.
        key_encoder: The encoder stage of key matching; None without it.
        answers: File of the response cache; None without one.
        sampling: Parameters of completions that are set, of all models but the judge.
        shard: Which part of the run this is; None for all of it.
        whole: The questions of all parts together.
        replay: The runs that rows come from; None with a graph.
        answering: How answers are written; None without them.
        addendum: What every first message ends with where the graph cannot answer some questions; else empty.
    """

    options: Options
    suite: TableSuite | None
    question_set: QuestionSet
    questions: tuple[Question, ...]
    paraphrases: tuple[int, ...]
    prompts: Mapping[str, Prompt]
    shots: tuple[str, ...]
    banks: Mapping[Setting, Bank]
    loops: LoopPlan
    models: tuple[ModelSpec, ...]
    judge: JudgePlan | None
    prices: Mapping[str, JsonValue] | None
    key_encoder: KeyEncoder | None
    answers: Path | None
    sampling: Mapping[str, JsonValue]
    shard: Shard | None
    whole: tuple[Question, ...]
    replay: ReplayedRuns | None
    answering: AnswerPlan | None
    addendum: str

    @property
    def headline(self) -> str:
        """The score that decides whether a case passes."""
        return self.suite.about.headline if self.suite else HEADLINE

    @property
    def asked(self) -> tuple[ModelSpec, ...]:
        """The models of the run, those that play roles in its loops, and those that write answers."""
        answer_models = self.answering.all_models if self.answering else ()
        return (*self.models, *self.loops.models.values(), *answer_models)

    @property
    def every_model(self) -> tuple[ModelSpec, ...]:
        """All of these, and the judge's, which may be behind an API of its own."""
        return (*self.asked, *((self.judge.spec,) if self.judge else ()))

    @property
    def passes_below(self) -> bool:
        """Whether a case under the threshold fails no test, because a gate decides."""
        return bool(self.options.gate) and self.options.gate_cases == "below"

    def has(self, setting: Setting) -> bool:
        """Tell whether questions of a setting are of the kind of this run."""
        return (setting == "table") == (self.suite is not None)

    def cases(self, setting: Setting) -> Iterator[Case]:
        """Yield the cases of one setting, in a stable order."""
        names = [name for name, prompt in self.prompts.items() if prompt.setting == setting]
        labels = [model.label for model in self.models]
        loops, repeats = tuple(self.loops.loops), self.options.repeat
        return cases_of(setting, self.questions, self.paraphrases, names, self.shots, loops, labels, repeats)

    def case_count(self) -> int:
        """Return how many cases the plan has, both settings together."""
        return self.cases_for(self.questions)

    def cases_for(self, questions: Iterable[Question]) -> int:
        """Return how many cases some questions make."""
        by_setting = [prompt.setting for prompt in self.prompts.values()]
        each = len(self.paraphrases) * len(self.shots) * len(self.loops.loops) * len(self.models)
        each *= self.options.repeat
        return sum(each * by_setting.count(question.setting) for question in questions)

    def require_cases(self, settings: Collection[Setting]) -> None:
        """Refuse a session that names only settings without a case; raise InputError."""
        if not any(question.setting in settings for question in self.questions):
            asked = ",".join(self.prompts) + (f", {self.shard}," if self.shard else "")
            if not any(map(self.has, settings)):
                raise InputError(
                    f"{' and '.join(sorted(settings))} questions are not of the kind of this run: name "
                    "the folder benchmarks; table questions need --suite"
                )
            raise InputError(
                f"--prompt {asked} selects no {' or '.join(sorted(settings))} question: "
                "P1 to P5 go with benchmarks/test_single_step.py, P6 to P10 with test_multi_step.py"
            )


def resolve(
    options: Options,
    environment: Mapping[str, str] = os.environ,
    registered: Iterable[object] = (),
    checked: bool = False,
) -> Plan:
    """Resolve and check options; raise InputError if something does not exist, fit or select a case.

    This reads files, but calls no model and starts no server.

    Args:
        checked: Whether the main process has resolved the same options, as for a worker; the check that
            takes longest is then left out.
    """
    if options.offline:
        environment = _offline(options, environment)
    options, suite = open_suite(options)
    prompts = _prompts_named(options, suite)
    # The family of unanswerable questions is asked only where it is named.
    tasks = _tasks_named(options, suite.tasks) if suite else _tasks_named(options, TASKS, (UNANSWERABLE,))
    shard = parse_shard(options.shard)
    paraphrases = parse_paraphrases(options.phrasing)
    settings = {prompt.setting for prompt in prompts.values()}
    shots = _shots_named(options)
    _require_metrics(options)
    models = parse_specs(options.model, environment)
    loops = loop_plan(options, models, registered, environment)
    judge = judge_plan(options, environment, of_tables=suite is not None)
    question_set = suite.question_set if suite else load_questions(question_folder(options.questions))
    answering = answer_plan(options, models, question_set.fingerprint, environment)
    replay = replayed_runs(
        options.graph,
        options.replay,
        fingerprint=question_set.fingerprint,
        query_timeout=options.query_timeout,
        loops=loops.loops,
    )
    if suite is None and UNANSWERABLE not in tasks:
        _require_overlap(prompts, tasks, settings)
    # What can be known to be wrong is that of the whole run, so that its shards agree on it.
    asked_about = _of_part(
        [question for question in question_set.questions if question.setting in settings], options, suite
    )
    whole = (
        _with_unanswerable(asked_about, tasks, options)
        if suite is None and UNANSWERABLE in tasks
        else select(asked_about, tasks=tasks, sample=options.sample, seed=options.seed)
    )
    if loops.guidelines is not None:
        if suite is not None:
            raise InputError(
                "--guidelines: they are for questions about reactions; leave out --suite or them"
            )
        loops.guidelines.require_unseen(whole)
    prompts = {
        name: prompt
        for name, prompt in prompts.items()
        if any(question.setting == prompt.setting for question in whole)
    }
    questions = shard.select(whole) if shard else whole
    check_models(
        models,
        whole,
        shots,
        every_question=(*question_set.questions, *whole),
        paraphrases=paraphrases,
        repeats=options.repeat,
        prompts=tuple(prompts),
        loops=tuple(loops.loops),
        environment=environment,
    )
    answer_models = answering.all_models if answering else ()
    sampled = (*models, *loops.models.values(), *answer_models)
    asked = (*sampled, *((judge.spec,) if judge else ()))
    prices = prices_used(asked)
    sampling = sampling_parameters(options.temperature, options.top_p, options.max_tokens, options.extra_body)
    _require_sampled(options, sampled)
    if options.max_cost is not None:
        require_prices(asked)
    banks = _banks(options, suite)
    if not checked:
        asked_texts = [paraphrase(each, number) for each in questions for number in paraphrases]
        require_vectors(asked_texts, shots, banks.values())
    key_encoder = None if options.key_encoder is None else key_encoder_named(options.key_encoder)
    return Plan(
        options,
        suite,
        question_set,
        questions,
        paraphrases,
        prompts,
        shots,
        banks,
        loops,
        models,
        judge,
        prices,
        key_encoder,
        answers_file(options, asked),
        sampling,
        shard,
        whole,
        replay,
        answering,
        addendum() if any(not question.reference_cypher for question in whole) else "",
    )


def _of_part(questions: list[Question], options: Options, suite: TableSuite | None) -> list[Question]:
    """Return the questions of the part that ``--split`` names; raises InputError if it cannot be used."""
    if options.split is None:
        return questions
    if suite is not None:
        raise InputError(
            f"--split {options.split}: it is for questions about reactions, and suites of tables have a "
            "training split of their own. Leave it out."
        )
    part, split = parse_part(options.split, "--split")
    found = [question for question in questions if split.part_of(question) == part]
    if not found:
        raise InputError(f"--split {options.split}: no question is in this part; give another share or seed")
    return found


def _with_unanswerable(
    questions: Sequence[Question], tasks: Collection[str], options: Options
) -> tuple[Question, ...]:
    """Return questions that the graph cannot answer, and as many of the tasks named, or of all, that it can.

    A sample is of both together.
    """
    settings = {each.setting for each in questions}
    family = [each for each in unanswerable(questions) if each.setting in settings]
    count = len(family) if options.sample is None else min(options.sample // 2, len(family))
    others = [task for task in tasks if task != UNANSWERABLE]
    answerable = select(questions, tasks=others, sample=count, seed=options.seed)
    return (*answerable, *select(family, sample=len(answerable), seed=options.seed))


def _banks(options: Options, suite: TableSuite | None) -> dict[Setting, Bank]:
    if suite is not None:
        return {"table": suite.bank}
    return load_banks(Path(options.exemplar_dir) if options.exemplar_dir else None, options.static_exemplar)


def _require_sampled(options: Options, specs: Iterable[ModelSpec]) -> None:
    """Refuse parameters of completions that no model of a run takes; raise InputError."""
    kinds = {spec.kind for spec in specs}
    for name in ("temperature", "top_p", "max_tokens", "extra_body"):
        taken_by = ("openai",) if name == "extra_body" else TEXT_KINDS
        if getattr(options, name) is not None and kinds.isdisjoint(taken_by):
            raise InputError(
                f"--{name.replace('_', '-')} {getattr(options, name)}: it changes the completions of "
                f"{', '.join(taken_by)} models only, and this run asks none. Leave it out."
            )


def _offline(options: Options, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Check that no other machine is named, and return an environment with a key, which is never sent."""
    if is_uri(options.graph):
        named = without_password(options.graph)
        require_loopback(urlsplit(named).hostname or "", f"--graph {named}")
    return with_any_key(environment)


def _prompts_named(options: Options, suite: TableSuite | None) -> dict[str, Prompt]:
    """Return the prompts of a run by name; raises InputError where one does not exist, or none is named."""
    if suite is not None:
        known = dict(suite.prompts)
    else:
        known = load_prompts(options.prompt_set, Path(options.prompt_dir) if options.prompt_dir else None)
    unknown = [name for name in options.prompt if name not in (*known, "all")]
    if unknown:
        raise InputError(f"--prompt {unknown[0]}: no such prompt; {_choose(unknown[0], known)}, or all")
    if not options.prompt:
        raise InputError(f"--prompt names no prompt; choose from {', '.join(known)}, or all")
    if "all" in options.prompt:
        return known
    return {name: known[name] for name in options.prompt}


def _shots_named(options: Options) -> tuple[str, ...]:
    """Return the shots of a run by their canonical names; raises InputError as `_prompts_named` does."""
    if not options.shot:
        raise InputError(f"--shot names no shot; choose from {', '.join(SHOTS)}, or all")
    named = dict.fromkeys(canonical_shot(name) for name in options.shot if name != "all")
    return SHOTS if "all" in options.shot else tuple(named)


def _tasks_named(options: Options, known: tuple[str, ...], optional: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the tasks of a run, by default all but the optional ones; raises InputError for others."""
    unknown = [name for name in options.task if name not in (*known, *optional)]
    if unknown:
        raise InputError(f"--task {unknown[0]}: no such task; {_choose(unknown[0], (*known, *optional))}")
    return options.task or known


def _require_metrics(options: Options) -> None:
    """Refuse metrics that do not exist, or that need a graph where there is none; raise InputError."""
    for name in options.metrics:
        if name not in MORE_METRICS:
            raise InputError(f"--metrics {name}: no such metric; {_choose(name, MORE_METRICS)}")
    if options.cypherbench_compat and not options.metrics:
        raise InputError("--cypherbench-compat: it changes ex and psjs; add --metrics ex,psjs")
    if options.metrics and options.graph == "none":
        named = ",".join(options.metrics)
        raise InputError(
            f"--metrics {named}: they run queries, and with --graph none there is no graph. Leave out one."
        )


def _choose(name: str, known: Collection[str]) -> str:
    """Return in words what there is to choose from, a similar name first."""
    written = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower().replace("-", "_"), written, n=1, cutoff=0.82)
    choice = f"choose from {', '.join(known)}"
    return f"did you mean {written[near[0]]}? Else {choice}" if near else choice


def _require_overlap(prompts: Mapping[str, Prompt], tasks: tuple[str, ...], settings: set[Setting]) -> None:
    """Refuse prompts and tasks that have no setting in common; raises InputError."""
    if not any(setting_of(task) in settings for task in tasks):
        raise InputError(
            f"--prompt {','.join(prompts)} and --task {','.join(tasks)} have no case in common: "
            "P1 to P5 go with single-step tasks, P6 to P10 with multi-step tasks"
        )
