"""Question files in, checked line by line."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.questions._model import Question
from kg.questions._validation import MalformedQuestionError, question_of

DEFAULT_QUESTIONS = Path(__file__).parents[1] / "data" / "questions"
"""Folder of the committed questions."""

QUESTION_FILES = ("single_step.jsonl", "multi_step.jsonl")
MANIFEST_FILE = "manifest.json"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that belong together, and the graph they were made for.

    Attributes:
        questions: The questions, single-step first, in file order.
        fingerprint: Fingerprint of the graph that the gold answers come from.
        sha256: Hash of the question files' bytes (hex), in the order they are read.
        manifest: How the set was made: seed, counts, trivial shares, shared targets.
    """

    questions: tuple[Question, ...]
    fingerprint: str
    sha256: str
    manifest: dict[str, Any]


def load_questions(path: Path | None = None) -> QuestionSet:
    """Read a folder of questions: ``single_step.jsonl``, ``multi_step.jsonl`` and ``manifest.json``.

    Args:
        path: The folder; the shipped questions when None. One of the two question files may be absent.

    Raises:
        InputError: If a file cannot be read, a line is not a valid question (named by file and line), or the
            manifest describes other files. A set made by hand may leave ``files``, ``questions`` and
            ``counts`` out of its manifest.
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
