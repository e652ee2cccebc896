from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.cypher import parse, relationship_patterns, string_literals
from kg.questions import MULTI_STEP_TASKS, SINGLE_STEP_TASKS, TASKS
from kg.questions.authoring._templates import template_of

ODD = r"F/C=C\F'$target`\u0041"


def slots_of(task: str, name: str = ODD) -> dict[str, Any]:
    every = {"target": name, "start": name, "role": "agents", "steps": 3, "products": [name, "C", "CC"]}
    return {slot: every[slot] for slot in template_of(task).slots}


@pytest.mark.parametrize("task", TASKS)
def test_a_reference_is_valid_cypher_with_every_molecule_in_place(task: str) -> None:
    slots = slots_of(task)
    cypher = template_of(task).reference(slots)
    assert not parse(cypher).errors
    expected = [slots["start"]] if "start" in slots else []
    expected += slots.get("products", [slots.get("target")])
    assert [literal.value for literal in string_literals(cypher)] == expected


@settings(deadline=None)
@given(name=st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_any_name_survives_the_way_into_a_reference(name: str) -> None:
    cypher = template_of("precursors").reference({"target": name})
    assert [literal.value for literal in string_literals(cypher)] == [name]


@pytest.mark.parametrize("task", TASKS)
def test_a_text_names_every_slot(task: str) -> None:
    slots = slots_of(task, "CCO")
    text = template_of(task).text(slots)
    assert text.endswith("?")
    for value in slots.values():
        assert all(str(each) in text for each in (value if isinstance(value, list) else [value]))


def test_a_list_of_molecules_reads_as_one() -> None:
    text = template_of("multi_product").text({"products": ["CCO", "CC", "C"]})
    assert "CCO, CC and C together" in text


def test_texts_differ_between_tasks() -> None:
    assert len({template_of(task).phrasings["canonical"] for task in TASKS}) == len(TASKS)


@pytest.mark.parametrize("task", SINGLE_STEP_TASKS)
def test_single_step_references_return_the_full_context(task: str) -> None:
    cypher = template_of(task).cypher
    for column in ("id", "reactants", "products", "agents", "solvents"):
        assert f" AS {column}" in cypher


@pytest.mark.parametrize("task", MULTI_STEP_TASKS)
@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_route_of_n_reactions_has_two_n_relationships(task: str, steps: int) -> None:
    cypher = template_of(task).reference({**slots_of(task), "steps": steps})
    assert f"[:REACTS_IN|PRODUCES*{2 * steps}]" in cypher
    assert len(relationship_patterns(parse(cypher))) == 1
