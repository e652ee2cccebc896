"""Prompt templates from files: our own, or a user's."""

import re
from pathlib import Path

from kg.errors import InputError
from kg.questions import Setting
from prompts.templates._template import Prompt, split
from prompts.validation import CONVENTIONS, Convention

SHIPPED = Path(__file__).parent
SETTINGS: dict[str, Setting] = {
    **{f"P{number}": "single_step" for number in range(1, 6)},
    **{f"P{number}": "multi_step" for number in range(6, 11)},
}
EXEMPLAR_FILE = "exemplar.md"
DECLARATION = re.compile(r"=== answers:[ \t]*(\S*)[ \t]*===[ \t]*(?:\n|\Z)")
LOOKS_LIKE_A_PROMPT = re.compile(r"p\d+(\.(md|txt))?", re.IGNORECASE)


def load_prompts(folder: Path | None = None) -> dict[str, Prompt]:
    """Return the ten prompts by name, P1 first.

    Args:
        folder: A user's templates, ``P1.md`` to ``P10.md`` and ``exemplar.md``. A file there replaces the
            shipped one of its name; for the names it lacks, the shipped ones stay.

    Raises:
        InputError: If the folder or a file in it cannot be read, a file is named like a prompt but is none,
            no file replaces anything, or a template lacks a slot.
    """
    own = {} if folder is None else _files_of(folder)
    paths = {name: own.get(f"{name}.md", SHIPPED / f"{name}.md") for name in SETTINGS}
    exemplar_text = _exemplar_text(own.get(EXEMPLAR_FILE, SHIPPED / EXEMPLAR_FILE))
    return {name: _prompt(name, path, exemplar_text) for name, path in paths.items()}


def _files_of(folder: Path) -> dict[str, Path]:
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(
            f"--prompt-dir {folder}: {error.strerror}; give a folder with templates P1.md to P10.md"
        ) from error
    known = {EXEMPLAR_FILE, *(f"{name}.md" for name in SETTINGS)}
    for path in found:
        if path.name not in known and LOOKS_LIKE_A_PROMPT.fullmatch(path.name):
            raise InputError(
                f"--prompt-dir: {path} is no prompt's name; rename it to one of P1.md to P10.md, or remove it"
            )
    own = {path.name: path for path in found if path.name in known}
    if not own:
        raise InputError(f"--prompt-dir {folder}: no template in it; add at least one of P1.md to P10.md")
    return own


def _prompt(name: str, path: Path, exemplar_text: str) -> Prompt:
    text, convention = _declared(_read(path), path)
    return Prompt(name, SETTINGS[name], _template(text, path), exemplar_text, convention)


def _declared(text: str, path: Path) -> tuple[str, Convention]:
    """Return a template without the line that declares what it wants returned, and that convention."""
    line = DECLARATION.match(text)
    if line is None:
        return text, CONVENTIONS[0]
    for convention in CONVENTIONS:
        if line[1] == convention:
            return text[line.end() :], convention
    raise InputError(
        f"prompt template {path}: no convention {line[1]!r}; write one of {', '.join(CONVENTIONS)} in its "
        "line '=== answers: ... ==='"
    )


def _template(text: str, path: Path) -> str:
    _require(text, path, "schema")
    _require(text, path, "question")
    system, user = split(text)
    if "{question}" in system or "{question}" not in user:
        raise InputError(
            f"prompt template {path}: {{question}} stands above the line '=== user ==='; move it below"
        )
    return text


def _exemplar_text(path: Path) -> str:
    text = _read(path)
    _require(text, path, "exemplar_question")
    _require(text, path, "exemplar_cypher")
    return text


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"prompt template {path}: {error.strerror}; make it readable") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"prompt template {path}: not UTF-8 at byte {error.start}; save it as UTF-8"
        ) from error


def _require(text: str, path: Path, slot: str) -> None:
    if "{" + slot + "}" not in text:
        raise InputError(f"prompt template {path}: no slot {{{slot}}}; write {{{slot}}} where it belongs")
