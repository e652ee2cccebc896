"""All that is shown of a case. Terminal, pytest, Allure and HTML pages render one `CaseView`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET

from retrocypher.kg.claims.claim import ClaimEvidence
from retrocypher.kg.cypher.edits import differing
from retrocypher.kg.cypher.tokens import Token, tokens
from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.cases import CaseReader
from retrocypher.plugins.formatting.text import counted, safe
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import JudgeEntry, Manifest
from retrocypher.plugins.runs.record import (
    VARIANTS,
    Explanation,
    InfrastructureError,
    JsonValue,
    Judgement,
    Record,
    Scores,
)
from retrocypher.plugins.runs.written_answer import MeasuredAnswer, RecordedClaim, Verification
from retrocypher.prompts.templates.exemplars import Exemplar, bank_sha256, load_banks

if TYPE_CHECKING:
    from _pytest._code.code import ReprExceptionInfo

Messages = Mapping[str, Sequence[Mapping[str, Any]]]
"""Messages sent to models, by hash."""

NO_QUERY = "(no query in the answer)"
_MOST_TOKENS = 1_500


class Label(NamedTuple):
    """An error label with its meaning; empty for a label that is not known."""

    label: str
    meaning: str


class QueryComparison(NamedTuple):
    """The tokens of a query and of its reference; by place, those that the other one does not have."""

    query: Sequence[Token]
    reference: Sequence[Token]
    only_query: set[int]
    only_reference: set[int]
    is_compared: bool
    """False if a query is too long to be compared."""


def compare_queries(query: str, reference: str) -> QueryComparison | None:
    """Return how two queries differ; None if Cypher's grammar is not available."""
    try:
        first, second = tokens(query), tokens(reference)
    except GraphError:
        return None
    if max(len(first), len(second)) > _MOST_TOKENS:
        return QueryComparison(first, second, set(), set(), False)
    return QueryComparison(first, second, *differing(first, second), True)


@dataclass(frozen=True)
class CaseView:
    """A case with all that is shown of it."""

    record: Record
    question: Question | None
    """Its question in the paraphrase used; None if the run no longer has it."""
    explanation: Explanation = field(default_factory=Explanation)
    messages: Messages = field(default_factory=dict)
    """Messages sent to models, by hash; empty if unknown or not requested."""
    exemplar: Exemplar | None = None
    """The exemplar shown; None with zero-shot, or if no bank has it."""
    calibrations: Mapping[str, str] = field(default_factory=dict)
    """The stored calibration of its judge in words, by variant; empty without a judge."""

    @property
    def fault(self) -> InfrastructureError | None:
        """Why the case has no scores; None if it has."""
        return self.record.fault

    @property
    def labels(self) -> list[Label]:
        """Its error labels, the primary one first."""
        known = ((label, LABELS.get(name_of(label))) for label in self.record.errors)
        return [Label(label, each.meaning if each else "") for label, each in known]

    @property
    def judgements(self) -> Iterator[tuple[str, Judgement]]:
        """The ratings of its query, each with its variant."""
        judge = self.record.judge
        found = ((variant, judge.judgement(variant)) for variant in VARIANTS) if judge is not None else ()
        yield from ((variant, each) for variant, each in found if each is not None)

    @property
    def headline(self) -> str:
        """Its result in one line, for pytest's short summary."""
        return headline(self.record)

    @property
    def claims(self) -> list[str]:
        """The claims of its written answer, a line each."""
        return [claim_line(claim) for claim in self.record.claims or ()]

    @property
    def verification(self) -> list[str]:
        """The verdict on its written answer, in lines; empty without one."""
        found = self.record.verification
        return [] if found is None else list(verification_lines(found))


def claim_line(claim: RecordedClaim) -> str:
    """Return a claim in one line: verdict, triple, reason, evidence, and who extracted it."""
    ends = [_end(claim.subject), claim.predicate, _end(claim.object)]
    of = f" of {claim.product}" if claim.product else ""
    of += f" as {claim.role}" if claim.role else ""
    steps = f" in {counted(claim.steps, 'step')}" if claim.steps else ""
    negation = "not " if claim.negated else ""
    triple = f"{claim.verdict}: {negation}({', '.join(ends)}{of}{steps})"
    why = f"; {claim.reason}" if claim.reason and claim.verdict != "SUPPORTED" else ""
    where = f"; {', '.join(map(_evidence, claim.evidence))}" if claim.evidence else ""
    return f"{triple}{why}{where}; by {' and '.join(claim.by)}"


def _end(value: JsonValue) -> str:
    return "?" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _evidence(evidence: ClaimEvidence) -> str:
    known = source_text(evidence)
    return f"reaction {evidence.reaction}" + (f" ({known})" if known else "")


def source_text(evidence: ClaimEvidence) -> str:
    """Return in words where evidence comes from, and how sure it is; empty if neither is known."""
    source = evidence.source
    parts = [f"{source.file}, row {source.row}"] if source else []
    parts += [f"granted {source.grant_date}"] if source and source.grant_date else []
    parts += [f"confidence {evidence.confidence:.2f}"] if evidence.confidence is not UNSET else []
    for span in evidence.spans or ():
        words = f" {span.text!r}" if span.text else ""
        parts.append(f"{span.kind} in characters {span.start} to {span.stop} of its text{words}")
    return ", ".join(parts)


def verification_lines(found: Verification) -> Iterator[str]:
    """Yield the verdict on a written answer, why it is not better, and who listed its claims."""
    share = (
        None
        if found.support is None
        else f"{found.support:.0%} of {counted(found.claims, 'claim')} supported"
    )
    yield f"{found.verdict}, {share or 'nothing is claimed'}"
    yield from found.shortcomings
    if extractor := found.extractor:
        refused = f"; {extractor.refused:,} of another form left out" if extractor.refused else ""
        yield f"claims listed by a model: {extractor.claims:,}{refused}"
    if judge := found.judge:
        measured = {"faithfulness": judge.faithfulness, "answer relevancy": judge.answer_relevancy}
        texts = [_measured(name, each) for name, each in measured.items() if each]
        yield f"measured by {judge.model}: {', '.join(texts)}"


def _measured(name: str, found: MeasuredAnswer) -> str:
    if found.score is None:
        return f"no {name} ({found.error.kind if found.error else None})"
    return f"{name} {found.score:.3f} of {found.parts:,}"


def main_scores(scores: Scores) -> str:
    """Return F1 in words, after EX where it was measured."""
    ex = scores.value("ex")
    return f"{'' if ex is None else f'EX {ex:.3f}, '}F1 {scores.f1:.3f}"


def headline(record: Record) -> str:
    """Return the result of a case that was run in one line: its primary label, scores, status and rows."""
    scores, execution = record.scores, record.execution
    if scores is None or execution is None:
        return "not run"
    primary = f"{record.errors[0]}: " if record.errors else ""
    return (
        f"{primary}{main_scores(scores)} (precision {scores.precision:.3f}, recall {scores.recall:.3f}), "
        f"status {execution.status}, {counted(execution.row_count, 'row')}"
    )


def view_of(cases: CaseReader, record: Record, messages: Messages | None = None) -> CaseView:
    """Return the view of a case of a run."""
    return CaseView(record, cases.question(record), cases.explanation(record), messages or {})


def show_case(log: RunLog, record: Record, *, with_messages: bool = False) -> CaseView:
    """Return the view of one case with its exemplar and the calibration of its judge."""
    used = {turn.messages_sha256 for turn in record.rounds}
    messages = {key: each for key, each in log.messages.items() if key in used} if with_messages else {}
    return replace(
        view_of(CaseReader(log), record, messages),
        exemplar=_exemplar(record, log.manifest),
        calibrations=_calibrations(record, log.manifest.judge, Path.cwd()),
    )


def case_json(view: CaseView, run: Path, *, with_messages: bool) -> dict[str, Any]:
    """Return what `retrocypher show --json` prints of a case."""
    exemplar = view.exemplar
    return {
        "run": str(run),
        "case_id": view.record.case_id,
        "record": view.record,
        "question": view.question,
        "exemplar": {"id": exemplar.id, "question": exemplar.question, "cypher": exemplar.cypher}
        if exemplar
        else None,
        "labels": [label._asdict() for label in view.labels],
        "difference": view.explanation.difference,
        "why": view.explanation.why,
        "calibrations": dict(view.calibrations),
        "messages": dict(view.messages) if with_messages else None,
    }


def _exemplar(record: Record, manifest: Manifest) -> Exemplar | None:
    """Return the exemplar of a case; None if the run used another bank than the shipped one."""
    banks = load_banks().values()
    found = next((each for bank in banks for each in bank if each.id == record.exemplar_id), None)
    if found and manifest.exemplars.get(found.setting) not in (None, bank_sha256(found.setting)):
        return None
    return found


def _calibrations(record: Record, judge: JudgeEntry | None, root: Path) -> dict[str, str]:
    """Return the stored calibration of the judge in words, by variant; empty for a case without a judge."""
    if record.judge is None or judge is None:
        return {}
    # Imported late: a case without a judge does not need the statistics that it loads.
    from retrocypher.plugins.judge.stored_calibration import load_calibrations, newest_of
    from retrocypher.plugins.reporting.numbers import estimate_text

    try:
        known = load_calibrations(root)
    except InputError as error:
        return dict.fromkeys(VARIANTS, f"the calibrations cannot be read ({error})")
    texts: dict[str, str] = {}
    for variant in VARIANTS:
        found = newest_of(known, judge, variant)
        if found is None:
            texts[variant] = "none is on file"
            continue
        measured = found.calibration.variants[variant]
        kappa = estimate_text(measured.kappa)
        accepts = estimate_text(measured.false_accept_rate)
        rejects = estimate_text(measured.false_reject_rate)
        texts[variant] = f"kappa {kappa}, false accepts {accepts}, false rejects {rejects}"
    return texts


_SHOWN = 20
"""Maximum number of lines of a difference."""
_LONGEST_SHOWN = 4_000
"""Maximum number of characters of a query."""


class CaseFailedError(AssertionError):
    """A case that failed: a result, not an error of the harness."""


class CaseError(Exception):
    """The case could not be run or scored; it has no score."""


def failure_of(view: CaseView) -> CaseError | CaseFailedError | None:
    """Return what pytest is to raise for a case: CaseError without scores, None for a case that passed."""
    if (fault := view.fault) is not None:
        return CaseError(f"{fault.stage} {fault.kind}: {safe(fault.message)}")
    return None if view.record.passed else CaseFailedError("\n".join(_lines(view)))


def _lines(view: CaseView) -> Iterator[str]:
    record, differing = view.record, view.explanation.difference
    yield view.headline
    if record.execution is not None and record.execution.message:
        yield f"message:  {safe(record.execution.message)}"
    if record.errors:
        yield f"why:      {', '.join(record.errors)}"
    yield from (f"{f'{about}:':<10}{safe(text)}" for about, text in view.explanation.why.texts.items())
    yield f"question: {safe(record.question)}"
    query = record.cypher or NO_QUERY
    yield f"cypher:   {safe(query[:_LONGEST_SHOWN])}"
    if len(query) > _LONGEST_SHOWN:
        yield f"and {counted(len(query) - _LONGEST_SHOWN, 'more character')}: see the Allure report"
    yield "difference (- missing, + too much):" if differing else "difference: none is stored"
    yield from map(safe, differing[:_SHOWN])
    if len(differing) > _SHOWN:
        yield f"and {counted(len(differing) - _SHOWN, 'more line')}: see the Allure report"


def failure_repr(text: str, location: tuple[str, int | None, str]) -> "ReprExceptionInfo":
    """Return the text of a failed case as pytest's representation of a failure.

    A string would be enough for the terminal, but pytest puts all of it into its short summary on a CI
    service and into the message of a JUnit file. From this representation it uses the first line only, and
    xdist can transport it.

    Args:
        location: Where the test is, as on its report: file, line from 0, name.
    """
    from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

    path, line, _ = location
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative([f"{text}\n"])], extraline=None, style="native"),
        reprcrash=ReprFileLocation(path, (line or 0) + 1, text.split("\n", 1)[0]),
    )
