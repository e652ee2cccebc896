"""Prompt templates and other texts for models: reading them, filling their slots, building messages."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Setting
from retrocypher.prompts.templates.exemplars import Exemplar
from retrocypher.prompts.validation.finding import CONVENTIONS, Convention

PROMPT_SETS = ("paper", "guided")
_SHIPPED = Path(__file__).parent
_SETTINGS: dict[str, Setting] = {
    **{f"P{number}": "single_step" for number in range(1, 6)},
    **{f"P{number}": "multi_step" for number in range(6, 11)},
}
_EXEMPLAR_FILE = "exemplar.md"
_USER_MARK = re.compile(r"^=== user ===[ \t]*(?:\n|\Z)", re.MULTILINE)
_DECLARATION = re.compile(r"=== answers:[ \t]*(\S*)[ \t]*===[ \t]*(?:\n|\Z)")
_LOOKS_LIKE_A_PROMPT = re.compile(r"p\d+(\.(md|txt))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt template.

    Attributes:
        id: ``P1`` to ``P10``; of a table prompt the name of its file.
        text: The template, with the slots ``{schema}`` and ``{question}``; other braces are plain text.
        exemplar_text: How an exemplar is shown, with the slots ``{exemplar_question}`` and
            ``{exemplar_cypher}``.
        convention: What it wants returned: ``benchmark`` for the full context of each reaction or whole
            routes of reactions, ``as-asked`` for what the question's words ask for.
    """

    id: str
    setting: Setting
    text: str
    exemplar_text: str
    convention: Convention = "benchmark"

    @property
    def sha256(self) -> str:
        """Hash of all that shapes the messages: the template and the way an exemplar is shown."""
        return hashlib.sha256(f"{self.text}\0{self.exemplar_text}".encode()).hexdigest()


def build_messages(
    prompt: Prompt, schema: str, question: str, exemplar: Exemplar | None, addendum: str = ""
) -> list[dict[str, str]]:
    """Return the chat messages of a case; `exemplar` is None with zero-shot.

    The system message holds role, schema and guidelines and is the same with and without an exemplar; the
    user message holds the exemplar, where there is one, and the question (the paper's appendix 5.1 and 5.2).
    A template without the line ``=== user ===`` is one user message. An addendum stands at the end.
    """
    values = {"schema": schema.strip(), "question": question.strip()}
    system, user = _split(prompt.text)
    content = fill_slots(user, values)
    if exemplar is not None:
        shown = {"exemplar_question": exemplar.question, "exemplar_cypher": exemplar.cypher}
        content = f"{fill_slots(prompt.exemplar_text, shown)}\n\n{content}"
    if addendum:
        content = f"{content}\n\n{addendum}"
    messages = [{"role": "user", "content": content}]
    if system:
        messages.insert(0, {"role": "system", "content": fill_slots(system, values)})
    return messages


def _split(text: str) -> tuple[str, str]:
    """Return the system and the user part of a template; the system part is empty where there is no mark."""
    mark = _USER_MARK.search(text)
    return (text[: mark.start()], text[mark.end() :]) if mark else ("", text)


def fill_slots(text: str, values: Mapping[str, str]) -> str:
    """Fill slots in one pass: what is filled in is never read as a template, whatever braces it has."""
    slot = re.compile("|".join(re.escape("{" + name + "}") for name in values))
    return slot.sub(lambda match: values[match[0][1:-1]], text).strip()


def load_prompts(prompt_set: str = PROMPT_SETS[0], folder: Path | None = None) -> dict[str, Prompt]:
    """Return the ten prompts of a set by name, P1 first.

    A user's folder has templates ``P1.md`` to ``P10.md`` and ``exemplar.md``, which replace the shipped ones
    of the same name. Raises InputError if there is no such set, the folder or a file in it cannot be read, a
    file is named like a prompt but is none, no file replaces anything, or a template lacks a slot.
    """
    if prompt_set not in PROMPT_SETS:
        raise InputError(f"--prompt-set {prompt_set}: no such set; choose from {', '.join(PROMPT_SETS)}")
    own = {} if folder is None else _files_of(folder)
    paths = {name: own.get(f"{name}.md", _SHIPPED / prompt_set / f"{name}.md") for name in _SETTINGS}
    exemplar_path = own.get(_EXEMPLAR_FILE, _SHIPPED / _EXEMPLAR_FILE)
    exemplar_text = _read(exemplar_path, "exemplar_question", "exemplar_cypher")
    return {name: _prompt(name, _SETTINGS[name], path, exemplar_text) for name, path in paths.items()}


def load_table_prompts(folder: Path | None = None) -> dict[str, Prompt]:
    """Return the prompts of table questions by name: the shipped ones, then those of a suite's folder.

    Each is a file ``NAME.md``; ``exemplar.md`` says how an exemplar is shown. Raises InputError as
    `load_prompts` does.
    """
    paths: dict[str, Path] = {}
    for each in (_SHIPPED / "table", *([folder] if folder else [])):
        paths |= {path.name: path for path in sorted(each.glob("*.md"))}
    exemplar_text = _read(paths.pop(_EXEMPLAR_FILE), "exemplar_question", "exemplar_cypher")
    return {path.stem: _prompt(path.stem, "table", path, exemplar_text) for path in paths.values()}


def prompt_set_sha256(prompt_set: str) -> str:
    """Return the hash of a shipped set, over those of its ten prompts."""
    hashes = (prompt.sha256 for prompt in load_prompts(prompt_set).values())
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def _files_of(folder: Path) -> dict[str, Path]:
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(
            f"--prompt-dir {folder}: {error.strerror}; give a folder with templates P1.md to P10.md"
        ) from error
    known = {_EXEMPLAR_FILE, *(f"{name}.md" for name in _SETTINGS)}
    for path in found:
        if path.name not in known and _LOOKS_LIKE_A_PROMPT.fullmatch(path.name):
            raise InputError(
                f"--prompt-dir: {path} is no prompt's name; rename it to one of P1.md to P10.md, or remove it"
            )
    own = {path.name: path for path in found if path.name in known}
    if not own:
        raise InputError(f"--prompt-dir {folder}: no template in it; add at least one of P1.md to P10.md")
    return own


def _prompt(name: str, setting: Setting, path: Path, exemplar_text: str) -> Prompt:
    text, convention = _declared(_read(path, "schema", "question"), path)
    system, user = _split(text)
    if "{question}" in system or "{question}" not in user:
        raise InputError(
            f"prompt template {path}: {{question}} stands above the line '=== user ==='; move it below"
        )
    return Prompt(name, setting, text, exemplar_text, convention)


def _declared(text: str, path: Path) -> tuple[str, Convention]:
    """Split off the line that declares what a template wants returned."""
    line = _DECLARATION.match(text)
    if line is None:
        return text, CONVENTIONS[0]
    for convention in CONVENTIONS:
        if line[1] == convention:
            return text[line.end() :], convention
    raise InputError(
        f"prompt template {path}: no convention {line[1]!r}; write one of {', '.join(CONVENTIONS)} in its "
        "line '=== answers: ... ==='"
    )


def _read(path: Path, *slots: str) -> str:
    """Return a template, which must have these slots."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"prompt template {path}: {error.strerror}; make it readable") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"prompt template {path}: not UTF-8 at byte {error.start}; save it as UTF-8"
        ) from error
    for slot in slots:
        if "{" + slot + "}" not in text:
            raise InputError(f"prompt template {path}: no slot {{{slot}}}; write {{{slot}}} where it belongs")
    return text


class Texts:
    """The texts ``NAME.md`` in a folder, whose system part stands above the line ``=== user ===``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def messages(self, name: str, values: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the system and the user message of a text, its slots filled."""
        system, user = self._parts[name]
        return [
            {"role": "system", "content": fill_slots(system, values)},
            {"role": "user", "content": fill_slots(user, values)},
        ]

    def text(self, name: str, values: Mapping[str, str]) -> str:
        """Return a text that is only part of a message, its slots filled."""
        return fill_slots(self._parts[name][1], values) if values else self._parts[name][1].strip()

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of each text by its name."""
        return {file.stem: hashlib.sha256(file.read_bytes()).hexdigest() for file in self._files}

    @property
    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.md"))

    @cached_property
    def _parts(self) -> dict[str, tuple[str, str]]:
        return {file.stem: _split(file.read_text(encoding="utf-8")) for file in self._files}
