"""The checklists, read to the letter: no right query is rejected, and each point finds a mistake."""

from collections.abc import Iterator

import pytest
from support.literal_reader import RULES, rejected_points

from retrocypher.benchmarks.instruments.known_queries import KnownQuery, known_queries
from retrocypher.kg.questions.question import TASKS, setting_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.validation.checklist import checklist_for
from retrocypher.prompts.validation.finding import CONVENTIONS, Intent

# Each point by its beginning, with a kind of mistake that it is there to find.
_MISTAKES = {
    "The query is complete Cypher": "syntax_broken",
    "Every label, relationship type": "invented_relationship_type",
    "Every arrow points": "wrong_direction",
    "Agents, solvents, reactants and products": "roles_exchanged",
    "The query looks up all molecules": "wrong_molecule",
    "Every SMILES is copied": "smiles_atom_changed",
    "A LIMIT or SKIP": "limit_added",
    "The query returns the reactants, products": "context_forgotten",
    "The query returns what the question asks": "product_for_reactant",
    "A reaction without an agent or a solvent": "optional_left_out",
    "Molecules are returned with no other": "join_missing",
    "The reactions lead to the molecule": "direction_left_out",
    "Each path has exactly": "wrong_number_of_steps",
    "Each step leads from": "route_reversed",
    "The query returns, for each path": "route_sorted_by_id",
    "No path is left out": "shortest_path_only",
    "The molecule asked about is what": "anchor_left_out",
    "The reactions are those that produce": "or_for_and",
    "A reaction without a yield": "unknown_yield_as_100",
    "The best reaction is the one": "min_for_max",
    "No reaction but the best one": "limit_raised",
    "The yield of the best reaction": "min_for_max",
    "A reaction counts only if": "molecule_missing",
    "The molecule asked about is not among": "exclusion_dropped",
    "The co-products of each reaction": "context_forgotten",
    "Agents come from USES_AGENT": "roles_exchanged",
    "A path may begin at any": "route_reversed",
    "Each path begins at the starting": "anchor_left_out",
    "The query returns the molecules between": "union_branch_missing",
    "The query returns the molecule at the beginning": "head_for_last",
}

_TEXTS = {question.id: question.text for question in load_questions().questions}
_KNOWN = list(known_queries("seen"))


def _rejections(queries: Iterator[KnownQuery]) -> list[tuple[str, str, str]]:
    return [
        (query.id, point, query.cypher)
        for query in queries
        for point in rejected_points(query.cypher, _TEXTS[query.question_id], query.convention)
    ]


def test_no_right_query_is_rejected() -> None:
    right = [query for query in _KNOWN if query.mistake is None]

    assert _rejections(iter(right[::4])) == []


def test_no_reference_query_is_rejected() -> None:
    questions = [question for question in load_questions().questions if question.task in TASKS]

    assert {question.task for question in questions[::40]} == set(TASKS)
    assert [
        (question.id, point, question.reference_cypher)
        for question in questions[::40]
        for point in rejected_points(question.reference_cypher, question.text, "benchmark")
    ] == []


def _points() -> list[str]:
    intents: tuple[Intent, ...] = TASKS
    return list(
        dict.fromkeys(
            item.text
            for intent in intents
            for convention in CONVENTIONS
            for item in checklist_for(setting_of(intent), intent, convention)
        )
    )


def test_each_point_of_reactions_has_a_rule() -> None:
    assert set(_points()) == set(RULES)


@pytest.mark.parametrize("point", _points())
def test_each_point_rejects_a_mistake_that_it_is_there_to_find(point: str) -> None:
    (mistake,) = [each for beginning, each in _MISTAKES.items() if point.startswith(beginning)]
    wrong = (query for query in _KNOWN if query.mistake == mistake)

    assert any(
        point in rejected_points(query.cypher, _TEXTS[query.question_id], query.convention) for query in wrong
    )
