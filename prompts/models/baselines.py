"""Models that need no language model: oracle, exemplar, mutant, and predictions from a file."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.mutations.operator import Operator
from retrocypher.kg.mutations.registry import mutate
from retrocypher.prompts.models.interface import Completion, Request
from retrocypher.prompts.templates.abstention import SENTINEL
from retrocypher.prompts.templates.exemplars import canonical_shot, fill_exemplar


@dataclass(frozen=True, slots=True)
class _Baseline:
    label: str

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class OracleModel(_Baseline):
    """Returns the reference Cypher: its run must score 1 everywhere."""

    def answer(self, request: Request) -> Completion:
        """Return the question's reference query; the sentinel where the graph cannot answer it."""
        return Completion(request.question.reference_cypher or SENTINEL, verbatim=True)


@dataclass(frozen=True, slots=True)
class ExemplarModel(_Baseline):
    """Returns the exemplar's Cypher, molecules and step count filled in: the score of mere copying."""

    def answer(self, request: Request) -> Completion:
        """Return the filled query; no query where the question lacks something the exemplar needs."""
        exemplar, question = request.exemplar, request.question
        if exemplar is None:
            return Completion("", details={"no_answer": "no exemplar was shown"}, verbatim=True)
        query = fill_exemplar(exemplar, question.slots)
        if query is None:
            reason = f"the question has nothing for a placeholder of {exemplar.id}"
            return Completion("", details={"no_answer": reason}, verbatim=True)
        return Completion(query, verbatim=True)


@dataclass(frozen=True, slots=True)
class MutantModel(_Baseline):
    """Returns the reference Cypher after one known change.

    The same question gets the same change for every prompt and shot, and another one in another repeat;
    `seed` seeds the choice among the `operators`.
    """

    operators: Sequence[Operator]
    seed: int

    def answer(self, request: Request) -> Completion:
        """Return the changed query; no query where none of the operators applies to the reference."""
        question = request.question
        key = question.id if request.case_repeat == 1 else f"{question.id}-r{request.case_repeat}"
        mutant = mutate(question.reference_cypher, self.operators, seed=self.seed, key=key)
        if mutant is None:
            return Completion("", details={"no_answer": "no operator applies"}, verbatim=True)
        details = {
            "operator": mutant.operator,
            "place": mutant.place,
            "kind": mutant.kind,
            "label": mutant.label,
        }
        return Completion(mutant.query, details=details, verbatim=True)


CONDITIONS = ("model", "prompt", "shot", "loop", "phrasing", "repeat")
_NUMBERS = ("phrasing", "repeat")


@dataclass(frozen=True, slots=True)
class Prediction:
    """One line of a file of predictions.

    Attributes:
        line: Its number, from 1.
        cypher: The query; None where there is none.
        given: Those of `CONDITIONS` that the line names; a case must match all of them.
    """

    line: int
    question_id: str
    cypher: str | None
    given: Mapping[str, str]

    def fits(self, case: Mapping[str, Collection[str]]) -> bool:
        """Whether each given condition is among the case's values."""
        return all(value in case.get(name, ()) for name, value in self.given.items())

    def overlaps(self, other: "Prediction") -> bool:
        """Whether both could apply to one case."""
        return all(other.given.get(name, value) == value for name, value in self.given.items())


@dataclass(frozen=True, slots=True)
class Predictions:
    """All predictions of a file, by question."""

    path: Path
    by_question: Mapping[str, tuple[Prediction, ...]]

    def find(self, question_id: str, case: Mapping[str, str]) -> Prediction | None:
        """Return the prediction for a case; None where the file has none."""
        values = {name: (value,) for name, value in case.items()}
        return next((each for each in self.by_question.get(question_id, ()) if each.fits(values)), None)

    def require_known(self, known: Collection[str]) -> None:
        """Raise InputError with the first unknown question id, its line, and how many there are."""
        unknown = [each for name, lines in self.by_question.items() if name not in known for each in lines]
        if unknown:
            lines = "1 such line" if len(unknown) == 1 else f"{len(unknown):,} such lines"
            first = min(unknown, key=lambda each: each.line)
            raise InputError(
                f"{self.path}, line {first.line}: unknown question id {first.question_id!r} "
                f"({lines}). The predictions must be for the question set of this run."
            )

    def require_use(self, selected: Collection[str], case: Mapping[str, Collection[str]]) -> None:
        """Raise InputError if no prediction is for this run: every case would count as without a query.

        Args:
            selected: Ids of the questions of this run.
            case: Values of `CONDITIONS` that occur in this run.
        """
        lines = [each for name in selected for each in self.by_question.get(name, ())]
        if any(each.fits(case) for each in lines):
            return
        if not lines:
            raise InputError(f"{self.path}: it has no prediction for any question of this run.")
        for name in CONDITIONS:
            found = sorted({each.given[name] for each in lines if name in each.given})
            if (
                found
                and not set(found) & set(case.get(name, ()))
                and all(name in each.given for each in lines)
            ):
                hint = f" Name the model with {found[0]}=file:PATH." if name == "model" else ""
                raise InputError(
                    f"{self.path}: its predictions are for {name} {', '.join(found[:5])}, "
                    f"this run has {', '.join(case.get(name, ()))}.{hint}"
                )
        raise InputError(
            f"{self.path}: no line fits a case of this run in model, prompt, shot and loop together."
        )


def read_predictions(path: Path) -> Predictions:
    """Read a file of predictions, one JSON object a line; empty lines are skipped.

    ``question_id`` and ``cypher`` (text, or null for no query) are required; `CONDITIONS` are optional; other
    fields are ignored, so the records of a run are a file of predictions too. Raises InputError if the file
    cannot be read, a line is broken, or two lines are for one case.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"{path}: the predictions cannot be read ({why}). "
            "Name a file of JSON lines with --model file:PATH"
        ) from None
    by_question: dict[str, list[Prediction]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        prediction = _prediction(path, number, line)
        by_question.setdefault(prediction.question_id, []).append(prediction)
    if not by_question:
        raise InputError(f"{path}: no predictions in it.")
    for lines in by_question.values():
        _require_apart(path, lines)
    return Predictions(path, {name: tuple(lines) for name, lines in by_question.items()})


def _require_apart(path: Path, lines: list[Prediction]) -> None:
    seen: dict[frozenset[tuple[str, str]], Prediction] = {}
    unlike: dict[frozenset[str], list[Prediction]] = {}
    for line in lines:
        conditions, names = frozenset(line.given.items()), frozenset(line.given)
        # Lines that name the same conditions overlap only when equal: no need to compare each with each.
        other = seen.get(conditions) or next(
            (each for group in unlike if group != names for each in unlike[group] if line.overlaps(each)),
            None,
        )
        if other is not None:
            raise InputError(
                f"{path}, line {line.line}: a second prediction for a case of {line.question_id} (the first "
                f"is in line {other.line}). Keep one, or tell them apart by {', '.join(CONDITIONS)}."
            )
        seen[conditions] = line
        unlike.setdefault(names, []).append(line)


def _prediction(path: Path, number: int, line: str) -> Prediction:
    where = f"{path}, line {number}"
    try:
        value = json.loads(line)
    except ValueError as error:
        raise InputError(f"{where}: broken JSON ({error}).") from None
    if not isinstance(value, dict):
        raise InputError(f"{where}: not a JSON object.")
    question_id = value.get("question_id")
    if not isinstance(question_id, str) or not question_id:
        raise InputError(f"{where}: question_id is missing or no text.")
    cypher: Any = value.get("cypher", 0)
    if cypher is not None and not isinstance(cypher, str):
        raise InputError(f"{where}: cypher is missing; it must be text, or null for no query.")
    given = {name: value[name] for name in CONDITIONS if value.get(name) is not None}
    for name in _NUMBERS:
        if isinstance(given.get(name), int):
            given[name] = str(given[name])
    for name, content in given.items():
        if not isinstance(content, str):
            raise InputError(f"{where}: {name} must be text.")
    if "shot" in given:
        try:
            given["shot"] = canonical_shot(given["shot"])
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    return Prediction(number, question_id, cypher, given)


@dataclass(frozen=True, slots=True)
class FileModel(_Baseline):
    """Returns the predictions of a file, each query unchanged."""

    predictions: Predictions

    def answer(self, request: Request) -> Completion:
        """Return the prediction for the case; no query where there is none."""
        found = self.predictions.find(request.question.id, {**request.case, "model": self.label})
        if found is None:
            return Completion("", details={"no_answer": "no prediction for this case"}, verbatim=True)
        return Completion(found.cypher or "", details={"line": found.line}, verbatim=True)
