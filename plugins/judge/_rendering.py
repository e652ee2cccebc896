"""A case as a judge is shown it."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from plugins.judge._case import JudgeCase, Variant
from plugins.judge._criteria import Criteria

_NO_QUERY = "(there is none)"
_MARK = 12


@dataclass(frozen=True, slots=True)
class Shown:
    """The parts of a case.

    Attributes:
        common: The schema, with which `asked` begins: it is the same for all cases.
        asked: Schema and question.
        answered: Query, and rows where they are shown.
        expected: The reference; None where it is not shown.
    """

    common: str
    asked: str
    answered: str
    expected: str | None


def shown(case: JudgeCase, variant: Variant, criteria: Criteria) -> Shown:
    """Return what a judge is shown.

    Each text stands between marks made of a hash over all of them, so that none can hold its own end; the
    schema, which comes first, between marks of its own hash, so that it is the same for all cases.

    Args:
        case: The case.
        variant: Whether the reference is shown.
        criteria: How many rows are shown.
    """
    parts = {
        "schema": case.schema.strip(),
        "question": case.question,
        "query": _NO_QUERY if case.cypher is None else case.cypher,
    }
    if case.rows is not None and criteria.rows:
        parts["rows"] = "\n".join(_rows(case, criteria))
    if variant == "with_reference":
        parts["reference query"] = case.reference
    parts = {name: _plain(text) for name, text in parts.items()}
    mark = _mark("\0".join(parts.values()))
    marks = dict.fromkeys(parts, mark) | {"schema": _mark(parts["schema"])}
    marked = {name: f"<<< {name} {marks[name]}\n{text}\n>>> {marks[name]}" for name, text in parts.items()}
    answered = [marked[name] for name in ("query", "rows") if name in marked]
    return Shown(
        common=marked["schema"],
        asked=f"{marked['schema']}\n{marked['question']}",
        answered="\n".join(answered),
        expected=marked.get("reference query"),
    )


def characters(case: JudgeCase, variant: Variant, criteria: Criteria) -> int:
    """Return about how long the prompt about a case is, in characters.

    Args:
        case: The case.
        variant: Whether the reference is shown.
        criteria: What is judged by.
    """
    parts = shown(case, variant, criteria)
    grades = (grade.meaning for grade in criteria.rubric)
    texts = (criteria.prompt, *criteria.steps[variant], *grades, parts.asked, parts.answered)
    return sum(map(len, texts)) + len(parts.expected or "")


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]


def _rows(case: JudgeCase, criteria: Criteria) -> Iterator[str]:
    rows = case.rows or ()
    yield json.dumps(list(case.columns or ()), ensure_ascii=False)
    for row in rows[: criteria.rows]:
        line = json.dumps(row, ensure_ascii=False)
        cut = len(line) - criteria.row_length
        yield line if cut <= 0 else f"{line[: criteria.row_length]}… ({cut} more characters)"
    if len(rows) > criteria.rows:
        yield f"… ({len(rows) - criteria.rows} more rows)"
    if not rows:
        yield "(no rows)"


def _plain(text: str) -> str:
    # DeepEval takes this for a picture in its store.
    return text.replace("[DEEPEVAL:", "[DEEPEVAL :")
