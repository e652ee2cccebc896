"""How often true written answers are verified, and how often planted falsehoods are not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

import click
from rich import box
from rich.table import Table

from retrocypher.benchmarks.instruments.answers import WORDINGS, facts_of, write_answer
from retrocypher.benchmarks.instruments.falsehoods import KINDS, GraphSample
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.questions.question import Question, select
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.console import json_option, print_json, table_console
from retrocypher.plugins.cli.verify import VerifyOptions, claim_text, verify_options
from retrocypher.plugins.runs.written_answer import Thresholds
from retrocypher.plugins.scoring.verdict import ANSWER_VERDICTS, AnswerVerdict, judge_answer

TRUE = "true"
"""Answers without a falsehood."""
OTHER = "other question"
"""True answers to another question of the same task."""
ANSWER_KINDS = (TRUE, *KINDS, OTHER)

_MOST_TRIES = 40
_SHORT = {
    "VERIFIED": "veri-\nfied",
    "PARTIALLY_VERIFIED": "partially\nverified",
    "UNVERIFIABLE": "unveri-\nfiable",
}


@dataclass(frozen=True, slots=True)
class Miss:
    """An answer whose verdict is not as expected."""

    question_id: str
    task: str
    kind: str
    wording: str
    question: str
    answer: str
    verdict: AnswerVerdict

    def to_json(self) -> dict[str, Any]:
        """Return the miss as one JSON object."""
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
    """The verdicts on answers of one kind.

    Attributes:
        verdicts: Answers by verdict.
        by_support: Answers that the share of supported claims alone would verify.
        by_task: Answers, and those with the expected verdict, by task.
        not_applicable: Questions whose answer has no place for the kind, by task.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    by_support: int = 0
    by_task: dict[str, list[int]] = field(default_factory=dict)
    not_applicable: Counter[str] = field(default_factory=Counter)

    @property
    def answers(self) -> int:
        """The number of answers."""
        return self.verdicts.total()


@dataclass(slots=True)
class Trial:
    """The outcome over a question set.

    Attributes:
        tallies: By kind, in the order of `ANSWER_KINDS`.
        misses: Every answer whose verdict is not as expected.
        claims: Number of claims that were looked up.
    """

    tallies: dict[str, Tally] = field(default_factory=lambda: {kind: Tally() for kind in ANSWER_KINDS})
    misses: list[Miss] = field(default_factory=list)
    claims: int = 0

    def add(self, kind: str, question: Question, wording: str, answer: str, verdict: AnswerVerdict) -> None:
        """Count an answer with its verdict."""
        tally = self.tallies[kind]
        tally.verdicts[verdict.verdict] += 1
        tally.by_support += verdict.support is not None and verdict.support >= verdict.thresholds.verified
        expected = (verdict.verdict == "VERIFIED") == (kind == TRUE)
        counts = tally.by_task.setdefault(question.task, [0, 0])
        counts[0] += 1
        counts[1] += expected
        self.claims += len(verdict.claims)
        if not expected:
            self.misses.append(
                Miss(question.id, question.task, kind, wording, question.text, answer, verdict)
            )

    def share(self, kind: str) -> float | None:
        """Return the share with the expected verdict: verified where true, not verified where false."""
        tally = self.tallies[kind]
        if not tally.answers:
            return None
        verified = tally.verdicts["VERIFIED"]
        return (verified if kind == TRUE else tally.answers - verified) / tally.answers

    def to_json(self) -> dict[str, Any]:
        """Return all counts and misses as one JSON object."""
        return {
            "kinds": {
                kind: {
                    "answers": tally.answers,
                    "as_expected": self.share(kind),
                    "verdicts": dict(tally.verdicts),
                    "verified_by_support_alone": tally.by_support,
                    "by_task": {
                        task: {"answers": answers, "as_expected": expected}
                        for task, (answers, expected) in tally.by_task.items()
                    },
                    "not_applicable": dict(tally.not_applicable),
                }
                for kind, tally in self.tallies.items()
            },
            "claims": self.claims,
            "misses": [each.to_json() for each in self.misses],
        }


def run_trial(
    questions: Sequence[Question],
    verifier: Verifier,
    graph: GraphSample,
    seed: int,
    thresholds: Thresholds | None = None,
) -> Trial:
    """Judge a true answer to each question, and a false one of each kind that applies to it.

    Args:
        questions: The questions, whose gold rows are written as answers.
        verifier: Looks claims up in the graph.
        graph: The source of falsehoods.
        seed: Seed of every random choice.
        thresholds: Where verdicts begin.
    """
    trial = Trial()
    for number, question in enumerate(questions):
        first = number % len(WORDINGS)
        wordings = (*WORDINGS[first:], *WORDINGS[:first])
        for kind in ANSWER_KINDS:
            random = Random(f"{seed}:{question.id}:{kind}")
            written = _written(kind, question, wordings, graph, random, questions)
            if written is None:
                trial.tallies[kind].not_applicable[question.task] += 1
                continue
            wording, answer = written
            verdict = judge_answer(question.text, answer, verifier, thresholds)
            trial.add(kind, question, wording, answer, verdict)
    return trial


def _written(
    kind: str,
    question: Question,
    wordings: Sequence[str],
    graph: GraphSample,
    random: Random,
    questions: Sequence[Question],
) -> tuple[str, str] | None:
    """Return an answer with its wording: the first of the wordings that shows the falsehood."""
    if kind == OTHER:
        others = [each for each in questions if _is_unrelated(each, question)]
        if not others:
            return None
        question = random.choice(others)
    facts = facts_of(question, graph.reactions)
    if kind not in KINDS:
        return wordings[0], write_answer(facts, wordings[0])
    for wording in wordings:
        true = write_answer(facts, wording)
        for false in islice(KINDS[kind](facts, graph, random), _MOST_TRIES):
            answer = write_answer(false, wording)
            if answer != true:
                return wording, answer
    return None


def _is_unrelated(other: Question, question: Question) -> bool:
    """Return whether a question has the same task, another target and other reactions."""
    if other.task != question.task or other.target == question.target:
        return False
    return not _reactions(other) & _reactions(question)


def _reactions(question: Question) -> set[int]:
    return {number for row in question.gold for number in row.get("route", [row.get("id")])}


@click.command("verification")
@verify_options
@click.option("--sample", type=click.IntRange(min=1), help="Number of questions; all where absent.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of every random choice.")
@click.option(
    "--misses",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="How many answers with an unexpected verdict to show; JSON has all.",
)
@json_option
def verification_command(sample: int | None, seed: int, misses: int, as_json: bool, **options: Any) -> None:
    """Verify true answers and answers with a planted falsehood, and count the verdicts by kind.

    The answers are written from the gold rows of this project's questions.
    """
    given = VerifyOptions(**options)
    questions = load_questions().questions
    chosen = questions if sample is None else select(questions, sample=sample, seed=seed)
    with given.open_verifier() as (verifier, reactions):
        trial = run_trial(chosen, verifier, GraphSample(reactions), seed, given.thresholds)
    if as_json:
        print_json(trial.to_json())
    else:
        print_trial(trial, misses)


def print_trial(trial: Trial, misses: int) -> None:
    """Print the table of a trial, and some of its misses with their claims."""
    console = table_console()
    console.print(_table(trial))
    console.print(f"{trial.claims:,} claims, {len(trial.misses):,} answers with an unexpected verdict.")
    for miss in trial.misses[:misses]:
        console.print(f"\n{miss.kind}, {miss.question_id}, {miss.wording}: {miss.question}", markup=False)
        console.print(miss.answer, markup=False)
        for each in miss.verdict.claims:
            console.print(f"  {claim_text(each)}", markup=False)


def _table(trial: Trial) -> Table:
    """Return a table of at most 80 columns with one row for each kind of answer."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    verdicts = [_SHORT.get(name, name.lower()) for name in ANSWER_VERDICTS]
    for heading in ("answers", "judged", "no\nplace", "as ex-\npected", *verdicts, "by\nshare\nalone"):
        table.add_column(
            heading, justify="right" if table.columns else "left", vertical="bottom", no_wrap=True
        )
    for kind in ANSWER_KINDS:
        tally, share = trial.tallies[kind], trial.share(kind)
        table.add_row(
            kind,
            f"{tally.answers:,}",
            f"{tally.not_applicable.total():,}",
            "-" if share is None else f"{100 * share:.2f} %",
            *(f"{tally.verdicts[name]:,}" for name in ANSWER_VERDICTS),
            f"{tally.by_support:,}",
        )
    return table
