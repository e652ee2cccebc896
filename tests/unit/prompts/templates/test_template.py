"""Prompt templates, shipped and a user's own, and the messages built from them."""

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.prompts.templates.exemplars import load_bank
from retrocypher.prompts.templates.template import Prompt, build_messages, load_prompts

SCHEMA = "(:Molecule)-[:REACTS_IN]->(:Reaction)"
QUESTION = "Which reactions give CC(=O)O directly as a product?"


def test_ten_prompts_in_order_with_their_settings() -> None:
    prompts = load_prompts()
    assert list(prompts) == [f"P{number}" for number in range(1, 11)]
    assert [prompt.setting for prompt in prompts.values()] == ["single_step"] * 5 + ["multi_step"] * 5
    assert len({prompt.sha256 for prompt in prompts.values()}) == 10
    assert {prompt.convention for prompt in prompts.values()} == {"benchmark"}
    assert not [prompt for prompt in prompts.values() if "=== answers" in prompt.text]
    assert Prompt("P1", "single_step", "a", "b").sha256 == hashlib.sha256(b"a\0b").hexdigest()


@pytest.mark.parametrize(
    ("simpler", "richer", "added"),
    [
        ("P1", "P2", "Order of clauses"),
        ("P2", "P3", "(:Reaction)-[:PRODUCES]->(:Molecule)"),
        ("P3", "P4", "yield IS NOT NULL"),
        ("P4", "P5", "OPTIONAL MATCH (r)-[:USES_SOLVENT]->(solvent:Molecule)"),
        ("P6", "P7", "[:REACTS_IN|PRODUCES*..H]"),
        ("P7", "P8", "MATCH p = (first:Molecule)"),
        ("P8", "P9", "character by character"),
        ("P9", "P10", "its only RETURN"),
    ],
)
def test_each_prompt_adds_to_the_one_before(simpler: str, richer: str, added: str) -> None:
    prompts = load_prompts()
    assert added not in prompts[simpler].text
    assert added in prompts[richer].text


def test_snippets_of_the_full_prompts_are_valid_cypher() -> None:
    prompts = load_prompts()
    for name in ("P5", "P8", "P9", "P10"):
        snippets = re.findall(r"^ {7}(.*)$", prompts[name].text, re.MULTILINE)
        query = "\n".join(snippets).replace("*..H", "*..4").replace(" H", " 4")
        assert not parse(query).errors, query


def test_system_message_is_the_same_with_and_without_an_exemplar() -> None:
    prompt = load_prompts()["P5"]
    exemplar = load_bank("single_step")[0]
    system, user = build_messages(prompt, SCHEMA, QUESTION, None)
    assert (system["role"], user["role"]) == ("system", "user")
    assert SCHEMA in system["content"]
    assert QUESTION not in system["content"]
    shown = build_messages(prompt, SCHEMA, QUESTION, exemplar)
    assert shown[0] == system
    assert shown[1]["content"].endswith(user["content"])
    for part in (exemplar.question, exemplar.cypher):
        assert part in shown[1]["content"]
        assert part not in user["content"]


@given(
    schema=st.text().map(str.strip),
    question=st.text(alphabet="{}schemaquestionexlr_CN()[]=#@\\/").map(str.strip),
)
def test_what_is_filled_in_is_never_read_as_a_template(schema: str, question: str) -> None:
    prompt = Prompt(
        "P1", "single_step", "a {schema} {x}\n=== user ===\nb {question} {{y}}", "{exemplar_question}"
    )
    system, user = build_messages(prompt, schema, question, None)
    assert system["content"] == f"a {schema} {{x}}"
    assert user["content"] == f"b {question} {{{{y}}}}"


def test_a_folder_replaces_only_the_prompts_it_holds(tmp_path: Path) -> None:
    (tmp_path / "P3.md").write_text("Schema: {schema}\nQ: {question}")
    (tmp_path / "README.md").write_text("notes")
    shipped, own = load_prompts(), load_prompts(tmp_path)
    assert {name for name in own if own[name].sha256 != shipped[name].sha256} == {"P3"}
    assert build_messages(own["P3"], "S", "Q", None) == [{"role": "user", "content": "Schema: S\nQ: Q"}]
    (tmp_path / "exemplar.md").write_text("Q {exemplar_question}\nA {exemplar_cypher}")
    own, exemplar = load_prompts(tmp_path), load_bank("multi_step")[0]
    content = build_messages(own["P6"], SCHEMA, QUESTION, exemplar)[1]["content"]
    assert content.startswith(f"Q {exemplar.question}\nA {exemplar.cypher}\n\n")
    assert own["P6"].sha256 != shipped["P6"].sha256


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("P1.md", b"only {question}", "no slot {schema}"),
        ("P1.md", b"only {schema}", "no slot {question}"),
        ("P1.md", b"{schema} {question}\n=== user ===\nask", "move it below"),
        ("P1.md", b"{schema} {question} \xff", "not UTF-8 at byte 20"),
        ("P11.md", b"{schema} {question}", "no prompt's name"),
        ("p5.md", b"{schema} {question}", "no prompt's name"),
        ("P5.txt", b"{schema} {question}", "no prompt's name"),
        ("notes.md", b"{schema} {question}", "no template in it"),
        ("exemplar.md", b"{exemplar_question}", "no slot {exemplar_cypher}"),
        ("P1.md", b"=== answers: short ===\n{schema} {question}", "no convention 'short'; write one of"),
    ],
)
def test_a_bad_template_is_refused_by_name(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        load_prompts(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_template_or_folder_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "P1.md").mkdir()
    with pytest.raises(InputError, match=r"P1\.md.*make it readable"):
        load_prompts(tmp_path)
    with pytest.raises(InputError, match="give a folder with templates"):
        load_prompts(tmp_path / "none")


@pytest.mark.parametrize(
    ("line", "convention"),
    [
        ("", "benchmark"),
        ("=== answers: as-asked ===\n", "as-asked"),
        ("=== answers:benchmark ===\n", "benchmark"),
    ],
)
def test_a_prompt_says_what_it_wants_returned(tmp_path: Path, line: str, convention: str) -> None:
    text = "You write Cypher.\n{schema}\n=== user ===\n{question}\n"
    (tmp_path / "P1.md").write_text(line + text)
    prompt = load_prompts(tmp_path)["P1"]
    assert prompt.convention == convention
    assert prompt.text == text
