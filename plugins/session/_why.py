"""Why a case failed, in words: for the terminal and for its page in Allure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from kg.questions import Question
from plugins.records import Record, Round, is_of_answer
from plugins.scoring import focus_key
from plugins.terminal import counted

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
