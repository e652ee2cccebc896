"""Judgements that a run has already: which stay, and which another judge would take the place of."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.judge import Judgement, Variant, judgements_of
from plugins.records import read_records
from plugins.terminal import one_line


class Before:
    """What a run that is to be judged has on record.

    Args:
        run: The run directory.
        judge: What its manifest says of its judge; None without one.
        now: What it will say.
        replace: Whether all is judged anew.
    """

    def __init__(self, run: Path, judge: Any, now: Mapping[str, Any], replace: bool) -> None:
        self._run = run
        self._judge = judge if isinstance(judge, Mapping) else {}
        self._now = now
        same = all(self._judge.get(name) == value for name, value in now.items())
        self._mine = same and not replace
        self.at_stake = not self._mine and self._holds_any()
        """Whether judgements on record would give way."""
        if self.at_stake and not replace:
            raise self._refusal()

    def kept(self, record: Mapping[str, Any]) -> dict[Variant, Judgement]:
        """Return the judgements on a record that need not be made again."""
        if not self._mine:
            return {}
        return {variant: each for variant, each in judgements_of(record) if not each.is_fault}

    def _holds_any(self) -> bool:
        return any(_has_judgement(record) for record in read_records(self._run))

    def _refusal(self) -> InputError:
        whose = one_line(str((self._judge.get("model") or {}).get("label", "another judge")))
        differs = "; ".join(_differences(self._judge, self._now)) or "its manifest does not say how it judged"
        return InputError(
            f"{self._run} holds judgements of {whose}, which this judge would take the place of: {differs}. "
            "Judge as the run was, to fill gaps alone; judge a copy of the folder; or give --replace. "
            "The old ones stay in the answer cache, where they came from there."
        )


def _has_judgement(record: Mapping[str, Any]) -> bool:
    try:
        return any(not each.is_fault for _, each in judgements_of(record))
    except InputError:
        # What cannot be read may have been paid for.
        return True


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield what tells two judges apart, for people."""
    if not before:
        return
    models = [each.get("model") or {} for each in (before, now)]
    names = [_name(each) for each in models]
    if names[0] != names[1]:
        yield f"model {names[0]}, now {names[1]}"
    elif models[0] != models[1]:
        yield "another file of its model"
    if before.get("api") != now["api"]:
        yield f"API {_said(before.get('api'))}, now {_said(now['api'])}"
    if before.get("rows") != now["rows"]:
        yield f"shown {_said(before.get('rows'))} rows, now {now['rows']}"
    elif before.get("criteria") != now["criteria"]:
        yield "other criteria"


def _name(model: Mapping[str, Any]) -> str:
    label, argument = model.get("label"), model.get("argument")
    return _said(label if argument in (None, "", label) else f"{label}={argument}")


def _said(value: Any) -> str:
    return "none" if value is None else one_line(str(value))
