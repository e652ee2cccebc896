"""Generates the questions of a suite: chosen evenly, answered twice, split into test and training.

Dropped are questions whose answer is empty, longer than 100,000 rows or slower than 30 seconds, and those
whose answer is trivial: a condition or relationship that can be left out with the same result, or a named
node that is its own answer. Dropped, too, is a question that a query without a part of the reference query
answers, because EX would not tell the two apart. Also dropped is a question whose answer depends on whether
one relationship may serve two hops, which Cypher forbids within a MATCH and English does not say.

All of this is decided by the matcher: what Neo4j returns without ORDER BY depends on how it stores the graph.
"""

import logging
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from retrocypher.kg.errors import GraphError
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.execution.hashing import hash_value
from retrocypher.kg.questions.question import UNANSWERABLE
from retrocypher.kg.suites.english import English
from retrocypher.kg.suites.graph import PropertyGraph
from retrocypher.kg.suites.instances import Hop, Match, Return
from retrocypher.kg.suites.lexicon import Lexicon
from retrocypher.kg.suites.matcher import Answer, Matcher, without_hop
from retrocypher.kg.suites.patterns import Sampler, Shape, shapes, tasks, templates
from retrocypher.kg.suites.questions import Split, TableQuestion
from retrocypher.kg.suites.reference import match_text, query_text, table_question
from retrocypher.kg.suites.returns import ReturnChooser
from retrocypher.kg.suites.special import AMBIGUOUS, Special
from retrocypher.kg.suites.suite import Generation

_logger = logging.getLogger(__name__)

_TRIES = 12
"""Attempts in a row without a question after which a shape with a template is given up."""

_SHORT = {
    UNANSWERABLE: "the named nodes and the phrases that the schema lacks give no more",
    AMBIGUOUS: "no other relationships between two labels, or properties with one head word, differ",
}
"""Why there are fewer questions than wanted."""
_FEWEST = 4
"""Of fewer nodes, a query without ORDER BY, or with a LIMIT too early, is often right by chance."""
_SLOW = "slower than the time limit, or too large"
_REPORTED_EVERY = 50
_TRAINING_SHARE = 4
"""Test questions for each training question."""


class _DroppedError(Exception):
    """A drawn question is not asked; the message is the reason."""


@dataclass(slots=True)
class _Slot:
    """A shape with a template, from which questions are drawn."""

    shape: Shape
    template: str
    failures: int = 0

    @property
    def evened(self) -> list[tuple[str, str]]:
        """What is used evenly within a pattern: the label, the relationship types and the template."""
        types = {f"type {each.type}" for each in self.shape.facts}
        names = (f"label {self.shape.labels['n']}", f"template {self.template}", *types)
        return [(self.shape.form.task, name) for name in names]


@dataclass(slots=True)
class Generated:
    """The questions, and what could not be had."""

    questions: list[TableQuestion]
    unserved: dict[str, str]
    """By pattern, why there is no question of it."""
    short: dict[str, str] = field(default_factory=dict)
    """How many unanswerable and ambiguous questions there are where more were wanted, and why."""
    dropped: Counter[str] = field(default_factory=Counter)
    """How often a drawn question was dropped, by the reason."""


def generate(
    graph: PropertyGraph,
    generation: Generation,
    lexicon: Lexicon,
    n: int,
    run: Callable[[str], Execution],
    unanswerable: int = 0,
    ambiguous: int = 0,
) -> Generated:
    """Return ``n`` test questions, or as many as the graph has, and a quarter as many for training.

    ``unanswerable`` and ``ambiguous`` of the ``n`` have no answer, or several.
    ``run`` executes a query under guard, with a limit of 30 seconds and `MOST_ROWS` rows. Raise GraphError,
    which names the question, if the server refuses a query or its answer differs from the matcher's.
    """
    return _Generator(graph, generation, lexicon, run).questions(n, unanswerable, ambiguous)


class _Generator:
    def __init__(
        self,
        graph: PropertyGraph,
        generation: Generation,
        lexicon: Lexicon,
        run: Callable[[str], Execution],
    ) -> None:
        self._graph = graph
        self._keys = generation.keys
        self._run = run
        self._rng = random.Random(generation.seed)
        self._matcher = Matcher(graph, generation.keys)
        self._chooser = ReturnChooser(self._matcher, lexicon, generation.keys)
        self._sampler = Sampler(graph, generation)
        self._english = English(lexicon, generation)
        served, unserved = shapes(graph, generation)
        self._special = Special(graph, generation, lexicon, served, self._sampler, self._matcher)
        self._slots = {
            task: [_Slot(shape, each) for shape in served.get(task, []) for each in templates(task)]
            for task in tasks()
        }
        self._used: Counter[tuple[str, str]] = Counter()
        self._splits: dict[str, Split] = {}
        self._counts: Counter[tuple[str, Split]] = Counter()
        self._dropped: dict[str, Counter[str]] = {task: Counter() for task in tasks()}
        self._seen: set[str] = set()
        self._done = Generated([], unserved)

    def questions(self, n: int, unanswerable: int, ambiguous: int) -> Generated:
        """Take one question of each pattern in turn until there are enough, or no pattern has more."""
        special = self._without_one_answer(unanswerable, ambiguous)
        self._wanted: dict[Split, int] = {
            "test": n - sum(map(len, special.values())),
            "train": n // _TRAINING_SHARE,
        }
        found: dict[str, list[TableQuestion]] = {task: [] for task in tasks()}
        while any(self._slots.values()) and self._open_splits():
            for task in tasks():
                if self._open_splits() and (question := self._next(task)):
                    found[task].append(question)
                    if not self._counts.total() % _REPORTED_EVERY:
                        _logger.info(f"{self._counts.total()} questions")
        for task, questions in {**found, **special}.items():
            for number, question in enumerate(questions, start=1):
                question.id = f"{self._graph.name}-{task}-{number:03}"
            if not questions and task in found:
                reasons = "; ".join(reason for reason, _ in self._dropped[task].most_common(2))
                self._done.unserved.setdefault(task, reasons)
            self._done.dropped += self._dropped.get(task, Counter())
            self._done.questions += questions
        return self._done

    def _without_one_answer(self, unanswerable: int, ambiguous: int) -> dict[str, list[TableQuestion]]:
        found = {
            UNANSWERABLE: self._special.unanswerable(unanswerable),
            AMBIGUOUS: self._special.ambiguous(ambiguous, self._confirmed),
        }
        for task, wanted in ((UNANSWERABLE, unanswerable), (AMBIGUOUS, ambiguous)):
            if len(found[task]) < wanted:
                self._done.short[task] = f"{len(found[task])} of {wanted}: {_SHORT[task]}"
        # The training split has no MATCH of theirs.
        self._splits.update(dict.fromkeys(self._special.matches, "test"))
        return found

    def _open_splits(self) -> list[Split]:
        total: Counter[Split] = Counter()
        for (_, split), number in self._counts.items():
            total[split] += number
        return [split for split, wanted in self._wanted.items() if total[split] < wanted]

    def _next(self, task: str) -> TableQuestion | None:
        slots = self._slots[task]
        while slots:
            slot = min(slots, key=lambda each: (self._use(each), self._rng.random()))
            try:
                question = self._draw(slot)
            except _DroppedError as dropped:
                self._dropped[task][str(dropped)] += 1
                # Another thirty seconds of the same shape would most likely end alike.
                slot.failures += _TRIES if str(dropped) == _SLOW else 1
                if slot.failures >= _TRIES:
                    slots.remove(slot)
                continue
            slot.failures = 0
            self._used.update(slot.evened)
            return question
        return None

    def _use(self, slot: _Slot) -> int:
        """How much of what is even within a pattern a slot would use again; failures put it back."""
        return sum(self._used[each] for each in slot.evened) + slot.failures

    def _draw(self, slot: _Slot) -> TableQuestion:
        match = self._sampler.draw(slot.shape, self._rng)
        if match is None:
            raise _DroppedError("no instance drawn")
        matched = match_text(match, self._keys)
        split = self._split(match.task, matched)
        if split is None:
            raise _DroppedError("its match belongs to the other split")
        count = self._matcher.count(match)
        reason = self._fault(match, count)
        if reason:
            raise _DroppedError(reason)
        wanted = self._chooser.choose(slot.template, match, count, self._rng)
        if wanted is None:
            raise _DroppedError("no property fits the template")
        cypher = query_text(match, wanted, self._keys)
        if cypher in self._seen:
            raise _DroppedError("asked already")
        answer = self._matcher.answer(match, wanted)
        if answer is None or not answer.rows:
            raise _DroppedError("too many rows" if answer is None else "no answer, or a tie")
        if wanted.template == "filter" and len(answer.rows) == count:
            raise _DroppedError("the condition changes nothing")
        text = self._english.question(match, wanted)
        question = table_question(match, wanted, self._keys, text, answer.rows)
        question.split = split
        if not self._confirmed(question, answer):
            raise _DroppedError(_SLOW)
        if idle := self._idle(match, wanted, answer, count):
            raise _DroppedError(idle)
        self._seen.add(cypher)
        self._splits[matched] = split
        self._counts[match.task, split] += 1
        return question

    def _split(self, task: str, matched: str) -> Split | None:
        """Return the split of a match; one that is new goes to the split that is behind its share."""
        still = self._open_splits()
        if matched in self._splits:
            return self._splits[matched] if self._splits[matched] in still else None
        behind = self._counts[task, "train"] * _TRAINING_SHARE < self._counts[task, "test"]
        first: Split = "train" if behind else "test"
        return first if first in still else still[0]

    def _fault(self, match: Match, count: int) -> str:
        if not count:
            return "no match"
        if not match.hops:
            return ""
        if match.excludes_named:
            if self._matcher.finds_named(match):
                return "finds the named node by a second relationship"
        elif (
            match.task not in ("union", "optional_match") and self._matcher.count(match, reuse=True) != count
        ):
            return "depends on whether a relationship may serve twice"
        removable = {"optional_match": (), "group_by": match.hops[1:]}.get(match.task, match.hops)
        fewer = [without_hop(match, hop) for hop in removable]
        if match.period:
            fewer = [replace(match, period=None)]
        if any(self._matcher.count(each) == count for each in fewer):
            return "a part of the pattern changes nothing"
        if match.task == "two_hops" and count == 1 and match.labels["m1"] == match.label:
            return "the named node is its own answer" if self._matcher.finds_named(match) else ""
        return ""

    def _idle(self, match: Match, wanted: Return, answer: Answer, count: int) -> str:
        """Return which part of a question its answer may not depend on; empty if there is none."""
        optional = match.task == "optional_match"
        nodes = count if wanted.template == "argmax" else len(answer.rows)
        if (wanted.order or optional) and nodes < _FEWEST:
            return "few nodes to order or count"
        if optional and all(row[-1] for row in answer.rows):
            return "that a match is optional changes nothing"
        # Without a name, a comparison has several answers.
        for node in match.named if match.task != "comparison" else ():
            rest = {each: name for each, name in match.named.items() if each != node}
            if self._answers(replace(match, named=rest), wanted, answer):
                return "a named node changes nothing"
        for hop in match.hops if match.period is None else ():
            hops = tuple(replace(each, type="") if each is hop else each for each in match.hops)
            if self._has_other_type(match, hop) and self._answers(replace(match, hops=hops), wanted, answer):
                return "the type of a relationship changes nothing"
        return ""

    def _answers(self, match: Match, wanted: Return, answer: Answer) -> bool:
        """Tell whether a wider pattern has an answer, or may have it because of a tie at the top."""
        wider = self._matcher.answer(match, wanted)
        return wider is not None and wider.rows in ([], answer.rows)

    def _has_other_type(self, match: Match, hop: Hop) -> bool:
        ends = (match.labels[hop.start], match.labels[hop.end])
        known = self._graph.schema.relationships
        return any((each.start, each.end) == ends and each.type != hop.type for each in known)

    def _confirmed(self, question: TableQuestion, answer: Answer) -> bool:
        """Return whether Neo4j gives the answer in time; raise GraphError if it gives another one."""
        assert question.cypher
        result = self._run(question.cypher)
        if result.status == "timeout" or result.truncated:
            return False
        if result.status != "ok":
            raise GraphError(
                f"The reference query of {question.question!r} failed: {result.message} "
                f"It is: {question.cypher}"
            )
        theirs, ours = (
            [hash_value(list(row), "ordered_lists") for row in rows] for rows in (result.rows, answer.rows)
        )
        stretches = pairwise(accumulate(answer.ties, initial=0))
        alike = all(Counter(theirs[start:stop]) == Counter(ours[start:stop]) for start, stop in stretches)
        if len(theirs) != len(ours) or not alike:
            raise GraphError(
                f"Neo4j ({len(result.rows)} rows) and the matcher ({len(answer.rows)} rows) answer "
                f"{question.question!r} differently; the server may hold another graph. The query is: "
                f"{question.cypher}"
            )
        return True
