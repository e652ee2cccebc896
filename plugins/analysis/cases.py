"""Single cases of a run: finding one, and what was expected of it, returned, and wrong with it."""

import difflib
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import UNSET

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, paraphrase
from retrocypher.plugins.runs.files import QUESTIONS
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Explanation, Record

if TYPE_CHECKING:
    from retrocypher.kg.semantics.schema import Schema
    from retrocypher.plugins.scoring.single_step import Values

_LISTED = 10
_NEAR = 5


class CaseReader:
    """Explains the cases of a run, without calls of a model or the graph."""

    def __init__(self, log: RunLog) -> None:
        self._questions = log.questions if (log.path / QUESTIONS).is_file() else {}
        self._schema_text = log.manifest.graph.schema if log.manifest.graph else ""
        self._encoder = None
        if encoder := log.manifest.known_options.key_encoder:
            from retrocypher.plugins.scoring.columns import key_encoder_named

            self._encoder = key_encoder_named(encoder).matcher()

    def question(self, record: Record) -> Question | None:
        """Return the question in the paraphrase used; None if the run no longer has it."""
        original = self._questions.get(record.question_id)
        return None if original is None else paraphrase(original, record.phrasing)

    def explanation(self, record: Record) -> Explanation:
        """Return what is wrong with a case, computed where the record is of an earlier version."""
        question = self.question(record)
        if question is None:
            return Explanation()
        if record.explanation is not UNSET:
            return record.explanation
        if record.scores is not None and not record.errors:
            return Explanation()
        # Imported late: only records of earlier versions need the scoring, which is slow to load.
        from retrocypher.plugins.scoring.explanation import explanation_of

        return explanation_of(record, question, self._schema, self._encoder)

    def values(self, record: Record) -> "Mapping[str, Values]":
        """Return what was expected and what was returned, by key; empty if either is not known."""
        question = self.question(record)
        if question is None or record.execution is None:
            return {}
        from retrocypher.plugins.scoring.single_step import values_by_key

        return values_by_key(question, record.execution, self._encoder)

    @cached_property
    def _schema(self) -> "Schema | None":
        from retrocypher.kg.semantics.schema import parse_schema

        return parse_schema(self._schema_text) if self._schema_text else None


def find_case(log: RunLog, name: str) -> Record:
    """Return the case that an id, its beginning or any part of it names; raise InputError if none."""
    places = {place.case_id: place for place in log.case_places()}
    beginning = [case for case in places if case.lower().startswith(name.lower())]
    containing = [case for case in places if name.lower() in case.lower()]
    for found, do in (([name] * (name in places), "are"), (beginning, "begin with"), (containing, "contain")):
        if len(found) == 1:
            place = places[found[0]]
            return log.record_at(place.number, place.offset)
        if found:
            raise InputError(f"{log}: {len(found):,} cases {do} {name!r}: {_listed(found)}. Name one.")
    near = difflib.get_close_matches(name, places, _NEAR, cutoff=0.4)
    choice = f"Similar: {_listed(near)}" if near else f"It has {_listed(list(places)) or 'none'}"
    raise InputError(f"{log}: no case is called {name!r}. {choice}.")


def _listed(ids: list[str]) -> str:
    more = len(ids) - _LISTED
    return ", ".join(ids[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
