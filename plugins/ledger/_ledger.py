"""The ledger of a run: cases before and after their loops."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from plugins.ledger._entry import entry_of
from plugins.ledger._pair import NO_LOOP, Pair, pair_of


class Ledger:
    """Pairs each case of a loop with what its first answer alone would have been worth.

    That is what the loop ``none`` would have scored with the same answer, on the same question, prompt, shot
    and model; so a run of one loop has all its pairs.

    Args:
        targets: By question id, the molecule that the question clusters by.
    """

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets = targets
        self._pairs: dict[tuple[str, str], list[tuple[str, Pair]]] = defaultdict(list)
        self._left_out: dict[tuple[str, str], int] = defaultdict(int)

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in; one without a loop is passed over, one without scores is only counted."""
        if record["loop"] == NO_LOOP:
            return
        key = (str(record["model"]), str(record["loop"]))
        question = str(record["question_id"])
        pair = pair_of(record, self._targets.get(question, question))
        if pair is None:
            self._left_out[key] += 1
        else:
            self._pairs[key].append((str(record["case_id"]), pair))

    def to_json(self) -> list[dict[str, Any]]:
        """Return one entry a model and loop; the order in which records came changes nothing."""
        return [self._entry(*key) for key in sorted({*self._pairs, *self._left_out})]

    def _entry(self, model: str, loop: str) -> dict[str, Any]:
        pairs = [pair for _, pair in sorted(self._pairs[model, loop], key=lambda each: each[0])]
        head = {
            "model": model,
            "loop": loop,
            "validator": _validator(pairs),
            "left_out": self._left_out[model, loop],
        }
        return {**head, **(entry_of(pairs) if pairs else {"cases": 0})}


def ledger_of(records: Iterable[Mapping[str, Any]], targets: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the ledger of some records, as ``summary.json`` holds it.

    Args:
        records: Records as in ``records.jsonl``.
        targets: By question id, the molecule that the question clusters by (``questions.jsonl``).
    """
    ledger = Ledger(targets)
    for record in records:
        ledger.add(record)
    return ledger.to_json()


def _validator(pairs: Iterable[Pair]) -> str | None:
    names = {look.validator for pair in pairs for look in pair.looks}
    return "both" if len(names) > 1 else next(iter(names), None)
