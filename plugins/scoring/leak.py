"""Whether an exemplar gives the answer of a question away.

Its query is filled with the question's molecules and scored as a completion would be: as it is, and with one
mechanical edit. For the shipped questions and exemplars the results are stored beside this module.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from msgspec import UNSET, Struct, UnsetType, convert

from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.mutations.operator import Mutation, Operator, error
from retrocypher.kg.mutations.path_errors import (
    anchor_other_end,
    reverse_arrow,
    reverse_path,
    swap_ends,
    turned_at_anchors,
)
from retrocypher.kg.mutations.registry import mutations_of
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import QuestionSet
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.record import Leak
from retrocypher.plugins.runs.replay import RunIndex
from retrocypher.plugins.scoring.columns import KeyMatcher
from retrocypher.plugins.scoring.score import score
from retrocypher.prompts.loops.interface import Graph
from retrocypher.prompts.templates.exemplars import Bank, Exemplar, fill_exemplar

STORED = Path(__file__).with_name("leaks.json.gz")
"""What is known of the shipped questions and exemplars."""

PairKey = tuple[str, str]
"""The ids of an exemplar and a question."""

NO_LEAK = Leak(0.0, 0.0, None)
# A right query takes milliseconds; one that takes longer must not hold up a run.
_TIMEOUT_S = 10.0


# Not among the operators of kg/mutations, so that a seed draws the same errors as before.
@error("endpoint_anchoring")
def target_is_made(query: ParsedQuery) -> Iterator[Mutation]:
    """Look for reactions that make a molecule instead of consuming it."""
    yield from turned_at_anchors(query, "REACTS_IN", "PRODUCES")


SINGLE_EDITS: tuple[Operator, ...] = (
    swap_ends,
    anchor_other_end,
    reverse_path,
    target_is_made,
    reverse_arrow,
)
"""What is one step away from copying, in the order of trial: two ends change places, or one arrow changes."""


def edited_queries(query: str) -> Iterator[tuple[str, str]]:
    """Yield each edit by name, with the query that it makes; an edit may have several places."""
    parsed = parse(query)
    for operator in SINGLE_EDITS:
        for made in mutations_of(operator, parsed):
            yield operator.name, made.query


def measure_leak(
    graph: Graph, question: Question, exemplar: Exemplar, key_encoder: KeyMatcher | None = None
) -> Leak:
    """Return what an exemplar scores for a question; edits are tried until one is right.

    Raises GraphError if the graph cannot be asked.
    """

    def f1_of(query: str) -> float:
        execution = graph.run(query, timeout_s=_TIMEOUT_S)
        return score(question, execution, query, text_metrics=False, key_encoder=key_encoder).f1

    query = fill_exemplar(exemplar, question.slots)
    if query is None:
        return NO_LEAK
    as_is = best = f1_of(query)
    edit = None
    for name, edited in edited_queries(query) if best < 1.0 else ():
        if (f1 := f1_of(edited)) > best:
            best, edit = f1, name
            if best == 1.0:
                break
    return Leak(as_is, best, edit)


def exemplar_key(exemplar: Exemplar) -> str:
    """Return what identifies what an exemplar is filled to, whatever its name and wording."""
    facts = [exemplar.setting, exemplar.pattern, exemplar.steps is not None]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


StoredLeak = tuple[float, float, str | None]
"""The fields of a `Leak`."""


class StoredLeaks(Struct, frozen=True):
    """The leaks of all pairs of some questions and exemplars; those that score 0 are left out."""

    graph: str
    """Fingerprint of the graph."""
    questions: str
    """Hash of the question set."""
    exemplars: dict[str, dict[str, StoredLeak]]
    """By `exemplar_key` and question id."""

    @classmethod
    def read(cls, file: Path = STORED) -> Self:
        """Return the content of a file."""
        return convert(json.loads(gzip.decompress(file.read_bytes())), cls)

    def write(self, file: Path = STORED) -> None:
        """Write a file; the same leaks give the same bytes."""
        exemplars = {key: dict(sorted(found.items())) for key, found in sorted(self.exemplars.items())}
        content = json_line(StoredLeaks(self.graph, self.questions, exemplars))
        file.write_bytes(gzip.compress(content.encode(), mtime=0))

    def is_about(self, questions: QuestionSet) -> bool:
        """Whether it is about the questions of a set, on its graph."""
        return (self.graph, self.questions) == (questions.fingerprint, questions.sha256)

    def known(self, questions: Iterable[Question], banks: Iterable[Bank]) -> dict[PairKey, Leak]:
        """Return the leaks of questions, which are of the set, with the exemplars that it has."""
        asked = list(questions)
        return {
            (exemplar.id, question.id): Leak(*stored[question.id]) if question.id in stored else NO_LEAK
            for bank in banks
            for exemplar in bank
            if (stored := self.exemplars.get(exemplar_key(exemplar))) is not None
            for question in asked
            if exemplar.setting == question.setting
        }


@cache
def shipped_leaks() -> StoredLeaks:
    """Return what is stored of the shipped questions and exemplars."""
    return StoredLeaks.read()


@dataclass(frozen=True, slots=True)
class LeakGuard:
    """Says of cases whether their exemplars give the answers away."""

    known: dict[PairKey, Leak]
    """What is stored about a run, and what was measured in it."""
    graph: Graph | None
    """Where what is not known is measured; None in a replay."""
    key_encoder: KeyMatcher | None = None
    recorded: RunIndex | None = None
    """The runs that are replayed."""

    def find(self, case_id: str, question: Question, exemplar: Exemplar) -> Leak | UnsetType | None:
        """Return a leak that is not known yet; raises GraphError if the graph cannot be asked.

        In a replay it is that of the record of the case, and UNSET if there is none.
        """
        if self.graph is not None:
            leak = measure_leak(self.graph, question, exemplar, self.key_encoder)
            self.known[exemplar.id, question.id] = leak
            return leak
        there = self.recorded.case(case_id) if self.recorded else None
        same = (exemplar.id, question.reference_cypher)
        return there.leak if there and (there.exemplar_id, there.reference_cypher) == same else UNSET
