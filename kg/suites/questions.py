"""The questions of a table suite, as ``questions.jsonl`` has them."""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from retrocypher.kg.cypher.clauses import clauses, writing_clauses
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError, conversion_fault
from retrocypher.kg.execution.guard import guard_rules, refusal_by_tokens
from retrocypher.kg.questions.question import Question, TableFacts
from retrocypher.kg.suites.suite import QUESTIONS_FILE

_NOT_SLICES = frozenset(
    [
        "setting",
        "task",
        "steps",
        "model",
        "loop",
        "prompt",
        "shot",
        "prompt_shot",
        "phrasing",
        "repeat",
        "template",
    ]
)
Split = Literal["test", "train"]

STORED_ROWS = 100
"""Rows of the longest answer that generated questions store."""


class TableQuestion(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One question with its reference query."""

    id: str
    task: str
    """Its group in tables: for generated questions the matching pattern, such as ``two_hops``."""
    question: str
    cypher: str | None
    """The reference query; null if the graph cannot answer the question."""
    template_text: str = ""
    """The question as its template has it, if a model rewrote it."""
    readings: list[str] = []
    """For an ambiguous question: the queries of its other valid readings."""
    match: str = ""
    """The instantiated MATCH clause; questions that share it belong together."""
    template: str = ""
    """The RETURN template."""
    entities: list[str] = []
    """Names of the nodes that the question names, each with its label: ``Airport:LAX``."""
    facts: dict[str, str] = {}
    """More slices by name, such as ``graph``."""
    rows: int | None = None
    """Number of rows of the answer."""
    answer: list[list[Any]] | None = None
    """The rows of the answer; null where the reference query has to be run."""
    split: Split = "test"
    """Questions of the training split are exemplars and are never asked."""


def asked(question: TableQuestion, slices: Collection[str] = ()) -> Question:
    """Return a table question as the session asks it, with the slices named, or all without a name."""
    found = {**({"template": question.template} if question.template else {}), **question.facts}
    found = {name: value for name, value in found.items() if not slices or name in slices}
    return Question(
        id=question.id,
        task=question.task,
        setting="table",
        steps=1,
        text=question.question,
        slots={},
        reference_cypher=question.cypher or "",
        gold=[{"row": row} for row in question.answer or ()],
        target=question.id,
        discriminating=True,
        table=TableFacts(question.match, tuple(question.entities), found, tuple(question.readings)),
    )


def read_questions(folder: Path) -> list[TableQuestion]:
    """Read ``questions.jsonl``; raise InputError, which names file and line, if one is not valid."""
    file = folder / QUESTIONS_FILE
    found: list[TableQuestion] = []
    seen: dict[str, int] = {}
    for number, line in _lines(file):
        try:
            question = msgspec.convert(json.loads(line), TableQuestion)
        except msgspec.ValidationError as error:
            raise InputError(f"{file}, line {number}: {conversion_fault(error)}") from error
        except ValueError as error:
            # The line that json names is always the first.
            reason = str(error).replace("line 1 column", "at character")
            raise InputError(
                f"{file}, line {number}: not valid JSON ({reason}). Correct the line."
            ) from error
        except RecursionError as error:
            raise InputError(f"{file}, line {number}: nested too deeply. Flatten the values.") from error
        if not question.id or not question.question.strip() or not question.task:
            raise InputError(f"{file}, line {number}: id, task and question must not be empty")
        if taken := sorted(_NOT_SLICES & question.facts.keys()):
            raise InputError(f"{file}, line {number}: {taken[0]!r} in facts has a meaning already; rename it")
        if fault := _fault_of_queries(question):
            raise InputError(f"{file}, line {number}: {fault}")
        if lost := [each for each in question.entities if not all(each.partition(":"))]:
            raise InputError(f"{file}, line {number}: entities: write {lost[0]!r} as Label:name")
        if question.id in seen:
            raise InputError(
                f"{file}, line {number}: the id {question.id!r} is that of line {seen[question.id]}"
            )
        seen[question.id] = number
        found.append(question)
    if not any(each.split == "test" for each in found):
        raise InputError(f"{file}: holds no question of the test split")
    return found


def _fault_of_queries(question: TableQuestion) -> str | None:
    """Return why the queries of a question cannot be used; None if they can."""
    if question.cypher is None and question.readings:
        return f"{question.id} has readings, but no reference query; move one of them there"
    for query in (question.cypher, *question.readings):
        if query is None:
            continue
        if fault := _fault_of_query(query):
            return f"the reference query of {question.id} {fault}"
    return None


def _fault_of_query(query: str) -> str | None:
    parsed = parse(query)
    if not query.strip() or parsed.errors:
        return f"is no Cypher: {parsed.errors[0].message if parsed.errors else 'it is empty'}"
    if writing := writing_clauses(parsed):
        return f"writes: {writing[0].kind}"
    if refusal := refusal_by_tokens(parsed.tokens, guard_rules()):
        return f"is refused: {refusal}"
    if any(token.name == "DOLLAR" for token in parsed.tokens):
        return "has a parameter; write its value"
    if not any(clause.kind in ("RETURN", "CALL") for clause in clauses(parsed)):
        return "returns nothing; end it with RETURN"
    return None


def write_questions(folder: Path, questions: Iterable[TableQuestion]) -> None:
    """Write ``questions.jsonl``, whole or not at all."""
    lines = (json.dumps(msgspec.to_builtins(each), ensure_ascii=False) + "\n" for each in questions)
    pending = folder / f"{QUESTIONS_FILE}.partial"
    pending.write_text("".join(lines), encoding="utf-8")
    pending.replace(folder / QUESTIONS_FILE)


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read ({error})") from error
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
