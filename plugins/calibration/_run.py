"""A judge asked about queries of which it is known whether they are right."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from plugins.calibration._bill import Bill, bill
from plugins.calibration._measured import Verdict
from plugins.calibration._sample import Probe
from plugins.judge import Criteria, JudgeCase, Judgement, Task, Variant

AskAll = Callable[[Iterable[Task]], Iterable[tuple[Task, Judgement]]]


@dataclass(slots=True)
class Asked:
    """What came of asking.

    Attributes:
        verdicts: By variant, what the judge said of each query, in the order of the sample.
        faults: Judgements that were not had because the judge could not be asked, by the kind of error.
        calls: How many judgements there were.
        cached: How many of them were had before.
        tokens: Tokens of all answers, by kind.
        cost: USD of the answers that were paid for now; None where the price of one is not known.
    """

    verdicts: dict[Variant, list[Verdict]] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    cached: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    cost: float | None = 0.0

    def add(self, judgement: Judgement) -> None:
        """Count a judgement in."""
        self.calls += 1
        self.cached += judgement.cached
        self.tokens.update(judgement.tokens or {})
        if judgement.is_fault and judgement.error is not None:
            self.faults[judgement.error["kind"]] += 1
        elif not judgement.cached:
            known = self.cost is not None and judgement.cost is not None
            self.cost = (self.cost or 0.0) + (judgement.cost or 0.0) if known else None


def ask_all(
    sample: Sequence[Probe],
    schema: str,
    criteria: Criteria,
    ask: AskAll,
    *,
    variants: Sequence[Variant],
    repeats: int = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
    begin: Callable[[Bill], None] = lambda bill: None,
) -> Asked:
    """Have each query of a sample judged in each variant, as often as asked for.

    Args:
        sample: The queries.
        schema: Schema text of the graph.
        criteria: What is judged by; it says whether rows are shown.
        ask: Has tasks judged, in any order, as `Panel.judge` does.
        variants: Which variants.
        repeats: How often each, at least 1.
        progress: Is told how many are done, and of how many.
        begin: Is told what will be asked, before it is.
    """
    cases = [_case(place, probe, schema, criteria) for place, probe in enumerate(sample)]
    begin(bill(cases, criteria, variants, repeats))
    places = {case.case_id: place for place, case in enumerate(cases)}
    told: dict[tuple[Variant, int, int], Judgement] = {}
    asked, of = Asked(), len(cases) * len(variants) * repeats
    for task, judgement in ask(_tasks(cases, variants, repeats)):
        told[task.variant, places[task.case.case_id], task.repeat] = judgement
        asked.add(judgement)
        progress(asked.calls, of)
    for variant in variants:
        asked.verdicts[variant] = [
            _verdict(probe, [told[variant, place, repeat] for repeat in range(repeats)])
            for place, probe in enumerate(sample)
        ]
    return asked


def sizes(sample: Iterable[Probe]) -> Mapping[str, int]:
    """Return how many queries of a sample are of which kind; neutral ones by group."""
    counts = Counter(probe.group if probe.kind == "neutral" else probe.kind for probe in sample)
    return dict(counts)


def _tasks(cases: Sequence[JudgeCase], variants: Sequence[Variant], repeats: int) -> Iterator[Task]:
    for repeat in range(repeats):
        for variant in variants:
            yield from (Task(case, variant, repeat) for case in cases)


def _case(place: int, probe: Probe, schema: str, criteria: Criteria) -> JudgeCase:
    shown = criteria.rows > 0 and probe.execution["status"] == "ok"
    return JudgeCase(
        case_id=f"{probe.id}#{place}",
        question=probe.question.text,
        schema=schema,
        cypher=probe.cypher,
        reference=probe.question.reference_cypher,
        columns=probe.execution["columns"] if shown else None,
        rows=probe.execution["rows"] if shown else None,
    )


def _verdict(probe: Probe, judgements: Sequence[Judgement]) -> Verdict:
    first = judgements[0]
    trouble = "" if first.error is None else first.error["kind"]
    return Verdict(probe, tuple(each.score for each in judgements), trouble)
