"""Counts of a run from its records: the summary, and the usage of models."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType

from retrocypher.kg.questions.question import task_place
from retrocypher.plugins.analysis.group import Group, by_name
from retrocypher.plugins.analysis.scores import (
    LEAK,
    CaseScores,
    Means,
    ScoreTable,
    case_digest,
    case_scores,
    labelled,
)
from retrocypher.plugins.analysis.variation import Variation, variations
from retrocypher.plugins.runs.manifest import AnswerCounts, Counts, MadeOnce, ModelUsage, Served
from retrocypher.plugins.runs.record import (
    GENERATOR,
    HEADLINE,
    MORE_METRICS,
    JsonValue,
    Judgement,
    Record,
    Round,
    Tokens,
    fields_of,
)
from retrocypher.plugins.runs.summary import (
    CellSummary,
    ParaphraseSummary,
    RunSummary,
    UnmatchedColumns,
    sorted_sha256,
)
from retrocypher.plugins.scoring.variations import of_perfect
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.prompts.answering.roles import CLAIMS_ROLE

_SETTINGS = ("single_step", "multi_step", "table")
_SHOTS = ("ZS", "1S-S", "1S-D-R", "1S-D-S")
_BY = ("setting", "task", "steps", "model", "loop")
_PROMPT_SHOT = "prompt_shot"

Series = tuple[str, str]
"""Model and loop."""


class Cell(NamedTuple):
    """What the cases of a cell have in common."""

    model: str
    loop: str
    prompt: str
    shot: str
    task: str


class ParaphraseKey(NamedTuple):
    """What the cases of a paraphrase have in common."""

    model: str
    loop: str
    phrasing: int
    """Number of the paraphrase, from 1."""


class Summary:
    """Counts and means of the records added so far, independent of their order."""

    def __init__(self) -> None:
        self.overall = Group()
        """All cases."""
        names = (*_BY, _PROMPT_SHOT, "phrasing")
        self._by: dict[str, dict[Any, Group]] = defaultdict(lambda: defaultdict(Group))
        self._by |= {name: defaultdict(Group) for name in names}
        self._cells: dict[Cell, Group] = defaultdict(Group)
        self._paraphrases: dict[ParaphraseKey, Group] = defaultdict(Group)
        self._slices: dict[str, dict[tuple[Series, str], Group]] = defaultdict(lambda: defaultdict(Group))
        self._ids: list[str] = []
        self._digests: list[str] = []
        self._scored: list[CaseScores] = []
        self._scored_of: dict[str, dict[tuple[Series, str], list[CaseScores]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._exemplars: dict[str, Counter[str]] = defaultdict(Counter)
        self._unmatched: Counter[str] = Counter()
        self._cases_with_unmatched = 0

    @property
    def cases(self) -> int:
        """Number of cases."""
        return self.overall.cases

    @property
    def passed(self) -> int:
        """Number of cases that passed."""
        return self.overall.passed

    @property
    def failed(self) -> int:
        """Number of scored cases below the threshold."""
        return self.overall.failed

    @property
    def infrastructure_errors(self) -> int:
        """Number of cases without scores because of an infrastructure error."""
        return self.overall.errors

    @property
    def judge_faults(self) -> int:
        """Number of scored cases whose judge could not be asked."""
        return self.overall.judgements.faults

    @property
    def cells(self) -> dict[Cell, Group]:
        """The cases of each model, loop, prompt, shot and task, in this order."""
        return {cell: self._cells[cell] for cell in sorted(self._cells, key=_cell_order)}

    def series(self, models: Sequence[str] = (), loops: Sequence[str] = ()) -> list[Series]:
        """Return the models and loops of the cases; those not named come last, by name."""
        found = {(cell.model, cell.loop) for cell in self._cells}
        return sorted(found, key=lambda each: (listed_first(each[0], models), listed_first(each[1], loops)))

    def cells_of(self, series: Series) -> dict[Cell, Group]:
        """Return the cells of a model and loop."""
        return {cell: group for cell, group in self.cells.items() if (cell.model, cell.loop) == series}

    def paraphrases_of(self, series: Series) -> dict[int, Group]:
        """Return the cases of a model and loop by paraphrase."""
        return {
            key.phrasing: self._paraphrases[key] for key in sorted(self._paraphrases) if key[:2] == series
        }

    @property
    def is_of_tables(self) -> bool:
        """Whether the cases are table questions of a suite."""
        return set(self._by["setting"]) == {"table"}

    def slices_of(self, series: Series) -> dict[str, dict[str, Group]]:
        """Return the cases of a model and loop by slice of the suite, and by its values."""
        return {
            name: {value: groups[key] for key in sorted(groups) if key[0] == series and (value := key[1])}
            for name, groups in self._slices.items()
        }

    def means(self, clusters: Mapping[str, str], metric: str = HEADLINE) -> Means:
        """Return means of a score over slices, with intervals; ``clusters`` are those of a `ScoreTable`.

        Args:
            metric: F1, or one of `MORE_METRICS`.
        """
        return Means(ScoreTable(self._scored, clusters, (metric,)), (metric,))

    def mean_of_slice(
        self, series: Series, name: str, value: str, clusters: Mapping[str, str], metric: str
    ) -> Estimate:
        """Return the mean of a score over a slice of the suite; arguments as in `means`."""
        cases = self._scored_of[name][series, value]
        return Means(ScoreTable(cases, clusters, (metric,)), (metric,)).of()[metric]

    def variations(self, clusters: Mapping[str, str]) -> list[Variation]:
        """Return how outcomes vary over repeats and paraphrases; arguments as in `means`."""
        if len({(each.phrasing, each.repeat) for each in self._scored}) < 2:
            # As in most runs, which need no table of all cases.
            return []
        return variations(ScoreTable(self._scored, clusters, ("f1", "passed")))

    def add(self, record: Record, variations: list[str] | UnsetType | None = UNSET) -> None:
        """Add a record.

        Args:
            variations: What `of_perfect` returns, which takes time, if it is known.
        """
        keys: dict[str, Any] = {name: getattr(record, name) for name in (*_BY, "phrasing")}
        keys[_PROMPT_SHOT] = (record.prompt, record.shot)
        groups = [self._by[name][key] for name, key in keys.items()]
        groups.append(self._cells[Cell(record.model, record.loop, record.prompt, record.shot, record.task)])
        groups.append(self._paraphrases[ParaphraseKey(record.model, record.loop, record.phrasing)])
        slices = {} if record.slices is UNSET else record.slices
        for name, value in slices.items():
            groups += [self._by[name][value], self._slices[name][(record.model, record.loop), value]]
        known = of_perfect(record) if variations is UNSET else variations
        for group in (self.overall, *groups):
            group.add(record, known)
        if record.leak is not UNSET:
            self._by[LEAK][record.leak_kind].add(record, known)
        self._ids.append(record.case_id)
        self._digests.append(case_digest(record.case_id, case_scores(record)))
        if record.scores is not None and record.was_run:
            # Only these: a run can have many cases.
            more = {name: record.scores.value(name) for name in MORE_METRICS if record.setting == "table"}
            scores = {"f1": record.scores.f1, **more, "passed": float(record.passed)}
            self._scored.append(labelled(record, scores))
            for name, value in slices.items():
                self._scored_of[name][(record.model, record.loop), value].append(self._scored[-1])
        if record.exemplar_id is not None:
            self._exemplars[record.shot][record.exemplar_id] += 1
        columns = (record.scores and record.scores.unmatched_columns) or []
        self._unmatched.update(columns)
        self._cases_with_unmatched += bool(columns)

    def counts(self, planned: int, selected: int, lost: int) -> Counts:
        """Return what became of the cases of a run, for its manifest."""
        errors = self.infrastructure_errors
        return Counts(planned, selected, self.cases, self.passed, self.failed, errors, lost)

    def totals(self) -> RunSummary:
        """Return the part of the summary that is about all cases together."""
        return RunSummary(**fields_of(self.overall.summary()), **self._hashes())

    def run_summary(self) -> RunSummary:
        """Return the content of ``summary.json``, without what only the run itself can know."""
        exemplars = sorted(self._exemplars.items(), key=lambda each: listed_first(each[0], _SHOTS))
        overall = self.overall.summary()
        if overall.fallback:
            loops = sorted(self._by["loop"].items())
            overall.fallback.by_loop = {
                name: group.fallbacks.summary() for name, group in loops if group.fallbacks.cases
            }
        return RunSummary(
            **fields_of(overall),
            infrastructure_errors_by_stage=by_name(self.overall.errors_by_stage),
            exemplars={shot: by_name(counts) for shot, counts in exemplars},
            unmatched_columns=UnmatchedColumns(self._cases_with_unmatched, by_name(self._unmatched)),
            by={
                name: {_label(key): groups[key].summary() for key in sorted(groups, key=_ORDERS.get(name))}
                for name, groups in self._by.items()
            },
            cells=[CellSummary(*cell, **fields_of(group.summary())) for cell, group in self.cells.items()],
            wordings=[
                ParaphraseSummary(*key, **fields_of(self._paraphrases[key].summary()))
                for key in sorted(self._paraphrases)
            ],
            variation=[each.summary() for each in self.variations({})] or UNSET,
            **self._hashes(),
        )

    def _hashes(self) -> dict[str, Any]:
        return {"cases_sha256": sorted_sha256(self._ids), "scores_sha256": sorted_sha256(self._digests)}


def summary_of(records: Iterable[Record]) -> Summary:
    """Return the `Summary` of some records."""
    summary = Summary()
    for record in records:
        summary.add(record)
    return summary


def _label(key: Any) -> str:
    return " \N{MULTIPLICATION SIGN} ".join(key) if isinstance(key, tuple) else str(key)


def listed_first(value: str, order: Sequence[str]) -> tuple[int, str]:
    """Return a sort key: values in the order given, then all others by name."""
    return (order.index(value) if value in order else len(order), value)


def _cell_order(cell: Cell) -> Any:
    shot, task = listed_first(cell.shot, _SHOTS), task_place(cell.task)
    return cell.model, cell.loop, _prompt_order(cell.prompt), shot, task


def _prompt_order(prompt: str) -> tuple[int, str]:
    """Return a sort key that puts P10 after P9."""
    digits = prompt[1:]
    return (int(digits) if prompt[:1] == "P" and digits.isdecimal() else 10**9, prompt)


_ORDERS: dict[str, Callable[[Any], Any]] = {
    "setting": lambda setting: listed_first(setting, _SETTINGS),
    "task": task_place,
    _PROMPT_SHOT: lambda pair: (_prompt_order(pair[0]), listed_first(pair[1], _SHOTS)),
}


_JUDGE = "judge:"
_Served = tuple[str | None, str | None]


class _Counts:
    def __init__(self) -> None:
        self.asked = self.from_cache = self.without_tokens = 0
        self.tokens, self.tokens_from_cache = Tokens(), Tokens()
        self.cost: float | None = None
        self.seconds = 0.0
        self.served: Counter[_Served] = Counter()

    def add(self, turn: Round | Judgement | MadeOnce, findings: Sequence[JsonValue] = ()) -> None:
        """Add one completion; findings can have details that the server reported with it."""
        if turn.cached:
            self.from_cache += 1
            self.tokens_from_cache.add(turn.tokens or Tokens())
        else:
            self.asked += 1
            self.seconds += turn.time_s
            self.tokens.add(turn.tokens or Tokens())
            self.without_tokens += turn.tokens is None
        if turn.cost is not None:
            self.cost = (self.cost or 0.0) + turn.cost
        if (served := _served(findings)) != (None, None):
            self.served[served] += 1

    def entry(self) -> ModelUsage:
        """Return the counts for a manifest."""
        return ModelUsage(
            asked=self.asked,
            from_cache=self.from_cache,
            without_tokens=self.without_tokens,
            tokens=self.tokens,
            tokens_from_cache=self.tokens_from_cache,
            cost=self.cost,
            seconds=round(self.seconds, 3),
            served=[
                Served(*names, count)
                for names, count in sorted(
                    self.served.items(), key=lambda each: tuple(name or "" for name in each[0])
                )
            ],
        )


def _served(findings: Sequence[JsonValue]) -> _Served:
    """Return what the server called the model that answered, and its build; None if it did not report it."""
    reported: dict[str, str] = {}
    for finding in findings:
        if isinstance(finding, Mapping) and {"attempts", "finish_reason"} & finding.keys():
            reported |= {name: value for name, value in finding.items() if isinstance(value, str)}
    return reported.get("model"), reported.get("system_fingerprint")


class Usage:
    """Completions of a run; models are labels, ``extractor`` that of a model that lists claims of answers."""

    def __init__(
        self,
        loop_models: Mapping[str, str] | None = None,
        answer_models: Mapping[str, str] | None = None,
        extractor: str | None = None,
    ) -> None:
        self._loop_models = dict(loop_models or {})
        self._answer_models = dict(answer_models or {})
        self._extractor = extractor
        self._models: dict[str, _Counts] = {}
        self._once = _Counts()

    @property
    def asked(self) -> int:
        """Number of completions requested in this run."""
        return sum(each.asked for each in self._each())

    @property
    def from_cache(self) -> int:
        """Number of completions from the cache."""
        return sum(each.from_cache for each in self._each())

    @property
    def cost(self) -> float | None:
        """Cost of the completions requested in USD, at list prices; None if no price is known."""
        known = [each.cost for each in self._each() if each.cost is not None]
        return math.fsum(known) if known else None

    def add(self, record: Record) -> None:
        """Add the rounds of a record, and its judgements."""
        for turn in record.rounds:
            if turn.asked_model:
                self._of(self._asked(turn, record)).add(turn, turn.findings)
        for judgement in record.judge.judgements.values() if record.judge else ():
            if judgement.time_s > 0:
                self._of(f"{_JUDGE}{judgement.model}").add(judgement, [judgement.details])

    def add_once(self, made: Iterable[MadeOnce]) -> None:
        """Add completions made once for the run, ``loops.once`` of a manifest."""
        for each in made:
            self._once.add(each)

    def counts(self, cache: str | None = None) -> AnswerCounts:
        """Return the counts, for ``answers`` of a manifest.

        ``by_model`` has a judge as ``judge:LABEL``. Completions made once for the run are in the totals only.
        """
        by_model = {label: self._models[label].entry() for label in sorted(self._models)}
        return AnswerCounts(cache, self.asked, self.from_cache, self.cost, by_model)

    def _asked(self, turn: Round, record: Record) -> str:
        """The label of the model that was asked in a round."""
        if turn.of_judge:
            judge = record.verification.judge if record.verification else UNSET
            return f"{_JUDGE}{judge.model if judge is not UNSET else None}"
        if turn.role == CLAIMS_ROLE and self._extractor is not None:
            return self._extractor
        if turn.of_answer:
            return self._answer_models.get(record.model, record.model)
        return record.model if turn.role == GENERATOR else self._loop_models.get(record.model, record.model)

    def _of(self, label: str) -> _Counts:
        return self._models.setdefault(label, _Counts())

    def _each(self) -> Iterable[_Counts]:
        return (*self._models.values(), self._once)
