"""What questions ask for, in many paraphrases."""

import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.graph.molecules import find_molecules
from retrocypher.kg.questions.question import PARAPHRASE_COUNT, TASKS, paraphrase
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.validation.finding import QuestionIntent, QuestionMolecule
from retrocypher.prompts.validation.question import read_question

PARAPHRASES: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("paraphrases.yaml").read_text("utf-8")
)
MOLECULES = {
    "target": "CC(C)(CCCCC1=CCCC1=O)CC(=O)O",
    "start": "OCCc1ccccn1",
    "first": "c1ccc([P+](CCCCC2OCCOC2CC2COCCO2)(c2ccccc2)c2ccccc2)cc1",
    "second": "[I-]",
    "third": "CCO",
}
NUMBERS = {2: "two", 3: "three", 4: "four"}
assert min(len(PARAPHRASES[task]) for task in TASKS) >= 15
CASES = [(task, text) for task, texts in PARAPHRASES.items() for text in texts]


def filled(text: str, steps: int = 3, role: str = "agents") -> str:
    return text.format(**MOLECULES, n=steps, number=NUMBERS[steps], role=role, one=role.removesuffix("s"))


@pytest.mark.parametrize(("task", "text"), CASES)
def test_a_question_is_read_however_it_is_put(task: str, text: str) -> None:
    for steps in NUMBERS:
        asked = read_question(filled(text, steps))
        if task == "unread":
            assert asked.intent is None
            assert asked.note
            continue
        routes = "{n}" in text or "{number}" in text
        assert (asked.intent, asked.steps, asked.note) == (task, steps if routes else 1, "")
        named = [MOLECULES[name] for name in MOLECULES if f"{{{name}}}" in text]
        assert sorted(each.name for each in asked.molecules) == sorted(named)
        roles = {each.name: each.role for each in asked.molecules}
        if task == "chains_between":
            assert roles == {MOLECULES["start"]: "start", MOLECULES["target"]: "target"}
        else:
            assert set(roles.values()) == {"product" if task == "multi_product" else "target"}


@pytest.mark.parametrize("text", PARAPHRASES["conditions"])
def test_agents_and_solvents_are_told_apart(text: str) -> None:
    for role in ("agents", "solvents"):
        assert read_question(filled(text, role=role)).components == {role}
    for both in ("agents and solvents", "solvents and which agents", "conditions"):
        asked = read_question(f"Which {both} are used to make CCOC(C)=O?")
        assert (asked.intent, asked.components) == ("conditions", {"agents", "solvents"})


@pytest.mark.parametrize(
    "text",
    [
        "Which routes to {target} pass via two intermediates?",
        "Which routes of at most three steps lead to {target}?",
        "Which routes lead to {target} in two to four steps?",
        "Which routes of 2 or 3 steps lead to {target}?",
    ],
)
def test_a_number_of_steps_that_is_left_open_is_not_guessed(text: str) -> None:
    asked = read_question(filled(text))
    assert asked.steps is None
    assert asked.note


@pytest.mark.parametrize(
    "text", ["", "Hello!", "What is ethanol made from?", "In N steps, to be or not to be: a B?"]
)
def test_a_question_without_a_molecule_has_no_intent(text: str) -> None:
    assert read_question(text) == QuestionIntent(None, note="The question names no molecule.")


def test_every_question_of_the_set_is_read_as_it_was_made() -> None:
    for question in load_questions().questions:
        asked = read_question(question.text)
        assert (asked.intent, asked.steps) == (question.task, question.steps), question.text
        slots = question.slots
        expected = [QuestionMolecule(slots["start"], "start")] if "start" in slots else []
        expected += [QuestionMolecule(name, "product") for name in slots.get("products", [])]
        expected += [QuestionMolecule(slots["target"], "target")] if "target" in slots else []
        assert asked.molecules == tuple(dict.fromkeys(expected)), question.text


@pytest.mark.parametrize("number", range(1, PARAPHRASE_COUNT + 1))
def test_every_paraphrase_of_the_set_is_read(number: int) -> None:
    for question in load_questions().questions[number - 1 :: PARAPHRASE_COUNT]:
        asked = read_question(paraphrase(question, number).text)
        assert (asked.intent, asked.note) == (question.task, ""), asked


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("How many reactions make {target}?", 'asks for a count or an average ("how many")'),
        ("Which reactions make {target} without a solvent?", 'leaves something out ("without")'),
        ("Which reactions make {target} in 50 % yield?", 'sets a limit ("50 percent")'),
        ("Which reactions make {target} in toluene?", 'names a substance by a word ("toluene")'),
        ("Which solvents are used in 2-step routes to {target}?", "speaks of solvents beside routes"),
    ],
)
def test_what_is_more_than_is_known_is_said(text: str, why: str) -> None:
    note = f"The question {why}; what must be returned is not checked."
    asked = read_question(filled(text))
    assert (asked.intent, asked.note) == (None, note)
    assert asked.molecules == (QuestionMolecule(MOLECULES["target"], None),)
    # A name may stand beside its own SMILES.
    assert read_question("Which reactions make ethanol (CCO)?").intent == "producing_reactions"
    assert read_question("Which reactions make ethanol (CCN)?").intent is None


@pytest.mark.parametrize(
    "around", ["{}", '"{}"', "'{}'", "`{}`", "({})", "[{}]", "{}?", "{}.", "{},", "“{}”", "**{}**", "{}'s"]
)
@pytest.mark.parametrize(
    "smiles",
    ["CCO", "CC(=O)O", "[Na+].[Cl-]", "[I-]", "C[C@@H](N)C(=O)O", "F/C=C\\F", "c1ccccc1", "ClCCl"],
)
def test_a_molecule_is_found_whatever_stands_around_it(smiles: str, around: str) -> None:
    found = find_molecules(f"Which reactions give {around.format(smiles)} directly")
    assert [each.smiles for each in found] == [smiles]


@pytest.mark.parametrize("text", ["CCO,CCN", "CCO>>CCN", "CCO → CCN", "CCO; CCN", "CCO and CCN", "CCO, CCN."])
def test_molecules_are_told_apart(text: str) -> None:
    assert [each.smiles for each in find_molecules(f"From {text}")] == ["CCO", "CCN"]


def test_a_word_is_no_molecule() -> None:
    words = "I In on No so as co-products multi-step 2-step C1 n=3 and/or P5 1. (a)"
    for word in words.split():
        assert not find_molecules(f"Which {word} reactions are there?"), word


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    asked = read_question(text)
    assert asked.intent is None or asked.molecules
    for mention in find_molecules(text):
        assert text[mention.start : mention.stop] == mention.smiles


@given(
    st.sampled_from(CASES),
    st.sampled_from([each.slots for each in load_questions().questions if each.task == "precursors"]),
)
def test_what_is_asked_does_not_depend_on_the_molecule(case: tuple[str, str], slots: dict[str, Any]) -> None:
    task, text = case
    other = filled(text.replace("{target}", slots["target"].replace("{", "").replace("}", "")))
    assert read_question(other).intent == (None if task == "unread" else task)


@pytest.mark.parametrize(
    "text",
    [
        "CCO " * 5000,
        "CCO," * 5000,
        "from " * 4000 + "CCO",
        "(" * 9000 + "CCO" + ")" * 9000,
        "which " * 40_000 + "CCO",
    ],
)
def test_a_text_of_any_length_is_read_or_refused_at_once(text: str) -> None:
    begun = time.process_time()
    read_question(text)
    assert time.process_time() - begun < 10
