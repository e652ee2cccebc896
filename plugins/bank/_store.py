"""Banks on disk, by a hash of all that goes into one."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

import plugins.bank as bank_package
import prompts.models.mutations as operators_package
from kg.errors import InputError
from kg.paths import cache_dir
from kg.questions import QuestionSet, load_questions
from kg.server import NEO4J_VERSION
from plugins.bank._build import Bank
from plugins.bank._entry import BankEntry

Part = Literal["development", "held_out"]

PARTS: tuple[Part, ...] = get_args(Part)

MANIFEST = "manifest.json"

_DAMAGE = (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError)
"""What reading raises where a file is cut short, changed or something else."""


def bank_key(question_set: QuestionSet, seed: int = 0, server: str = NEO4J_VERSION) -> str:
    """Return the hash (hex) under which a bank is kept.

    It covers the questions, the graph's fingerprint, the seed, the server's release (``5.26``), and the code
    and data of the operators and of the bank itself.
    """
    digest = hashlib.sha256()
    for package in (operators_package, bank_package):
        for file in sorted(Path(package.__path__[0]).glob("*.*")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    release = ".".join(server.split(".")[:2])
    parts = (question_set.sha256, question_set.fingerprint, str(seed), release)
    digest.update("\0".join(parts).encode())
    return digest.hexdigest()


def bank_folder(question_set: QuestionSet, seed: int = 0, server: str = NEO4J_VERSION) -> Path:
    """Return the folder in which a bank is kept, be it there or not."""
    return cache_dir() / "bank" / bank_key(question_set, seed, server)[:16]


def has_bank(folder: Path) -> bool:
    """Return whether a folder holds a whole bank."""
    return (folder / MANIFEST).exists()


def write_bank(bank: Bank, folder: Path) -> None:
    """Write a bank: its development part and what is held out in files of their own, and a manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        held_out = part == "held_out"
        write_entries((each for each in bank.entries if each.held_out == held_out), _file(folder, part))
    manifest = {
        "seed": bank.seed,
        "entries": len(bank.entries),
        "held_out_operators": sorted(bank.held_out_operators),
        "held_out_questions": sorted(bank.held_out_questions),
        "dropped": bank.dropped,
    }
    # Last, so that a folder with a manifest is a whole bank.
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def load_bank(
    part: Part = "development", folder: Path | None = None, *, seed: int = 0
) -> tuple[BankEntry, ...]:
    """Read a part of a bank.

    Args:
        part: ``development``, or ``held_out`` for the final figures and nothing else.
        folder: A bank's folder; where None, the cached bank of the shipped questions and this code.
        seed: Seed of the cached bank.

    Raises:
        InputError: There is no such bank, or it is damaged.
    """
    folder = folder or bank_folder(load_questions(), seed)
    if not has_bank(folder):
        raise _no_bank(folder)
    return read_entries(_file(folder, part))


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a bank.

    Raises:
        InputError: There is no bank, or it is damaged.
    """
    if not has_bank(folder):
        raise _no_bank(folder)
    file = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(manifest["dropped"], dict) or not isinstance(manifest["held_out_operators"], list):
            raise TypeError
    except _DAMAGE as error:
        raise _damaged(file) from error
    return manifest


def write_entries(entries: Iterable[BankEntry], file: Path) -> None:
    """Write entries as gzipped JSON lines; the same entries give the same bytes."""
    lines = (json.dumps(entry.to_json(), ensure_ascii=False, separators=(",", ":")) for entry in entries)
    text = "".join(f"{line}\n" for line in lines)
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def read_entries(file: Path) -> tuple[BankEntry, ...]:
    """Read entries that `write_entries` wrote.

    Raises:
        InputError: The file cannot be read, or holds something else.
    """
    try:
        packed = file.read_bytes()
        if not packed:  # which gzip takes for nothing, packed
            raise EOFError
        lines = gzip.decompress(packed).decode().split("\n")
        return tuple(BankEntry.from_json(json.loads(line)) for line in lines if line)
    except _DAMAGE as error:
        raise _damaged(file) from error


def _file(folder: Path, part: Part) -> Path:
    return folder / f"{part}.jsonl.gz"


def _no_bank(folder: Path) -> InputError:
    return InputError(
        f"{folder}: holds no bank of known errors. Make one with `retrocypher bank build`, which takes "
        "about 7 minutes, or take the sample of a checkout: `--bank tests/data/bank`."
    )


def _damaged(file: Path) -> InputError:
    return InputError(
        f"{file}: missing or damaged. Remove its folder and make the bank again with "
        "`retrocypher bank build`."
    )
