"""The summary of a run, computed from its records alone."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.group import Group, perfect_variations
from retrocypher.plugins.runs.record import JsonValue, Record

SCHEMA_VERSION = 1
_SETTINGS = ("single_step", "multi_step")
_SHOTS = ("ZS", "1S-S", "1S-D-R", "1S-D-S")
_CELL = ("model", "loop", "prompt", "shot", "task")
_BY = ("setting", "task", "steps", "model", "loop")
_PROMPT_SHOT = "prompt_shot"
_PHRASING = "phrasing"
_WORDING = ("model", "loop", _PHRASING)


class Summary:
    """Counts and means of the records added so far, independent of their order."""

    def __init__(self) -> None:
        self._overall = Group()
        names = (*_BY, _PROMPT_SHOT, _PHRASING)
        self._by: dict[str, dict[Any, Group]] = {name: defaultdict(Group) for name in names}
        self._cells: dict[tuple[str, ...], Group] = defaultdict(Group)
        self._wordings: dict[tuple[str, str, int], Group] = defaultdict(Group)
        self._exemplars: dict[str, Counter[str]] = defaultdict(Counter)
        self._unmatched: Counter[str] = Counter()
        self._cases_with_unmatched = 0

    @property
    def cases(self) -> int:
        """Number of cases."""
        return self.passed + self.failed + self.infrastructure_errors

    @property
    def passed(self) -> int:
        """Number of cases that passed."""
        return self._overall.passed

    @property
    def failed(self) -> int:
        """Number of scored cases below the threshold."""
        return self._overall.failed

    @property
    def infrastructure_errors(self) -> int:
        """Number of cases without scores because of an infrastructure error."""
        return self._overall.errors

    @property
    def judge_faults(self) -> int:
        """Number of scored cases whose judge could not be asked."""
        return self._overall.judgements.faults

    def add(
        self,
        record: Record,
        variations: list[str] | UnsetType | None = UNSET,
    ) -> None:
        """Add a record.

        Args:
            variations: What `perfect_variations` returns, which takes time, if it is known.
        """
        keys: dict[str, Any] = {name: getattr(record, name) for name in (*_BY, _PHRASING)}
        keys[_PROMPT_SHOT] = (record.prompt, record.shot)
        cell = tuple(getattr(record, name) for name in _CELL)
        wording = (record.model, record.loop, record.phrasing)
        groups = [self._by[name][key] for name, key in keys.items()]
        known = perfect_variations(record) if variations is UNSET else variations
        for group in (self._overall, *groups, self._cells[cell], self._wordings[wording]):
            group.add(record, known)
        if record.exemplar_id is not None:
            self._exemplars[record.shot][record.exemplar_id] += 1
        columns = (record.scores and record.scores.unmatched_columns) or []
        self._unmatched.update(columns)
        self._cases_with_unmatched += bool(columns)

    def to_json(self) -> dict[str, JsonValue]:
        """Return what ``summary.json`` holds.

        Means are over cases: all of them; in ``by`` those of a setting, task, step count, model, loop, prompt
        and shot, and paraphrase; in ``cells`` those of a model, loop, prompt, shot and task; in ``wordings``
        those of a model, loop and paraphrase.
        """
        by = {
            name: {_label(key): groups[key].to_json() for key in sorted(groups, key=_ORDERS.get(name))}
            for name, groups in self._by.items()
        }
        cells = [
            {**dict(zip(_CELL, cell, strict=True)), **self._cells[cell].to_json()}
            for cell in sorted(self._cells, key=_cell_order)
        ]
        wordings = [
            {**dict(zip(_WORDING, wording, strict=True)), **self._wordings[wording].to_json()}
            for wording in sorted(self._wordings)
        ]
        return {
            "schema_version": SCHEMA_VERSION,
            **self._overall.to_json(),
            **self._fallbacks(),
            "infrastructure_errors_by_stage": _counted(self._overall.errors_by_stage),
            "exemplars": {
                shot: _counted(self._exemplars[shot]) for shot in sorted(self._exemplars, key=_shot_order)
            },
            "unmatched_columns": {"cases": self._cases_with_unmatched, "columns": _counted(self._unmatched)},
            "by": by,
            "cells": cells,
            "wordings": wordings,
        }

    def _fallbacks(self) -> dict[str, JsonValue]:
        """Return the fallbacks of all loops together, and of each."""
        if not self._overall.fallbacks.cases:
            return {}
        loops = self._by["loop"]
        by_loop = {name: loops[name].fallbacks for name in sorted(loops)}
        used = {name: fallbacks.to_json() for name, fallbacks in by_loop.items() if fallbacks.cases}
        return {"fallback": {**self._overall.fallbacks.to_json(), "by_loop": used}}


def summarise(records: Iterable[Record]) -> dict[str, JsonValue]:
    """Return what ``summary.json`` holds for some records."""
    summary = Summary()
    for record in records:
        summary.add(record)
    return summary.to_json()


def _counted(counter: Counter[str]) -> dict[str, int]:
    return dict(sorted(counter.items()))


def _label(key: Any) -> str:
    return " \N{MULTIPLICATION SIGN} ".join(key) if isinstance(key, tuple) else str(key)


def _cell_order(cell: tuple[str, ...]) -> Any:
    model, loop, prompt, shot, task = cell
    return model, loop, _prompt_order(prompt), _shot_order(shot), _known(task, TASKS)


def _prompt_order(prompt: str) -> tuple[int, str]:
    """Return a sort key that puts P10 after P9."""
    digits = prompt[1:]
    return (int(digits) if prompt[:1] == "P" and digits.isdecimal() else 10**9, prompt)


def _shot_order(shot: str) -> tuple[int, str]:
    return _known(shot, _SHOTS)


def _known(value: str, order: Sequence[str]) -> tuple[int, str]:
    return (order.index(value) if value in order else len(order), value)


_ORDERS: dict[str, Callable[[Any], Any]] = {
    "setting": lambda setting: _known(setting, _SETTINGS),
    "task": lambda task: _known(task, TASKS),
    _PROMPT_SHOT: lambda pair: (_prompt_order(pair[0]), _shot_order(pair[1])),
}


def in_order(
    entries: Iterable[Mapping[str, JsonValue]], models: Sequence[str], loops: Sequence[str]
) -> list[Mapping[str, JsonValue]]:
    """Return entries with ``model`` and ``loop`` in the orders given; those not named come last, by name."""
    return sorted(entries, key=lambda each: (_known(each["model"], models), _known(each["loop"], loops)))
