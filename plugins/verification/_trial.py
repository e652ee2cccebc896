"""How often true answers are verified, and how often planted falsehoods are not."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from kg.claims import Verifier
from kg.questions import Question
from kg.reactions import Reaction
from plugins.verification._falsehoods import KINDS
from plugins.verification._graph_sample import GraphSample
from plugins.verification._judge import judge_answer
from plugins.verification._story import Story, story_of
from plugins.verification._verdict import AnswerVerdict, Thresholds
from plugins.verification._wordings import WORDINGS, tell

GOLD = "true"
"""Answers with no falsehood in them."""
OTHER = "other question"
"""True answers to another question of the same task, given to this one."""
TRIED = (GOLD, *KINDS, OTHER)


@dataclass(frozen=True, slots=True)
class Miss:
    """An answer whose verdict is not what it should be."""

    question_id: str
    task: str
    kind: str
    wording: str
    question: str
    answer: str
    verdict: AnswerVerdict

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "question_id": self.question_id,
            "task": self.task,
            "kind": self.kind,
            "wording": self.wording,
            "question": self.question,
            "answer": self.answer,
            **self.verdict.to_json(),
        }


@dataclass(slots=True)
class Tally:
    """What became of the answers of one kind.

    Attributes:
        verdicts: How many have each verdict.
        by_support: How many would be verified by the share of supported claims alone.
        by_task: Answers, and those judged as they should be, by task.
        not_applicable: Questions whose answer has no place for the kind, by task.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    by_support: int = 0
    by_task: dict[str, list[int]] = field(default_factory=dict)
    not_applicable: Counter[str] = field(default_factory=Counter)

    @property
    def answers(self) -> int:
        """How many were judged."""
        return self.verdicts.total()


@dataclass(slots=True)
class Trial:
    """The outcome over a question set.

    Attributes:
        tallies: By kind, in the order of `TRIED`.
        misses: Every answer that was not judged as it should be.
        claims: Claims looked up.
    """

    tallies: dict[str, Tally] = field(default_factory=lambda: {kind: Tally() for kind in TRIED})
    misses: list[Miss] = field(default_factory=list)
    claims: int = 0

    def share(self, kind: str) -> float | None:
        """Return the share judged as it should be: verified where true, not verified where false."""
        tally = self.tallies[kind]
        if not tally.answers:
            return None
        verified = tally.verdicts["VERIFIED"]
        return (verified if kind == GOLD else tally.answers - verified) / tally.answers

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain values, without the misses."""
        return {
            kind: {
                "answers": tally.answers,
                "as_expected": self.share(kind),
                "verdicts": dict(tally.verdicts),
                "verified_by_support_alone": tally.by_support,
                "by_task": {
                    task: {"answers": n, "as_expected": ok} for task, (n, ok) in tally.by_task.items()
                },
                "not_applicable": dict(tally.not_applicable),
            }
            for kind, tally in self.tallies.items()
        }


def true_answers(questions: Sequence[Question], reactions: Sequence[Reaction]) -> list[tuple[Question, str]]:
    """Return questions with true answers, the wordings in turn.

    Args:
        questions: The questions, whose gold rows are told.
        reactions: The reactions of the graph.
    """
    by_id = {each.id: each for each in reactions}
    return [
        (question, tell(story_of(question, by_id), WORDINGS[turn % len(WORDINGS)]))
        for turn, question in enumerate(questions)
    ]


def run_trial(
    questions: Sequence[Question],
    verifier: Verifier,
    graph: GraphSample,
    seed: int,
    thresholds: Thresholds | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Trial:
    """Judge a true answer to each question, and one false one of each kind that it has a place for.

    The wordings take turns. A falsehood that the wording of its question does not tell is told in another.

    Args:
        questions: The questions, whose gold rows are told.
        verifier: What asks the graph.
        graph: What falsehoods are made of.
        seed: Of every random choice.
        thresholds: Where verdicts begin.
        progress: Is told how many questions are done.
    """
    trial = Trial()
    thresholds = thresholds or Thresholds()
    for turn, question in enumerate(questions):
        wordings = [WORDINGS[(turn + shift) % len(WORDINGS)] for shift in range(len(WORDINGS))]
        story = story_of(question, graph.reactions)
        for kind in TRIED:
            random = Random(f"{seed}:{question.id}:{kind}")
            told = _told(kind, story, wordings, graph, random, questions, question)
            if told is None:
                trial.tallies[kind].not_applicable[question.task] += 1
                continue
            wording, answer = told
            verdict = judge_answer(question.text, answer, verifier, thresholds)
            _count(trial, kind, question, wording, answer, verdict)
        progress(turn + 1)
    return trial


def _told(
    kind: str,
    story: Story,
    wordings: Sequence[str],
    graph: GraphSample,
    random: Random,
    questions: Sequence[Question],
    question: Question,
) -> tuple[str, str] | None:
    if kind == GOLD:
        return wordings[0], tell(story, wordings[0])
    if kind == OTHER:
        others = [each for each in questions if _is_other(each, question)]
        if not others:
            return None
        return wordings[0], tell(story_of(random.choice(others), graph.reactions), wordings[0])
    for wording in wordings:
        true = tell(story, wording)
        for false in _first(KINDS[kind](story, graph, random)):
            answer = tell(false, wording)
            if answer != true:
                return wording, answer
    return None


def _is_other(other: Question, question: Question) -> bool:
    """Whether a question of the same task asks about other reactions altogether."""
    if other.task != question.task or other.target == question.target:
        return False
    return not _reactions(other) & _reactions(question)


def _reactions(question: Question) -> set[int]:
    return {number for row in question.gold for number in row.get("route", [row.get("id")])}


_MOST_TRIES = 40


def _first(stories: Iterator[Story]) -> Iterator[Story]:
    for _, story in zip(range(_MOST_TRIES), stories, strict=False):
        yield story


def _count(
    trial: Trial, kind: str, question: Question, wording: str, answer: str, verdict: AnswerVerdict
) -> None:
    tally = trial.tallies[kind]
    tally.verdicts[verdict.verdict] += 1
    tally.by_support += verdict.support is not None and verdict.support >= verdict.thresholds.verified
    expected = (verdict.verdict == "VERIFIED") == (kind == GOLD)
    counted = tally.by_task.setdefault(question.task, [0, 0])
    counted[0] += 1
    counted[1] += expected
    trial.claims += len(verdict.claims)
    if not expected:
        trial.misses.append(Miss(question.id, question.task, kind, wording, question.text, answer, verdict))
