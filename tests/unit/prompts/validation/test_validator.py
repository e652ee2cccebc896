"""What questions ask for, the schema validator on right, wrong and hostile queries, and checklists."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.graph.molecules import find_molecules
from retrocypher.kg.questions.question import PARAPHRASE_COUNT, TASKS, paraphrase, setting_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.validation.validator import SchemaValidator
from retrocypher.prompts.validation.check_text import syntax_words
from retrocypher.prompts.validation.checklist import checklist_for, read_checklist_answer
from retrocypher.prompts.validation.finding import CONVENTIONS, QuestionIntent, QuestionMolecule
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


def test_a_convention_that_there_is_not_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="'benchmrk' is none of benchmark, as-asked"):
        SchemaValidator(default_schema(), "benchmrk")  # type: ignore[arg-type]


QUESTIONS = load_questions().questions


@pytest.mark.parametrize("task", TASKS)
def test_no_fault_is_found_with_any_reference(task: str) -> None:
    benchmark, as_asked = (SchemaValidator(default_schema(), each) for each in CONVENTIONS)
    asked = [each for each in QUESTIONS if each.task == task]
    for question in asked:
        found = benchmark.validate(question.reference_cypher, question.text)
        assert found.valid, (question.id, found.findings)
        assert (found.asked.intent, found.note) == (task, ""), question.id
    for question in asked[::20]:
        assert not as_asked.validate(question.reference_cypher, question.text).findings


HERE = Path(__file__).parent


def read(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text("utf-8"))


ASKED = read("questions.yaml")
RIGHT: list[dict[str, str]] = read("right_queries.yaml")
WRONG: list[dict[str, str]] = read("wrong_queries.yaml")
assert min(len(RIGHT), len(WRONG)) >= 60


def validated(entry: dict[str, str]) -> Any:
    cypher = entry["cypher"]
    for name, smiles in ASKED["molecules"].items():
        cypher = cypher.replace(f"{{{name}}}", quote(smiles))
    question = ASKED["questions"][entry["asks"]].format(**ASKED["molecules"])
    convention = "as-asked" if entry.get("convention") == "as-asked" else "benchmark"
    return SchemaValidator(default_schema(), convention).validate(cypher, question)  # type: ignore[arg-type]


def name(entry: dict[str, str]) -> str:
    return f"{entry['asks']}-{entry.get('label', 'right')}"


@pytest.mark.parametrize("entry", RIGHT, ids=name)
def test_a_right_query_passes_in_whatever_style(entry: dict[str, str]) -> None:
    found = validated(entry)
    assert found.asked.intent is not None
    assert not found.findings


@pytest.mark.parametrize("entry", WRONG, ids=name)
def test_a_wrong_query_is_told_by_its_fault(entry: dict[str, str]) -> None:
    found = validated(entry)
    assert found.findings
    assert found.findings[0].label == entry["label"]


NO_REASON = "The validator calls the query invalid and does not say why."
ITEMS = checklist_for("single_step", "best_yield", "benchmark")


def test_a_checklist_is_for_setting_and_task() -> None:
    plain = checklist_for("single_step", None, "benchmark")
    assert ITEMS[: len(plain)] == plain
    assert {item.label for item in ITEMS} - {item.label for item in plain} == {
        "missing_null_check",
        "wrong_aggregation_or_order",
    }
    assert checklist_for("multi_step", None, "benchmark") != plain
    for intent in TASKS:
        setting = setting_of(intent)
        own = checklist_for(setting, intent, "as-asked")
        assert len(own) > len(checklist_for(setting, None, "as-asked"))
        assert {item.convention for item in own} == {None, "as-asked"}


@pytest.mark.parametrize(
    ("answer", "valid", "found"),
    [
        ('{"valid": true, "errors": []}', True, []),
        ('{"valid": "yes"}', True, []),
        ('{"errors": []}', True, []),
        ("Valid.", True, []),
        (
            '{"valid": false, "errors": [{"item": 3, "problem": "turned"}]}',
            False,
            [(ITEMS[2].label, "turned")],
        ),
        ('{"valid": false, "errors": ["turned"]}', False, [("other", "turned")]),
        ('{"valid": false, "errors": "turned"}', False, [("other", "turned")]),
        ('{"valid": false, "errors": [{"item": "3", "problem": "x"}]}', False, [(ITEMS[2].label, "x")]),
        ('{"valid": false, "errors": [{"item": 99, "problem": "x"}]}', False, [("other", "x")]),
        # Errors count, whatever else is said.
        ('{"valid": true, "errors": ["turned"]}', False, [("other", "turned")]),
        ('{"valid": false}', False, [("other", NO_REASON)]),
        ("invalid", False, [("other", NO_REASON)]),
        ('{"valid": false, "errors": []}', False, [("other", NO_REASON)]),
        ("", None, []),
        ("The query seems fine, but who knows.", None, []),
        ('{"valid": "perhaps"}', None, []),
        ('{"verdict": true}', None, []),
        ("[]", None, []),
    ],
)
def test_what_an_answer_says(answer: str, valid: bool | None, found: list[tuple[str, str]]) -> None:
    said = read_checklist_answer(answer, ITEMS)
    assert said.valid is valid
    assert [(finding.label, finding.message) for finding in said.findings] == found


def test_an_error_is_one_finding_however_deep() -> None:
    entry = {"item": 1, "problem": {"what": ["a", {"b": 1}]}, "fix": "c"}
    (finding,) = read_checklist_answer(json.dumps({"errors": [entry]}), ITEMS).findings
    assert finding.label == ITEMS[0].label
    assert finding.message.endswith(": c")


WHOLE = (
    "MATCH (r:Reaction {id: 1})-[:PRODUCES*1..4]->(m {name: 'C(C)O'}) WHERE m.x > 2 "
    "RETURN r.id AS id ORDER BY id"
)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("MATCH (r:Reaction {id: 1) RETURN r", "unexpected ')'; expected ',' or '}'"),
        ("MATCH (n) RETURN n.a b", "unexpected 'b'; expected the end of the query or ';'"),
        ("MATCH (a)-[:X->(b) RETURN a", "unexpected '-'; expected '$', '{', ']', '*' or WHERE"),
        ("SELECT * FROM x", "unexpected 'SELECT'"),
        ("\x85", r"unexpected '\x85'"),
        ("MATCH (r RETURN r", "unexpected 'RETURN'"),
        ("RETURN {a: 1", "unexpected end of the query; expected ',' or '}'"),
        ("MATCH (n {name 'x'}) RETURN n", "':' is missing before 'x'"),
        ("MATCH (a)-[:X]>(b) RETURN a", "'-' is missing before '>'"),
        ("MATCH (n) RETURN n ORDER n.x", "BY is missing before 'n'"),
        ("MATCH (n {name: 'x) RETURN n", "the string that begins with ' does not end"),
        (r"RETURN '\u00g'", r"\u needs four hexadecimal digits"),
    ],
)
def test_what_the_parser_says_is_put_in_words(query: str, words: str) -> None:
    assert syntax_words(parse(query)) == words


@given(st.integers(0, len(WHOLE)), st.integers(1, 6), st.sampled_from(["", "'", "}", " x ", "#", "LIMIT"]))
def test_no_language_of_parsers_is_left(start: int, length: int, instead: str) -> None:
    parsed = parse(WHOLE[:start] + instead + WHOLE[start + length :])
    if parsed.errors:
        words = syntax_words(parsed)
        assert not any(
            each in words for each in ("mismatched", "extraneous", "viable", "EOF", "LITERAL", "_")
        )


def test_a_finding_says_what_is_wrong_and_gives_no_orders() -> None:
    found = SchemaValidator(default_schema(), "as-asked").validate(
        "Sure! MATCH (n) RETURN n", "What is there?"
    )
    (finding,) = found.findings
    assert finding.message == (
        "Not valid Cypher at line 1, column 1, near 'Sure! MATCH (n) RETURN n': unexpected 'Sure'. "
        "What can run is one Cypher query and nothing else."
    )


HOSTILE_ASKED = "From which direct precursors is CC(=O)Nc1ccc(O)cc1 made?"
REFERENCE = (
    "MATCH (r:Reaction)-[:PRODUCES]->(:Molecule {{name: {name}}}) "
    "MATCH (m:Molecule)-[:IS_REACTANT]->(r) RETURN r.id, collect(DISTINCT m.name)"
)
HOSTILE = [
    "\ud800",
    "C\udfff",
    "C\x00C",
    "CC(=O)Nc1ccc(O)cc1\x00",
    "Ω",
    "CC(=O)Nc1ccc(O)cc1 name",
    "x" * 150_000,
    "C" * 150_000,
    "(" * 50_000,
    "C1" * 50_000,
    "[C@H]" * 20_000,
]


def validator() -> SchemaValidator:
    return SchemaValidator(default_schema(), "benchmark")


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: f"{value[:6]!a}-{len(value)}")
def test_a_hostile_name_is_another_molecule(value: str) -> None:
    found = validator().validate(REFERENCE.format(name=quote(value)), HOSTILE_ASKED)
    assert {each.label for each in found.findings} & {"wrong_entity", "altered_smiles"}
    assert len(find_molecules(f"From which direct precursors is {value} made?")) <= 1


def test_a_regular_expression_around_a_name_does_not_alter_it() -> None:
    query = (
        "MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule) WHERE m.name =~ '.*CC\\\\(=O\\\\)c1ccccc1.*' "
        "RETURN r.id AS id"
    )
    found = validator().validate(query, "Which reactions make CC(=O)c1ccccc1?")
    labels = {each.label for each in found.findings}
    assert "wrong_entity" in labels
    assert "altered_smiles" not in labels


@examples(200)
@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_name_is_judged(value: str) -> None:
    found = validator().validate(REFERENCE.format(name=quote(value)), HOSTILE_ASKED)
    assert found.findings
