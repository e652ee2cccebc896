"""Reading and checking the files of a question set."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_origin, get_type_hints

from msgspec import ValidationError, convert

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.reaction import ROLES
from retrocypher.kg.questions.question import (
    MULTI_STEP_TASKS,
    TASKS,
    UNANSWERABLE,
    Question,
    TableFacts,
    paraphrases_of,
    setting_of,
)

ROUTE_STEPS = (2, 3, 4)
_FIELDS = {
    name: str if get_origin(kind) is Literal else get_origin(kind) or kind
    for name, kind in get_type_hints(Question).items()
    if name not in ("carried_share", "table")
}
"""The required fields of a question, each with the type that JSON has for it."""

_SHIPPED = Path(__file__).parents[1] / "data" / "questions"

SHIPPED_QUESTIONS = {name: _SHIPPED / name for name in ("set-2", "set-1", "random")}
"""Folders of the committed question sets by name; the first is the default one."""

DEFAULT_QUESTIONS = SHIPPED_QUESTIONS["set-2"]

QUESTION_FILES = ("single_step.jsonl", "multi_step.jsonl")
MANIFEST_FILE = "manifest.json"


class MalformedQuestionError(ValueError):
    """A JSON value is not a question; the message says which field is wrong and what it should be."""


def question_of(value: Any) -> Question:
    """Return the question that a parsed JSON line holds; raise MalformedQuestionError if a field is wrong.

    Fields that are not a question's are ignored.
    """
    if not isinstance(value, dict):
        raise MalformedQuestionError("a question must be a JSON object")
    fields: dict[str, Any] = {}
    for name, kind in _FIELDS.items():
        if name not in value:
            raise MalformedQuestionError(f"field {name!r} is missing")
        found = value[name]
        # bool is an int to Python, but true is no number of steps
        if type(found) is not kind:
            raise MalformedQuestionError(f"field {name!r} must be of type {kind.__name__}")
        if kind is str and not found and not (name == "reference_cypher" and _may_be_unanswerable(value)):
            raise MalformedQuestionError(f"field {name!r} is empty")
        fields[name] = found
    share = value.get("carried_share")
    if share is not None and (type(share) not in (int, float) or not 0 <= share <= 1):
        raise MalformedQuestionError("field 'carried_share' must be a number from 0 to 1, or null")
    question = Question(**fields, carried_share=share)
    if question.task == UNANSWERABLE and "table" not in value:
        return question
    if question.setting == "table":
        return replace(question, table=_table_facts(value.get("table")))
    _check_task(question)
    _check_slots(question)
    _check_gold(question)
    return question


def _may_be_unanswerable(value: dict[str, Any]) -> bool:
    return "table" in value or value.get("task") == UNANSWERABLE


def _table_facts(value: Any) -> TableFacts:
    try:
        return convert(value, TableFacts)
    except ValidationError as error:
        raise MalformedQuestionError(f"field 'table': {error}") from error


def _check_task(question: Question) -> None:
    if question.task not in TASKS:
        raise MalformedQuestionError(f"unknown task {question.task!r}; one of {', '.join(TASKS)}")
    setting = setting_of(question.task)
    if question.setting != setting:
        raise MalformedQuestionError(
            f"setting of {question.task} must be {setting!r}, not {question.setting!r}"
        )
    allowed = ROUTE_STEPS if question.task in MULTI_STEP_TASKS else (1,)
    if question.steps not in allowed:
        raise MalformedQuestionError(
            f"steps of {question.task} must be {' or '.join(map(str, allowed))}, not {question.steps}"
        )


def _check_slots(question: Question) -> None:
    """Check the slots. All paraphrases of the task may be asked, so each needs all of its slots."""
    for name in paraphrases_of(question.task).slots:
        if name not in question.slots:
            raise MalformedQuestionError(f"slots of {question.task} must name {name!r}")
        found = question.slots[name]
        match name:
            case "steps":
                fits, wanted = (
                    type(found) is int and found == question.steps,
                    f"{question.steps}, as 'steps' is",
                )
            case "products":
                fits = _is_product_set(found) and question.target in found
                wanted = f"two or more different molecules, {question.target!r} among them"
            case "role":
                fits, wanted = found in ("agents", "solvents"), "'agents' or 'solvents'"
            case "target":
                fits, wanted = found == question.target, f"{question.target!r}, as 'target' is"
            case _:
                fits, wanted = type(found) is str and bool(found), "the name of a molecule"
        if not fits:
            raise MalformedQuestionError(f"slots: {name!r} must be {wanted}, not {found!r}")


def _is_product_set(found: Any) -> bool:
    return (
        isinstance(found, list)
        and all(type(name) is str and name for name in found)
        and len(set(found)) == len(found) >= 2
    )


def _check_gold(question: Question) -> None:
    if not question.gold:
        raise MalformedQuestionError("gold is empty")
    multi_step = question.setting == "multi_step"
    for row in question.gold:
        if not isinstance(row, dict):
            raise MalformedQuestionError("gold must be a list of objects")
        if multi_step:
            _check_route(row, question.steps)
        else:
            _check_reaction(row, question.task)


def _check_route(row: dict[str, Any], steps: int) -> None:
    route = row.get("route")
    if not isinstance(route, list) or len(route) != steps or any(type(item) is not int for item in route):
        raise MalformedQuestionError(f"gold: each row needs a route of {steps} reaction ids")


def _check_reaction(row: dict[str, Any], task: str) -> None:
    if type(row.get("id")) is not int:
        raise MalformedQuestionError("gold: each row needs a reaction id")
    for role in (*ROLES, "co_products") if task == "co_products" else ROLES:
        names = row.get(role)
        if not isinstance(names, list) or any(type(name) is not str for name in names):
            raise MalformedQuestionError(f"gold: each row needs {role!r}, a list of molecule names")
    if task == "best_yield" and type(row.get("target_yield")) not in (int, float):
        raise MalformedQuestionError("gold: each row needs 'target_yield', a number")


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a set, single-step first, and the fingerprint of the graph of their gold.

    ``sha256`` is the hash of the question files' bytes in the order they are read.
    """

    questions: tuple[Question, ...]
    fingerprint: str
    sha256: str
    manifest: dict[str, Any]


def question_folder(spec: str | None) -> Path:
    """Return the folder that ``--questions`` names: a shipped set by its name, or any folder."""
    return DEFAULT_QUESTIONS if not spec else SHIPPED_QUESTIONS.get(spec, Path(spec))


def load_questions(path: Path | None = None) -> QuestionSet:
    """Read a folder of questions: ``single_step.jsonl``, ``multi_step.jsonl`` and ``manifest.json``.

    One of the two question files may be absent. A set made by hand may leave ``files``, ``questions`` and
    ``counts`` out of its manifest. Raise InputError if a file cannot be read, a line is not a valid question
    (named by file and line), or the manifest describes other files.
    """
    folder = DEFAULT_QUESTIONS if path is None else path
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; `retrocypher questions build` makes a set of questions")
    manifest = _manifest(folder / MANIFEST_FILE)
    digest = hashlib.sha256()
    questions: list[Question] = []
    seen: dict[str, str] = {}
    hashes: dict[str, str] = {}
    for file in (folder / name for name in QUESTION_FILES):
        if not file.exists():
            continue
        content = _bytes(file)
        digest.update(content)
        hashes[file.name] = hashlib.sha256(content).hexdigest()
        for where, question in _questions(file, content):
            if question.id in seen:
                raise InputError(f"{where}: duplicate id {question.id!r}, first used at {seen[question.id]}")
            seen[question.id] = where
            questions.append(question)
    if not questions:
        raise InputError(f"{folder}: holds no questions; expected {' or '.join(QUESTION_FILES)}")
    _require_described(folder, manifest, hashes, questions)
    return QuestionSet(tuple(questions), manifest["graph_fingerprint"], digest.hexdigest(), manifest)


def _questions(file: Path, content: bytes) -> Iterator[tuple[str, Question]]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        try:
            yield where, question_of(json.loads(line))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{where}: not valid JSON ({error})") from error
        except MalformedQuestionError as error:
            raise InputError(f"{where}: {error}") from error


def _manifest(file: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(_bytes(file))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: not valid JSON ({error})") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("graph_fingerprint"), str):
        raise InputError(f"{file}: names no graph_fingerprint; make the set again with `questions build`")
    return manifest


def _require_described(
    folder: Path, manifest: dict[str, Any], hashes: dict[str, str], questions: list[Question]
) -> None:
    """Refuse files that were changed, added or lost since the manifest was written."""
    said = None
    if "files" in manifest and manifest["files"] != hashes:
        described = manifest["files"] if isinstance(manifest["files"], dict) else {}
        names = [name for name in QUESTION_FILES if described.get(name) != hashes.get(name)]
        said = f"{' and '.join(names) or 'files'} not as described"
    elif "questions" in manifest and manifest["questions"] != len(questions):
        said = f"{len(questions):,} questions, the manifest speaks of {manifest['questions']}"
    elif "counts" in manifest and _by_task(manifest["counts"]) != Counter(each.task for each in questions):
        said = "other numbers of questions of each task than the manifest has under counts"
    if said:
        raise InputError(
            f"{folder / MANIFEST_FILE} does not fit the questions beside it: {said}. Restore the files, or "
            "make the set again with `retrocypher questions build`; where you changed questions yourself, "
            "take the entries files, questions and counts out of the manifest."
        )


def _by_task(counts: Any) -> Counter[str] | None:
    """Add up what a manifest counts by kind, such as ``conditions agents``; None where it is no count."""
    by_task: Counter[str] = Counter()
    for kind, count in counts.items() if isinstance(counts, dict) else ():
        if type(count) is not int:
            return None
        by_task[kind.partition(" ")[0]] += count
    return +by_task


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from error
