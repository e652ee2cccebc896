"""A run as the page needs it: read once, from its records, without keeping them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.agreement import Opinion, opinions_of
from plugins.ledger import Ledger
from plugins.records import RunFacts, read_facts, read_manifest, read_records, read_targets
from plugins.report._case import Case, case_of
from plugins.report._costly import Costly
from plugins.statistics import ScoreTable
from plugins.summary import Summary, in_order

Series = tuple[str, str]
"""Model and loop."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run.

    Attributes:
        name: What the page calls it.
        path: Its folder.
        manifest: Its manifest; empty where there is none.
        facts: What it says of itself.
        lacks: What it lacks, in a few words; empty where it is whole.
        summary: What ``summary.json`` would hold, from the records.
        table: Its scores.
        targets: By question id, the molecule that it clusters by.
        ledger: What loops repaired and broke.
        failed: The cases that failed.
        not_run: The cases that a fault kept from being run.
        costly: The cases that took most.
        opinions: What a judge said of its cases.
        cases: The ids of all cases, in the order of the records.
    """

    name: str
    path: Path
    manifest: Mapping[str, Any]
    facts: RunFacts
    lacks: str
    summary: Mapping[str, Any]
    table: ScoreTable
    targets: Mapping[str, str]
    ledger: Sequence[Mapping[str, Any]]
    failed: Sequence[Case]
    not_run: Sequence[Case]
    costly: Costly
    opinions: Sequence[Opinion]
    cases: Sequence[str]

    @property
    def series(self) -> list[Series]:
        """Models and loops, in the order they were asked for."""
        cells = in_order(self.summary["cells"], self.facts.models, self.facts.loops)
        return list(dict.fromkeys((cell["model"], cell["loop"]) for cell in cells))


def read_run(path: Path, name: str) -> Run:
    """Read a run.

    Args:
        path: The run directory.
        name: What the page calls it.

    Raises:
        InputError: If the folder has no records, a line of it cannot be read, or a case comes twice.
    """
    targets = _targets(path)
    summary, ledger, costly = Summary(), Ledger(targets), Costly()
    failed: list[Case] = []
    not_run: list[Case] = []
    opinions: list[Opinion] = []
    seen: dict[str, None] = {}

    def passing() -> Iterator[dict[str, Any]]:
        for record in read_records(path):
            case = case_of(record)
            if case.id in seen:
                raise InputError(f"{path}: holds the case {case.id} twice; a report takes each case once")
            seen[case.id] = None
            summary.add(record)
            ledger.add(record)
            opinions.extend(opinions_of(record, targets))
            if case.trouble is not None:
                not_run.append(case)
            else:
                costly.add(case)
                if case.failed:
                    failed.append(case)
            yield record

    table = ScoreTable(passing(), targets)
    if not seen:
        raise InputError(f"{path}: no case on record; run some first")
    facts = read_facts(path)
    return Run(
        name=name,
        path=path,
        manifest=read_manifest(path),
        facts=facts,
        lacks=facts.lacks(len(seen)),
        summary=summary.to_json(),
        table=table,
        targets=targets,
        ledger=in_order(ledger.to_json(), facts.models, facts.loops),
        failed=sorted(failed, key=lambda case: case.place),
        not_run=sorted(not_run, key=lambda case: case.place),
        costly=costly,
        opinions=opinions,
        cases=tuple(seen),
    )


def names_of(paths: Sequence[Path]) -> list[str]:
    """Return a name for each run: its folder's, with as many folders above as tell them apart.

    Raises:
        InputError: If a run is named twice.
    """
    whole = [path.resolve() for path in paths]
    for path in whole:
        if whole.count(path) > 1:
            raise InputError(f"{path} is named twice; a report takes each run once")
    for depth in range(1, max(len(path.parts) for path in whole) + 1):
        names = ["/".join(path.parts[-depth:]) for path in whole]
        if len({*names}) == len(names):
            break
    return names


def read_runs(paths: Iterable[Path]) -> list[Run]:
    """Read runs, in the order given."""
    folders = list(paths)
    return [read_run(path, name) for path, name in zip(folders, names_of(folders), strict=True)]


def _targets(path: Path) -> dict[str, str]:
    """Without the questions, each question is a cluster of its own."""
    return read_targets(path) if (path / "questions.jsonl").is_file() else {}
