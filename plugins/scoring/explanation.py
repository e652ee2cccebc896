"""What an answer lacks and what it has too much, for a person to read."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from retrocypher.kg.questions.question import Question
from retrocypher.kg.semantics.schema import Schema
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.runs.record import Record, Round, is_of_answer
from retrocypher.plugins.scoring.columns import ID_KEY, KeyMatcher
from retrocypher.plugins.scoring.counts import compare
from retrocypher.plugins.scoring.labels import diagnose
from retrocypher.plugins.scoring.single_step import Values, focus_key, values_by_key

_SHOWN = 50


def difference(values: Mapping[str, Values]) -> str:
    """Return the difference between gold and answer, a line a value or route: ``-`` missing, ``+`` extra.

    Args:
        values: What the result holds and what it should hold (see `values_by_key`).
    """
    found = {
        key: (gold - returned, returned - gold)
        for key, (gold, returned) in values.items()
        if _differ(key, gold, returned)
    }
    lines = (
        line
        for key, (missing, extra) in found.items()
        for sign, values in (("-", missing), ("+", extra))
        for line in _lines(sign, key, values)
    )
    return "\n".join(lines) or "no difference"


def _lines(sign: str, key: str, values: Collection[Any]) -> Iterator[str]:
    shown = sorted(values, key=_in_order)[:_SHOWN]
    yield from (f"{sign} {key}: {' -> '.join(map(str, v)) if isinstance(v, tuple) else v}" for v in shown)
    if len(values) > _SHOWN:
        yield f"{sign} {key}: {len(values) - _SHOWN:,} more"


def _in_order(value: Any) -> tuple[int, Any]:
    """Order routes by their ids, and all else by its text."""
    return (0, value) if isinstance(value, tuple) else (1, str(value))


def _differ(key: str, gold: frozenset[Any], returned: frozenset[Any]) -> bool:
    """Whether what is scored differs: yields that are nearly the same do not, and the id has no score."""
    if key == "route":
        return gold != returned
    return key != ID_KEY and compare(key, returned, gold).f1 < 1.0


_VALIDATOR = "validator:"
_NOTHING_TO_TELL = frozenset({"ok", "unchanged"})
_TOLD_ELSEWHERE = frozenset({"analyst", "fallback"})
"""The one makes the same text for all cases; the rows of the other have a line of their own."""


def why(record: Record, question: Question, finding: str | None) -> dict[str, str]:
    """Return what there is to say of a failed case beside its labels, by what it is about.

    Args:
        record: The record of a case that has scores.
        question: Its question.
        finding: What the text of the query shows of the primary label (see `plugins.taxonomy.diagnose`).

    Returns:
        ``finding``; ``focus``, where the key that was asked for is right; ``loop``, what the loop did. Each
        only where there is something to say.
    """
    said = {
        "finding": finding,
        "focus": _focus(record.scores or {}, question),
        "loop": _loop(record),
    }
    return {about: text for about, text in said.items() if text is not None}


def _focus(scores: Mapping[str, Any], question: Question) -> str | None:
    if scores.get("focus_f1") != 1.0 or scores["f1"] == 1.0:
        return None
    return (
        f"the key asked for ({focus_key(question)}) is right; "
        "F1 is of the whole reaction, which the shipped prompts want"
    )


def _loop(record: Record) -> str | None:
    if record.loop == "none":
        return None
    rounds = [turn for turn in record.rounds[1:] if not is_of_answer(turn.role)]
    acts = [*_acts(rounds), *_fallback((record.execution or {}).get("fallback"))]
    return f"{record.loop}: {'; '.join(acts) or 'changed nothing'}"


def _acts(rounds: Sequence[Round]) -> Iterator[str]:
    """What each role did in turn; a role that acts several times on end is named once."""
    telling = [turn for turn in rounds if _tells(turn)]
    for role, turns in groupby(telling, key=lambda turn: turn.role):
        if role.startswith(_VALIDATOR):
            yield from (f"{role.removeprefix(_VALIDATOR)} {_judged(turn)}" for turn in turns)
        else:
            yield f"{role}: {', '.join(turn.verdict or '' for turn in turns)}"


def _tells(turn: Round) -> bool:
    if turn.verdict is None or turn.role in _TOLD_ELSEWHERE:
        return False
    return turn.role == "corrector" or turn.verdict not in _NOTHING_TO_TELL


def _judged(turn: Round) -> str:
    labels = dict.fromkeys(_labels(turn.findings))
    return "found " + (", ".join(labels) or "nothing") if turn.verdict != "malformed" else "malformed"


def _labels(findings: Iterable[Any]) -> Iterator[str]:
    for finding in findings:
        if isinstance(finding, Mapping) and "label" in finding:
            yield str(finding["label"])


def _fallback(fallback: Mapping[str, Any] | None) -> Iterator[str]:
    if fallback is not None:
        scores, count = fallback["scores"], fallback["row_count"]
        rows = counted(count, "row")
        yield (
            f"fallback ({fallback['reason']}): {rows}, recall {scores['recall']:.3f}, "
            f"F1 {scores['f1']:.3f}, not counted for the case"
        )


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a case.

    Attributes:
        difference: What the answer lacks and what it has too much, a line each; empty where it is right.
        why: What else there is to say of a failed case, by what it is about.
    """

    difference: str = ""
    why: dict[str, str] = field(default_factory=dict)


def told_of(record: Record, question: Question, finding: str | None, key_encoder: KeyMatcher | None) -> Told:
    """Return what is told of a case that was asked just now.

    Args:
        record: Its record.
        question: Its question, in the wording asked.
        finding: What the text of the query shows of the primary label (see `plugins.taxonomy.diagnose`).
        key_encoder: The opt-in encoder stage of key matching.
    """
    return _told(record, question, finding, _differing(record, question, key_encoder))


def retold_of(
    record: Record, question: Question, schema: Schema | None, key_encoder: KeyMatcher | None
) -> Told:
    """Return what is told of a case, from its record: the finding is looked for again.

    Args:
        record: Its record.
        question: Its question, in the wording asked.
        schema: The schema of the graph; without one there is no finding.
        key_encoder: The opt-in encoder stage of key matching.

    Raises:
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    differing = _differing(record, question, key_encoder)
    plain = differing if key_encoder is None else None
    finding = None if schema is None else _finding(record, question, schema, plain)
    return _told(record, question, finding, differing)


def _finding(
    record: Record, question: Question, schema: Schema, values: Mapping[str, Values] | None
) -> str | None:
    """What the text of a recorded query shows of its primary label; None where it shows nothing of it."""
    if record.passed or not record.errors or record.execution is None:
        return None
    diagnosis = diagnose(question, record.cypher, record.execution, record.scores or {}, schema, values)
    # Of labels that an older or newer RetroCypher found, today's finding would not be the reason.
    return diagnosis.message if diagnosis.labels[:1] == (record.errors[0],) else None


def _differing(
    record: Record, question: Question, key_encoder: KeyMatcher | None
) -> Mapping[str, Values] | None:
    """The values of a case whose answer is not all right; None of any other."""
    if not record.scores or record.execution is None or record.scores["f1"] >= 1.0:
        return None
    return values_by_key(question, record.execution, key_encoder)


def _told(
    record: Record, question: Question, finding: str | None, differing: Mapping[str, Values] | None
) -> Told:
    if not record.scores:
        return Told()
    return Told(
        "" if differing is None else difference(differing),
        {} if record.passed else why(record, question, finding),
    )
