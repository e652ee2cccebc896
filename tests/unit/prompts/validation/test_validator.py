"""The schema validator on right, wrong and hostile queries, its messages, and checklists."""

import json
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
from retrocypher.kg.questions.question import TASKS, setting_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.prompts.validation.check_text import syntax_words
from retrocypher.prompts.validation.finding import CONVENTIONS, INTENTS
from retrocypher.prompts.validation.validator import SchemaValidator, checklist_for, read_checklist_answer


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
ITEMS = checklist_for("single_step", "best_yield")


def test_a_checklist_is_for_setting_and_task() -> None:
    plain = checklist_for("single_step", None)
    assert ITEMS[: len(plain)] == plain
    assert {item.label for item in ITEMS} - {item.label for item in plain} == {
        "missing_null_check",
        "wrong_aggregation_or_order",
    }
    assert checklist_for("multi_step", None) != plain
    for intent in INTENTS:
        setting = setting_of(intent)
        assert len(checklist_for(setting, intent)) > len(checklist_for(setting, None))


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


@examples(200)
@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_name_is_judged(value: str) -> None:
    found = validator().validate(REFERENCE.format(name=quote(value)), HOSTILE_ASKED)
    assert found.findings
