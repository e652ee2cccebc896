"""Explains what is wrong with a case: difference from gold, finding behind the label, acts of the loop."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import UNSET, UnsetType

from retrocypher.kg.errors import GraphError
from retrocypher.kg.questions.question import Question
from retrocypher.kg.semantics.schema import Schema
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.runs.record import (
    GENERATOR,
    Explanation,
    FailureReasons,
    Fallback,
    Record,
    Round,
    Scores,
)
from retrocypher.plugins.scoring.columns import ID_KEY, KeyMatcher
from retrocypher.plugins.scoring.labels import diagnose
from retrocypher.plugins.scoring.single_step import Values, focus_key, values_by_key
from retrocypher.plugins.scoring.table import compare

LONGEST = 20_000
"""Most characters of a difference on a record."""
_LONGEST_TEXT = 2_000
_VALUES = 50
"""Most values of one key and sign."""

_VALIDATOR = "validator:"
_NOTHING_FOUND = frozenset({"ok", "unchanged"})
_SHOWN_ELSEWHERE = frozenset({"analyst", "fallback"})
"""The analyst writes the same text for all cases; the rows of a fallback have a line of their own."""


def explain(
    record: Record, question: Question, finding: str | None, key_encoder: KeyMatcher | None
) -> Explanation | UnsetType:
    """Return the explanation to store on a record; UNSET if nothing is wrong. `finding` is of `diagnose`."""
    return _explanation(record, question, finding, _differing(record, question, key_encoder))


def explanation_of(
    record: Record, question: Question, schema: Schema | None, key_encoder: KeyMatcher | None
) -> Explanation:
    """Return the stored explanation of a record, else a new one, with a finding only if there is a schema."""
    found = record.explanation
    if found is UNSET:
        values = _differing(record, question, key_encoder)
        reusable = values if key_encoder is None else None
        finding = None if schema is None else _finding(record, question, schema, reusable)
        found = _explanation(record, question, finding, values)
    return Explanation() if found is UNSET else found


def difference(values: Mapping[str, Values]) -> list[str]:
    """Return the difference between gold and result, a line a value or route: ``-`` missing, ``+`` extra."""
    found = {
        key: (gold - returned, returned - gold)
        for key, (gold, returned) in values.items()
        if _differ(key, gold, returned)
    }
    if not found and ID_KEY in values:
        gold, returned = values[ID_KEY]
        found[ID_KEY] = (gold - returned, returned - gold)
    lines = [
        line
        for key, (missing, extra) in found.items()
        for sign, each in (("-", missing), ("+", extra))
        for line in _lines(sign, key, each)
    ]
    return _bounded(lines) or ["no difference"]


def _bounded(lines: Sequence[str]) -> list[str]:
    room = LONGEST
    for number, line in enumerate(lines):
        room -= len(line)
        if room < 0:
            return [*lines[:number], f"  {counted(len(lines) - number, 'more line')}"]
    return list(lines)


def _lines(sign: str, key: str, values: Collection[Any]) -> Iterator[str]:
    shown = sorted(values, key=_in_order)[:_VALUES]
    yield from (f"{sign} {key}: {' -> '.join(map(str, v)) if isinstance(v, tuple) else v}" for v in shown)
    if len(values) > _VALUES:
        yield f"{sign} {key}: {len(values) - _VALUES:,} more"


def _in_order(value: Any) -> tuple[int, Any]:
    """Order routes by their ids, and all else by its text."""
    return (0, value) if isinstance(value, tuple) else (1, str(value))


def _differ(key: str, gold: frozenset[Any], returned: frozenset[Any]) -> bool:
    """Whether what is scored differs: yields that are nearly the same do not, and the id has no score."""
    if key == "route":
        return gold != returned
    return key != ID_KEY and compare(key, returned, gold).f1 < 1.0


def _explanation(
    record: Record, question: Question, finding: str | None, values: Mapping[str, Values] | None
) -> Explanation | UnsetType:
    if record.scores is None or (values is None and record.passed):
        return UNSET
    lines = [] if values is None else difference(values)
    reasons = FailureReasons() if record.passed else _reasons(record, record.scores, question, finding)
    return Explanation(lines, reasons)


def _differing(
    record: Record, question: Question, key_encoder: KeyMatcher | None
) -> Mapping[str, Values] | None:
    """The values of a case that failed or whose result is not all right; None of any other."""
    if record.scores is None or record.execution is None:
        return None
    if record.scores.f1 >= 1.0 and record.passed:
        return None
    # A table question may come without its rows.
    return values_by_key(question, record.execution, key_encoder) or None


def _finding(
    record: Record, question: Question, schema: Schema, values: Mapping[str, Values] | None
) -> str | None:
    if record.passed or not record.errors or record.execution is None or record.scores is None:
        return None
    if record.setting == "table" or not record.is_answerable:
        return None
    try:
        diagnosis = diagnose(question, record.cypher, record.execution, record.scores, schema, values)
    except GraphError:
        # The tables of Cypher's grammar cannot be had: there is no finding then, but all else.
        return None
    # A label that another version of RetroCypher gave is not explained by today's finding.
    return diagnosis.message if diagnosis.labels[:1] == (record.errors[0],) else None


def _reasons(record: Record, scores: Scores, question: Question, finding: str | None) -> FailureReasons:
    texts = {"finding": finding, "focus": _focus(scores, question), "loop": _loop(record)}
    return FailureReasons(**{name: text[:_LONGEST_TEXT] for name, text in texts.items() if text is not None})


def _focus(scores: Scores, question: Question) -> str | None:
    if scores.f1 == 1.0 and scores.row_f1 not in (None, 1.0):
        return "all values are right, but not the ids or the rows of their reactions"
    if scores.focus_f1 != 1.0 or scores.f1 == 1.0:
        return None
    return (
        f"the key asked for ({focus_key(question)}) is right; "
        "F1 is of the whole reaction, which the shipped prompts want"
    )


def _loop(record: Record) -> str | None:
    if record.loop == "none":
        return None
    rounds = [turn for turn in record.rounds if turn.role != GENERATOR and not turn.of_answer]
    fallback = record.execution.fallback if record.execution is not None else UNSET
    acts = [*_acts(rounds), *([] if fallback is UNSET else [_fallback(fallback)])]
    return f"{record.loop}: {'; '.join(acts) or 'changed nothing'}"


def _acts(rounds: Sequence[Round]) -> Iterator[str]:
    """What each role did in turn; a role that acts several times on end is named once."""
    for role, turns in groupby(filter(_acted, rounds), key=lambda turn: turn.role):
        if role.startswith(_VALIDATOR):
            yield from (f"{role.removeprefix(_VALIDATOR)} {_found(turn)}" for turn in turns)
        else:
            yield f"{role}: {', '.join(turn.verdict or '' for turn in turns)}"


def _acted(turn: Round) -> bool:
    if turn.verdict is None or turn.role in _SHOWN_ELSEWHERE:
        return False
    return turn.role == "corrector" or turn.verdict not in _NOTHING_FOUND


def _found(turn: Round) -> str:
    labels = dict.fromkeys(_labels(turn.findings))
    return "found " + (", ".join(labels) or "nothing") if turn.verdict != "malformed" else "malformed"


def _labels(findings: Iterable[Any]) -> Iterator[str]:
    for finding in findings:
        if isinstance(finding, Mapping) and "label" in finding:
            yield str(finding["label"])


def _fallback(fallback: Fallback) -> str:
    scores = fallback.scores
    return (
        f"fallback ({fallback.reason}): {counted(fallback.row_count, 'row')}, "
        f"recall {scores.recall:.3f}, F1 {scores.f1:.3f}, not counted for the case"
    )
