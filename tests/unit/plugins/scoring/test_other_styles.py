"""True and false answers from gold rows, in styles that are not among the wordings."""

import json
from collections.abc import Callable
from itertools import islice
from random import Random

import pytest
from support.claims_graph import asking_reactions

from retrocypher.benchmarks.instruments.answers import AnswerFacts, ReactionFacts, facts_of
from retrocypher.benchmarks.instruments.falsehoods import KINDS, GraphSample
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.scoring.verdict import judge_answer

TASKS = ("precursors", "producing_reactions", "best_yield", "co_products")
EACH = 4
GRAPH = read_graph()
SAMPLE = GraphSample(GRAPH)


def _row(row: ReactionFacts, form: str, between: str, percent: str = "{:g} %") -> str:
    """A row in a form with places for its parts; the yield where it has one."""
    known = "" if row.target_yield is None else ", " + percent.format(row.target_yield)
    return form.format(
        id=row.id,
        reactants=between.join(row.reactants),
        products=between.join(row.products),
        middle=between.join((*row.agents, *row.solvents)) or "O",
        known=known,
    )


def _json(facts: AnswerFacts) -> str:
    rows = [
        {
            "reaction_id": row.id,
            "starting_materials": row.reactants,
            "product": row.products,
            "yield_percent": row.target_yield,
        }
        for row in facts.rows
    ]
    return json.dumps({"count": len(rows), "answer": rows})


def _lines(form: str, between: str = " + ", percent: str = "{:g} %") -> Callable[[AnswerFacts], str]:
    return lambda facts: "\n".join(_row(row, form, between, percent) for row in facts.rows)


READ = {
    "html": _lines("<li><b>Reaction {id}</b>: {reactants} &rarr; {products}{known}</li>"),
    "latex": _lines(
        "\\textbf{{Reaction {id}}}: {reactants} $\\rightarrow$ {products}{known}", percent="${:g}\\%$"
    ),
    "reaction smiles": _lines("Reaction {id}: `{reactants}>>{products}`{known}", "."),
    "backwards": _lines("Reaction {id}: {products} ← {reactants}{known}"),
    "json": _json,
}
UNREAD = {
    "german": _lines("Reaktion {id}: Edukte {reactants}; Produkte {products}{known} Ausbeute", " und "),
    "as in": _lines("As in {id}, {reactants} give {products}{known}.", " and "),
    "no percent": _lines("Reaction {id}: {reactants} → {products}{known}", percent="{:g} of 100"),
    "tabs": _lines("{id}\t{reactants}\t{products}{known}", ", "),
    "other sign": _lines("№ {id}: {reactants} → {products}{known}"),
}


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    found = load_questions().questions
    return [each for task in TASKS for each in [q for q in found if q.task == task][5 : 5 + EACH]]


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier(asking_reactions(GRAPH))


@pytest.mark.parametrize("style", READ)
def test_true_answers_are_verified(style: str, questions: list[Question], verifier: Verifier) -> None:
    for question in questions:
        answer = READ[style](facts_of(question, SAMPLE.reactions))
        found = judge_answer(question.text, answer, verifier)
        assert found.verdict == "VERIFIED", (answer, found)


@pytest.mark.parametrize("style", [*READ, *UNREAD])
def test_false_answers_are_not(style: str, questions: list[Question], verifier: Verifier) -> None:
    tell = (READ | UNREAD)[style]
    judged = 0
    for question in questions:
        facts = facts_of(question, SAMPLE.reactions)
        true = tell(facts)
        for kind, plant in KINDS.items():
            versions = islice(plant(facts, SAMPLE, Random(f"{question.id}:{kind}")), 20)
            answer = next((answer for answer in map(tell, versions) if answer != true), None)
            if answer is not None:
                judged += 1
                found = judge_answer(question.text, answer, verifier)
                assert found.verdict != "VERIFIED", (kind, answer, found)
    assert judged >= 4 * len(questions)
