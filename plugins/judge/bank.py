"""Building a bank."""

import gzip
import hashlib
import json
import logging
import multiprocessing
import queue
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec
from msgspec import structs

import retrocypher.kg.mutations as operators_package
from retrocypher.kg.errors import GraphError, InputError, RetroCypherError
from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.mutations.operator import Operator
from retrocypher.kg.mutations.registry import OPERATORS
from retrocypher.kg.paths import cache_dir
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import QuestionSet, load_questions
from retrocypher.kg.server.control import session_folder
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.kg.server.release import NEO4J_VERSION
from retrocypher.plugins.judge.bank_candidates import (
    BankEntry,
    BankManifest,
    Cell,
    Checked,
    Size,
    candidates,
    check,
    plan,
    shuffled,
)
from retrocypher.plugins.runs.record import fields_of

_logger = logging.getLogger(__name__)

_QUESTIONS = 10
_OPERATORS = 5


def held_out_questions(questions: Iterable[Question], seed: int) -> frozenset[str]:
    """Return the ids of a tenth of the questions, a tenth of each task and step count."""
    strata: dict[tuple[str, int], list[str]] = defaultdict(list)
    for question in questions:
        strata[question.task, question.steps].append(question.id)
    return frozenset(
        identifier
        for stratum, ids in strata.items()
        for identifier in shuffled(ids, seed, "held out", *stratum)[: round(len(ids) / _QUESTIONS)]
    )


def held_out_operators(operators: Sequence[Operator], seed: int) -> frozenset[str]:
    """Return the names of a fifth of the operators that plant errors.

    An operator is passed over where none of its label would be left to develop with.
    """
    errors = [operator for operator in operators if operator.kind == "error"]
    left = Counter(operator.label for operator in errors)
    chosen: set[str] = set()
    for operator in shuffled(errors, seed, "held out"):
        if len(chosen) < round(len(errors) / _OPERATORS) and left[operator.label] > 1:
            left[operator.label] -= 1
            chosen.add(operator.name)
    return frozenset(chosen)


LIMITS = Limits(timeout_s=10.0, row_cap=2_000, byte_cap=2 * 1024 * 1024)
"""A reference query takes milliseconds and has at most 120 rows: what goes beyond this is wrong.

Not shorter: on a busy machine a server that has just started may plan a harmless query for some seconds.
"""

_Todo: TypeAlias = "Queue[Cell | None]"
_Done: TypeAlias = "Queue[Checked | RetroCypherError]"
_POLL_S = 1.0


def check_all(
    cells: Sequence[Cell], questions: Sequence[Question], endpoint: Endpoint, seed: int, workers: int
) -> Iterator[Checked]:
    """Check cells in several processes, and yield them as they are done; raise GraphError if one is lost."""
    context = multiprocessing.get_context("spawn")
    todo: _Todo = context.Queue()
    done: _Done = context.Queue()
    for cell in cells:
        todo.put(cell)
    for _ in range(workers):
        todo.put(None)
    folder = session_folder()
    arguments = (todo, done, questions, endpoint, folder.path, seed)
    processes = [context.Process(target=_work, args=arguments, daemon=True) for _ in range(workers)]
    try:
        for process in processes:
            process.start()
        for _ in cells:
            checked = _next(done, processes)
            if isinstance(checked, RetroCypherError):
                raise GraphError(str(checked))
            yield checked
    finally:
        for process in processes:
            process.terminate()
            process.join()
        folder.remove()


def _next(
    done: _Done, processes: Sequence[multiprocessing.process.BaseProcess]
) -> Checked | RetroCypherError:
    while True:
        try:
            return done.get(timeout=_POLL_S)
        except queue.Empty:
            if any(process.exitcode not in (None, 0) for process in processes):
                raise GraphError("A process that checks mutants was lost. Build the bank again.") from None


def _work(
    todo: _Todo, done: _Done, questions: Sequence[Question], endpoint: Endpoint, folder: Path, seed: int
) -> None:
    try:
        with GuardedExecutor(endpoint, LIMITS, folder) as executor:
            for cell in iter(todo.get, None):
                own = [question for question in questions if question.task == cell.task]
                done.put(check(cell, candidates(cell, own, seed), executor))
    except RetroCypherError as error:
        done.put(error)


_LINES = 20
"""How often the build says how far it is."""


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank of known errors."""

    entries: tuple[BankEntry, ...]
    dropped: dict[str, dict[str, int]]
    """By operator and reason, how many candidates did not behave as declared."""
    held_out_questions: frozenset[str]
    held_out_operators: frozenset[str]
    seed: int


def build_bank(
    question_set: QuestionSet,
    endpoint: Endpoint,
    seed: int = 0,
    *,
    size: Size | None = None,
    workers: int = 2,
) -> Bank:
    """Build a bank of mutants that behave as declared; raise GraphError if a process is lost."""
    operators = tuple(OPERATORS.values())
    cells = plan(operators, question_set.questions, size or Size())
    found: dict[Cell, Checked] = {}
    for checked in check_all(cells, question_set.questions, endpoint, seed, workers):
        found[checked.cell] = checked
        if len(found) * _LINES // len(cells) > (len(found) - 1) * _LINES // len(cells):
            kept = sum(len(each.kept) for each in found.values())
            _logger.info(f"{len(found):,} of {len(cells):,} operators × tasks, {kept:,} mutants")
    questions = held_out_questions(question_set.questions, seed)
    names = held_out_operators(operators, seed)
    dropped: dict[str, Counter[str]] = {}
    for cell in cells:
        dropped.setdefault(cell.operator, Counter()).update(found[cell].dropped)
    entries = _once(found[cell] for cell in cells)
    return Bank(
        entries=tuple(
            structs.replace(entry, held_out=entry.question_id in questions or entry.operator in names)
            for entry in entries
        ),
        dropped={name: dict(sorted(counts.items())) for name, counts in dropped.items() if counts},
        held_out_questions=questions,
        held_out_operators=names,
        seed=seed,
    )


def _once(checked: Iterable[Checked]) -> Sequence[BankEntry]:
    """Each text once a question: what two operators come to is the first one's."""
    entries: dict[tuple[str, str], BankEntry] = {}
    for each in checked:
        for entry in each.kept:
            entries.setdefault((entry.question_id, entry.cypher), entry)
    return list(entries.values())


Part = Literal["development", "held_out"]

PARTS: tuple[Part, ...] = get_args(Part)

MANIFEST = "manifest.json"

_DAMAGE = (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError, msgspec.ValidationError)
"""What reading raises where a file is cut short, changed or something else."""


def bank_key(question_set: QuestionSet, seed: int = 0, server: str = NEO4J_VERSION) -> str:
    """Return the hash (hex) under which a bank is kept.

    It covers the questions, the graph's fingerprint, the seed, the server's release (``5.26``), and the code
    and data of the operators and of the bank itself.
    """
    digest = hashlib.sha256()
    operators, bank = Path(operators_package.__path__[0]), Path(__file__).parent
    for file in (*sorted(operators.glob("*.*")), *sorted(bank.glob("bank*.py"))):
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
    held_out_parts = sorted(bank.held_out_operators), sorted(bank.held_out_questions)
    manifest = BankManifest(bank.seed, len(bank.entries), *held_out_parts, bank.dropped)
    # Last, so that a folder with a manifest is a whole bank.
    text = json.dumps(fields_of(manifest), indent=1)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def load_bank(
    part: Part = "development", folder: Path | None = None, *, seed: int = 0
) -> tuple[BankEntry, ...]:
    """Read a part of a bank, by default the cached one; raise InputError if it is missing or damaged."""
    folder = folder or bank_folder(load_questions(), seed)
    if not has_bank(folder):
        raise _no_bank(folder)
    return read_entries(_file(folder, part))


def read_manifest(folder: Path) -> BankManifest:
    """Return the manifest of a bank; raise InputError if there is no bank, or it is damaged."""
    if not has_bank(folder):
        raise _no_bank(folder)
    file = folder / MANIFEST
    try:
        return msgspec.convert(json.loads(file.read_text(encoding="utf-8")), BankManifest)
    except _DAMAGE as error:
        raise _damaged(file) from error


def write_entries(entries: Iterable[BankEntry], file: Path) -> None:
    """Write entries as gzipped JSON lines; the same entries give the same bytes."""
    text = "".join(
        json.dumps(entry, ensure_ascii=False, separators=(",", ":"), default=fields_of) + "\n"
        for entry in entries
    )
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def read_entries(file: Path) -> tuple[BankEntry, ...]:
    """Read entries that `write_entries` wrote; raise InputError if the file is damaged."""
    try:
        packed = file.read_bytes()
        if not packed:  # which gzip takes for nothing, packed
            raise EOFError
        lines = gzip.decompress(packed).decode().split("\n")
        return tuple(msgspec.convert(json.loads(line), BankEntry) for line in lines if line)
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


_MOST_CHARACTERS = 20_000
"""Entries whose result is long make a sample large and tell no more than others."""


def sample(entries: Iterable[BankEntry], per_operator: int, seed: int = 0) -> tuple[BankEntry, ...]:
    """Return a few entries of each operator, of as many tasks as there are, in their original order.

    Compositions count as one operator for each number of operators composed, and give ten times as many.
    """
    every = [entry for entry in entries if len(str(fields_of(entry.execution))) < _MOST_CHARACTERS]
    groups: dict[str, dict[str, list[BankEntry]]] = defaultdict(lambda: defaultdict(list))
    for entry in every:
        groups[_group(entry)][entry.task].append(entry)
    chosen: set[int] = set()
    for name, by_task in groups.items():
        wanted = per_operator * (10 if name.startswith("+") else 1)
        queues = [shuffled(by_task[task], seed, name, task) for task in shuffled(by_task, seed, name)]
        for turn in range(max(map(len, queues))):
            for entries_left in queues:
                if turn < len(entries_left) and wanted > 0:
                    chosen.add(id(entries_left[turn]))
                    wanted -= 1
    return tuple(entry for entry in every if id(entry) in chosen)


def _group(entry: BankEntry) -> str:
    composed = entry.operator.count("+")
    return f"+{composed}" if composed else entry.operator
