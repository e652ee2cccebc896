"""Exemplars of one-shot prompting: their banks, which one a question is shown, and filling them in."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import yaml
from msgspec import Meta, Struct, convert
from yaml.constructor import SafeConstructor

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, Setting, TableFacts
from retrocypher.prompts.templates.encoder import Encoder, StoredEncoder, stored_encoder

SHOTS = ("ZS", "1S-S", "1S-D-R", "1S-D-S")
SHOT_ENCODER = "all-mpnet-base-v2"
"""The encoder of 1S-D-S."""

_HERE = Path(__file__).parent
_SETTINGS: tuple[Setting, ...] = ("single_step", "multi_step")
_SHOT_ALIASES = {"1S": "1S-S"}
# Cosines closer than this are a tie: it is far above float noise and far below any difference in meaning.
_COSINE_DECIMALS = 6
_MOLECULE = re.compile(r"'<MOLECULE(?:_(\d))?>'")
_SPACE = re.compile(r"(\s+)")
_BEFORE = "('\"`"
_AFTER = ")'\"`,.;:?!"


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A question and its Cypher, shown to a model in one-shot prompting.

    Attributes:
        id: Stable identifier, on the record of each case that shows it.
        question: The question as shown: placeholders in place of molecules, the step count written out.
        intent: What kind of thing the question asks for, as matched by 1S-D-S.
        cypher: The query as shown, with the same placeholders.
        pattern: The query with ``<STEPS>`` and ``<HOPS>`` still open, for `fill_exemplar`.
        steps: The step count shown; None in the single-step bank.
        static: Whether 1S-S shows it.
        match: The instantiated MATCH clause of a table question, which is never shown with it.
    """

    id: str
    setting: Setting
    task: str
    question: str
    intent: str
    cypher: str
    pattern: str = ""
    steps: int | None = None
    static: bool = False
    # Not in the repr, of which the keys of runs are made: the questions, which are in the key, determine it.
    match: str = field(default="", repr=False)


Bank = tuple[Exemplar, ...]
_Text = Annotated[str, Meta(min_length=1)]


class _Entry(Struct, forbid_unknown_fields=True):
    """An exemplar as its file has it."""

    id: _Text
    task: _Text
    question: _Text
    intent: _Text
    cypher: _Text
    steps: Annotated[int, Meta(ge=1)] | None = None
    static: bool = False


def load_banks(folder: Path | None = None, static: Sequence[str] = ()) -> dict[Setting, Bank]:
    """Return the exemplar bank of each setting.

    A user's folder has ``single_step.yaml``, ``multi_step.yaml`` or both, which replace the shipped banks.
    `static` has the ids of exemplars that 1S-S shows instead of those that the banks mark. Raises InputError
    if the folder has neither file, a file cannot be used, or `static` names no exemplar or two of one bank.
    """
    banks = {setting: load_bank(setting, folder) for setting in _SETTINGS}
    if folder is not None and not any(_bank_file(setting, folder).parent == folder for setting in _SETTINGS):
        raise InputError(f"--exemplar-dir {folder}: no bank in it; add single_step.yaml or multi_step.yaml")
    known = {exemplar.id for bank in banks.values() for exemplar in bank}
    if unknown := [name for name in static if name not in known]:
        raise InputError(
            f"--static-exemplar {unknown[0]}: no such exemplar; choose from {', '.join(sorted(known))}"
        )
    return {setting: _with_static(bank, static) for setting, bank in banks.items()}


def _with_static(bank: Bank, names: Sequence[str]) -> Bank:
    named = [exemplar.id for exemplar in bank if exemplar.id in names]
    if len(named) > 1:
        raise InputError(f"--static-exemplar {','.join(named)}: these are of one bank; name one of them")
    return tuple(replace(each, static=each.id in named) for each in bank) if named else bank


@cache
def load_bank(setting: Setting, folder: Path | None = None) -> Bank:
    """Return the exemplars of a setting, in bank order; raises InputError if the file cannot be used."""
    file = _bank_file(setting, folder)
    bank: list[Exemplar] = []
    for line, entry in _entries(file):
        where = f"exemplar bank {file}, line {line}"
        if entry.id in {each.id for each in bank}:
            raise InputError(f"{where}: a second exemplar {entry.id}; give it another id")
        if entry.static and any(each.static for each in bank):
            raise InputError(f"{where}: a second exemplar that is static; mark one")
        if entry.steps is None and re.search("<STEPS>|<HOPS>", entry.question + entry.cypher):
            raise InputError(f"{where}: <STEPS> or <HOPS> without a step count; add `steps: 5`")
        bank.append(_exemplar(setting, entry))
    return tuple(bank)


def bank_sha256(setting: Setting, folder: Path | None = None) -> str:
    """Return the hash of the file of a setting's bank."""
    return hashlib.sha256(_bank_file(setting, folder).read_bytes()).hexdigest()


def _bank_file(setting: Setting, folder: Path | None) -> Path:
    own = (folder or _HERE) / f"{setting}.yaml"
    return own if own.exists() else _HERE / own.name


def _entries(file: Path) -> list[tuple[int, _Entry]]:
    """Return the entries of a bank, each with the number of its first line."""
    line = 1
    try:
        node = yaml.compose(file.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            raise ValueError("expected a list of exemplars")
        found = []
        for entry in node.value:
            line = entry.start_mark.line + 1
            found.append((line, convert(SafeConstructor().construct_document(entry), _Entry)))
        return found
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else line
        reason = getattr(error, "problem", None) or error
        raise InputError(
            f"exemplar bank {file}, line {line}: {reason}; write it like the shipped {file.name}"
        ) from error


def _exemplar(setting: Setting, entry: _Entry) -> Exemplar:
    pattern = entry.cypher.strip()
    return Exemplar(
        id=entry.id,
        setting=setting,
        task=entry.task,
        question=_write_steps(entry.question, entry.steps),
        intent=entry.intent,
        cypher=_write_steps(pattern, entry.steps),
        pattern=pattern,
        steps=entry.steps,
        static=entry.static,
    )


def _write_steps(text: str, steps: int | None) -> str:
    return text if steps is None else text.replace("<STEPS>", str(steps)).replace("<HOPS>", str(2 * steps))


def molecules_of(slots: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the molecules a question names: the start before the target, several products in their order."""
    start = [slots["start"]] if slots.get("start") else []
    ends = slots.get("products") or ([slots["target"]] if slots.get("target") else [])
    return tuple(dict.fromkeys([*start, *ends]))


def fill_exemplar(exemplar: Exemplar, slots: Mapping[str, Any]) -> str | None:
    """Return an exemplar's query about a question's molecules and steps; None where it lacks one of them.

    ``<MOLECULE>`` takes the first molecule the question names, ``<MOLECULE_n>`` the n-th; ``<STEPS>`` takes
    its step count and ``<HOPS>`` twice that. A molecule of the question without a placeholder is left out.
    `slots` is what the question's template was filled with.
    """
    names = molecules_of(slots)
    needed = {int(match[1] or 1) for match in _MOLECULE.finditer(exemplar.pattern)}
    steps = slots.get("steps")
    if max(needed, default=0) > len(names) or (exemplar.steps is not None and steps is None):
        return None
    query = _write_steps(exemplar.pattern, None if exemplar.steps is None else steps)
    return _MOLECULE.sub(lambda match: quote(names[int(match[1] or 1) - 1]), query)


def canonical_shot(name: str) -> str:
    """Return the full name of a shot; raise InputError if there is no such shot."""
    shot = _SHOT_ALIASES.get(name, name)
    if shot not in SHOTS:
        raise InputError(f"--shot {name}: no such shot; choose from {', '.join(SHOTS)}, or all")
    return shot


def choose_exemplar(
    shot: str, question: Question, bank: Sequence[Exemplar], seed: int, encoder: Encoder | None
) -> Exemplar | None:
    """Return the exemplar for a question from the bank of its setting; None with zero-shot.

    The choice depends only on these arguments, so it is the same for every prompt and model, on every machine
    and with any number of workers. The seed is that of 1S-D-R, the encoder that of 1S-D-S. Raises InputError
    if the shot is 1S-D-S and there is no vector for the question and no way to compute one, or if a table
    question has no exemplar with another instantiated MATCH clause.
    """
    if isinstance(question.table, TableFacts) and canonical_shot(shot) != "ZS":
        match_clause = question.table.match
        bank = [each for each in bank if not match_clause or each.match != match_clause]
        if not bank:
            raise InputError(
                f"--shot {shot}: no exemplar for {question.id}: no question of the suite's training split "
                "has another MATCH clause. Use --shot ZS, or add such questions"
            )
    match canonical_shot(shot):
        case "ZS":
            return None
        case "1S-S":
            return next((exemplar for exemplar in bank if exemplar.static), bank[0])
        case "1S-D-R":
            digest = hashlib.sha256(f"{seed}:{question.id}".encode()).digest()
            return bank[int.from_bytes(digest[:8], "big") % len(bank)]
        case _:
            if encoder is None:
                raise InputError("--shot 1S-D-S needs an encoder")
            vectors = encoder.encode([masked_text(question), *map(exemplar_text, bank)])
            cosines = np.round(vectors[1:] @ vectors[0], _COSINE_DECIMALS)
            # Of equal cosines, argmax takes the first.
            return bank[int(np.argmax(cosines))]


def exemplar_text(exemplar: Exemplar) -> str:
    """Return an exemplar's question with its intent added, as 1S-D-S compares it."""
    return f"{exemplar.question} {exemplar.intent}"


def masked_text(question: Question) -> str:
    """Return a question with placeholders in place of its molecules, as 1S-D-S compares it.

    Molecules are those of the question's slots, replaced where a word of the text is exactly their SMILES,
    quotes and punctuation around it left aside. Step counts stay: they are part of what is asked.
    """
    names = molecules_of(question.slots)
    masks = {
        name: "<MOLECULE>" if len(names) == 1 else f"<MOLECULE_{number}>"
        for number, name in enumerate(names, 1)
    }
    return "".join(_masked(word, masks) for word in _SPACE.split(question.text))


def _masked(word: str, masks: Mapping[str, str]) -> str:
    """Mask a word, setting aside as little punctuation as possible: a SMILES may end with a bracket."""
    before = len(word) - len(word.lstrip(_BEFORE))
    after = len(word) - len(word.rstrip(_AFTER))
    for start in range(before + 1):
        for stop in range(len(word), len(word) - after - 1, -1):
            if (mask := masks.get(word[start:stop])) is not None:
                return word[:start] + mask + word[stop:]
    return word


def shot_encoder() -> StoredEncoder:
    """Return the encoder of 1S-D-S: shipped vectors first, the model itself for other texts."""
    return stored_encoder(SHOT_ENCODER)


def texts_to_encode(questions: Iterable[Question], banks: Iterable[Bank]) -> list[str]:
    """Return the distinct texts that 1S-D-S compares for these questions, exemplars first."""
    exemplars = [exemplar_text(each) for bank in banks for each in bank]
    return list(dict.fromkeys([*exemplars, *(masked_text(question) for question in questions)]))


def require_vectors(questions: Iterable[Question], shots: Sequence[str], banks: Iterable[Bank]) -> None:
    """Compute and store the vectors that 1S-D-S lacks for these questions; nothing without that shot.

    Called once, before a server or a worker starts; workers then find the vectors in the cache folder. Raises
    InputError if a text has no vector and the encoder is not installed or cannot be loaded.
    """
    if any(canonical_shot(shot) == "1S-D-S" for shot in shots):
        shot_encoder().prepare(texts_to_encode(questions, banks))
