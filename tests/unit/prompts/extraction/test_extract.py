"""Completions as models write them, and the query or JSON in each."""

import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.examples import examples

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.prompts.extraction.extract import extract_cypher, extract_json, texts, yes_or_no

QUERY = r"""MATCH (m:Molecule {name: 'C/C=C\\C#N[C@@H](=O)N->[Zn+2]'})-[:REACTS_IN]->(r:Reaction)
OPTIONAL MATCH (r)-[:PRODUCES]->(p:Molecule)
RETURN r.id AS id, collect(DISTINCT p.name) AS products"""
LINE = QUERY.replace("\n", " ")
BROKEN = """MATCH (m:Molecule {name: 'CC'})-[:REACTS_IN->(r:Reaction)
OPTIONAL MATCH (r)-[:PRODUCES]->(p)
RETURN r.id"""
SPACED = "MATCH (n)\n\nWHERE n.name = 'C'\n\nRETURN n\n\nLIMIT 3"
OTHER = "MATCH (n) RETURN n"


def quoted(text: str) -> str:
    """Write a text as Markdown quotes it."""
    return "".join(f"> {line}".rstrip() + "\n" for line in text.split("\n")).rstrip("\n")


@pytest.mark.parametrize(
    "answer",
    [
        f"```cypher {LINE}```",
        f"Here ```{LINE}``` it is",
        f"Use `{LINE}` for that; `RETURN r` returns the reaction.",
        f"Cypher: {LINE}\nExplanation: none",
        f"Here is the query: {LINE}",
        f"The query is {LINE}",
        f"{LINE}. This finds the reactions.",
        f'"{LINE}"',
        f"> {LINE}",
        f"**Query:** `{LINE}`",
        f"**{LINE}**",
        f"***{LINE}***",
        f"*{LINE}*",
        f"Answer: **{LINE}**",
        f"The query **{LINE}** finds them.",
        f"{LINE} This returns the ids of the reactions.",
        f"{LINE} The columns `id`, products and nothing else are returned. MATCH finds them.",
        f"Query: {LINE} It lists each reaction with its products!",
    ],
)
def test_a_query_on_one_line(answer: str) -> None:
    assert extract_cypher(answer) == LINE


@pytest.mark.parametrize(
    "answer",
    [
        QUERY,
        f"\n\n  {QUERY}\n\n",
        f"cypher\n{QUERY}",
        f"Here is the query:\n\n{QUERY}",
        f"{QUERY}\n\nWith this query you get the reactions. Return is what it ends with.",
        f"{QUERY}\nWith this query you get the reactions.",
        f"With the schema in mind, I match the molecule. Use it well.\n{QUERY}",
        f"First, MATCH (m:Molecule {{name: 'C'}}) finds the molecule.\n\n{QUERY}",
        f"<cypher>{QUERY}</cypher>",
        f"{QUERY}<|im_end|>",
        f"{QUERY}</s>",
        f"**{QUERY}**",
        f"**{QUERY}**\n\nIt finds **all** reactions.",
        f"{QUERY} This finds every reaction.",
        f"```cypher\n{QUERY} This finds every reaction.",
        quoted(QUERY),
        f"As I said:\n{quoted(QUERY)}\n\nThis does it.",
        quoted(f"Here it is:\n\n```cypher\n{QUERY}\n```\nThis does it."),
        "Here:\n\n" + quoted(f"~~~cypher\n{QUERY}\n~~~") + "\n",
        quoted(quoted(f"```\n{QUERY}\n```")),
        quoted(f"```cypher\n{QUERY}\n```").replace("> ", ">"),
        # Thoughts do not count.
        f"<think>maybe ```cypher\n{OTHER}\n```</think>\n{QUERY}",
        f"<think>\nmaybe {OTHER}\n</think>\n```cypher\n{QUERY}\n```",
        f"maybe {OTHER}\n</think>\n```\n{QUERY}\n```",
        f"```cypher\n{QUERY}\n```\n<think>or is it\n```cypher\n{OTHER}\n```",
        f"<THINK>{OTHER}</THINK>{QUERY}<thinking>{OTHER}</thinking>",
        f"<think>a</think><think>{OTHER}</think>\n{QUERY}",
        # In a fence.
        f"```cypher\n{QUERY}\n```",
        f"```Cypher\n{QUERY}\n```\n",
        f"```neo4j\n{QUERY}```",
        f"Sure:\n```\n{QUERY}\n```\nThis does it.",
        f"``` \n{QUERY}\n ```",
        f"````cypher\n{QUERY}\n````",
        f"~~~cypher\n{QUERY}\n~~~",
        f"1. Run this:\n   ```cypher\n   {QUERY}\n   ```",
        f"```cypher title=route\n{QUERY}\n```",
        f"```cypher\n{QUERY}",
        f"```cypher\n{QUERY}\n\nThis query finds every reaction.",
        f"```cypher\n\n{QUERY}\n```\n\nThe part ```(r)-[:PRODUCES]->(p)``` matches, ```RETURN r``` returns.",
        f"First try:\n```cypher\n{OTHER}\n```\nBetter:\n```cypher\n{QUERY}\n```",
        f"```cypher\n{OTHER}\n\n```cypher\n{QUERY}\n```",
        f'```cypher\n{QUERY}\n```\nResult:\n```json\n[{{"id": 1}}]\n```',
        f"```sql\nSELECT * FROM reactions\n```\n```cypher\n{QUERY}\n```\n```python\nprint(1)\n```",
        f"```sql\n{QUERY}\n```",
        f"```\n(:Molecule)-[:REACTS_IN]->(:Reaction)\n```\n```\n{QUERY}\n```",
    ],
)
def test_a_query_of_several_lines(answer: str) -> None:
    assert extract_cypher(answer) == QUERY


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (r:Reaction)\nRETURN r.id AS id\nORDER r.id\nLIMIT 3",
        "MATCH (r:Reaction)\nRETURN r.id reactants",
        "MATCH (r:Reaction)\nRETURN r.id AS id)\nLIMIT 3",
        "MATCH (r:Reaction)\nRETURN r.id AS id,\nLIMIT 3",
        "MATCH (r:Reaction {id: 3)\nRETURN r.id",
        "MATCH (m:Molecule {name: 'C)-[:REACTS_IN]->(r)\nRETURN r.id",
        "MATCH (r:Reaction)\nRETURN count(r) AS Number Of All The Reactions.",
        "MATCH (r:Reaction)\nRETURN r.id AS id Where r.id is not null.",
        "MATCH (r:Reaction)\nRETURN r.id AS id This returns the ids",
        "MATCH (r:Reaction)\nRETURN 2 ** r.id AS id",
        BROKEN,
        BROKEN.replace("\n", "\n\n"),
    ],
)
def test_a_broken_query_is_not_repaired(query: str) -> None:
    fenced = f"```cypher\n{query}\n```"
    explained = f"{fenced}\nThe clause ```RETURN r``` returns r."
    for answer in (query, fenced, f"```\n{query}", explained):
        assert extract_cypher(answer) == query


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \n",
        "I cannot answer that.",
        "Return nothing. Match the molecules with care. With this, we call it a day.",
        "WITH care, and USE of reason, RETURN to the question.",
        "```sql\nSELECT name FROM molecules\n```",
        '```json\n{"answer": "no"}\n```',
        f"<think>{OTHER}</think>",
        f"<think>```cypher\n{OTHER}\n```",
        "``````",
        "CC(=O)OC1=CC=CC=C1C(=O)O",
    ],
)
def test_an_answer_without_a_query_has_none(answer: str) -> None:
    assert extract_cypher(answer) is None


@pytest.mark.parametrize(
    ("answer", "query"),
    [
        (f"```cypher\n// by name\n{QUERY}\n```", f"// by name\n{QUERY}"),
        (f"```cypher\nEXPLAIN {QUERY}\n```", f"EXPLAIN {QUERY}"),
        (f"{LINE};\n", f"{LINE};"),
        ("match (n:Molecule) return n.name\n\nand that is it", "match (n:Molecule) return n.name"),
        ("RETURN 1", "RETURN 1"),
        ('```json\n{"cypher": "MATCH (n) RETURN n"}\n```', OTHER),
        ("```cypher\r\nMATCH (n)\r\nRETURN n\r\n```\r\n", "MATCH (n)\r\nRETURN n"),
        ("Query:\r\n\r\nMATCH (n)\r\nRETURN n\r\n\r\nDone.", "MATCH (n)\r\nRETURN n"),
        (SPACED, SPACED),
        ("MATCH (n:`Molecule`) RETURN n.`name`", "MATCH (n:`Molecule`) RETURN n.`name`"),
        ("MATCH (n)\nWHERE n.x\n> 3\nRETURN n", "MATCH (n)\nWHERE n.x\n> 3\nRETURN n"),
        ("MATCH (a)-[:X]-\n>(b) RETURN a", "MATCH (a)-[:X]-\n>(b) RETURN a"),
        ("**MATCH (n) RETURN count(*)**", "MATCH (n) RETURN count(*)"),
        ("*MATCH (n) RETURN count(*)*", "MATCH (n) RETURN count(*)"),
        ("* MATCH (n) RETURN *", "MATCH (n) RETURN *"),
        ("**MATCH (n) RETURN 2* 3", "MATCH (n) RETURN 2* 3"),
        ("**MATCH (n {name: '**C'}) RETURN n**", "MATCH (n {name: '**C'}) RETURN n"),
        ("MATCH (n)\nRETURN n AS This", "MATCH (n)\nRETURN n AS This"),
        ("```cypher\nCALL db.labels()\n```", "CALL db.labels()"),
        ("```cypher\nMTCH (n) RETURN n\n```", "MTCH (n) RETURN n"),
    ],
)
def test_other_forms(answer: str, query: str) -> None:
    assert extract_cypher(answer) == query


# Three backticks within a name are taken for a fence; no SMILES has any.
SMILES = st.text(alphabet="BCNOPSFIclnops()[]=#@+-\\/.%123456789H'\"`<>|~", min_size=1, max_size=40).filter(
    lambda name: "```" not in name
)
MARKS = ["```", "```cypher\n", "~~~\n", "`", "<think>", "</think>"]
SIGNS = ["\n", "\n\n", "\r\n", "'", '"', "\\u", "/*", "with ", "// x\n"]
PARTS = ["MATCH ", "(m:Molecule)", "-[:REACTS_IN]->", "(r)", " RETURN r", "{name: 'C\\\\C'}"]
PIECES = st.sampled_from([*MARKS, *SIGNS, *PARTS])
TAGS = st.sampled_from(["", "cypher", "Cypher", "neo4j", "cypher title=x"])


def _query(name: str) -> str:
    return (
        f"MATCH (m:Molecule {{name: {quote(name)}}})-[:REACTS_IN]->(r:Reaction)\n"
        "OPTIONAL MATCH (r)-[:USES_AGENT]->(a)\nRETURN r.id AS id, collect(DISTINCT a.name) AS agents"
    )


@examples(150)
@given(st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=20).map("".join)))
@example("```cypher\n\\u12")
@example("MATCH (\\u0028")
@example("Sure. MATCH (m {name: '```'})-[:REACTS_IN]->(r)\nOPTIONAL MATCH (r)-->(a)\nRETURN r")
def test_never_raises_and_gives_a_part_of_the_answer(answer: str) -> None:
    query = extract_cypher(answer)
    assert query is None or (query and query in answer and query == query.strip())


@given(name=SMILES, tag=TAGS, before=st.sampled_from(["", "Here it is:\n\n", "<think>hm</think>"]))
def test_a_query_comes_out_unchanged_and_again_so(name: str, tag: str, before: str) -> None:
    query = _query(name)
    for answer in (
        f"{before}```{tag}\n{query}\n```\nThat was it.",
        f"The query:\n{query}\n\nIt lists agents.",
        query,
    ):
        assert extract_cypher(answer) == query
    assert [literal.value for literal in string_literals(query)] == [name]
    found = extract_cypher(f"Sure. {query}")
    assert found is None or extract_cypher(found) == found


SIZE = 1_000_000
# Processor time. What reads such a text again for each of its lines takes minutes.
SECONDS = 10
UNITS = [
    *("MATCH (\n\n", "MATCH (a\n\nMATCH (a)\n\n", "MATCH ", "MATCH (n) WHERE ( ", "\nMATCH p=("),
    *("MATCH\n", "MATCH (n)-[ RETURN this text.\n\n ", "MATCH (n) RETURN n;\n\n"),
    *("MATCH (n) RETURN n UNION ", "RETURN ", "OPTIONAL ", "EXPLAIN PROFILE ", "USE \nUSE "),
    *("WITH a\n\nRETURN\n\n", '"MATCH ( RETURN ', "`MATCH (", "```\n", "``` ", "```cypher ", "~~~ \n"),
    *("> ~~~\n", "~~~cypher\n", "`", "~", "````\n```\n", "```json\n"),
    *("```cypher\nMATCH (n RETURN n\n```\n", "```\nMATCH (\n", "```\n```\nMATCH (\n"),
    *("```sql\nMATCH (\n```\n", "<think>", "</think>", "<think></think>```\n```\n"),
    *("<think></think>MATCH (\n", "</think>MATCH (n)\n", " ", "\n", "\n\nx", " \n", "\u2028", "- ", "> "),
    *("**MATCH (n) ", "*MATCH (n) RETURN n\n\n", " **MATCH", "*", " *", ": **", "> MATCH (\n", "> > ```\n"),
    *(">\n", ">" * 9 + " x\n", "RETURN n This is a word ", "MATCH (n) RETURN n This is a sentence.\n\n"),
    *(":", ": ", "'. ", "</a", "<|", "\\u0028", "/*", "a", "分"),
]
STARTS = ["", "MATCH", "MATCH (", "MATCH (n) RETURN n ", "```cypher\n", "```sql\nMATCH (n)", '"', "OPTIONAL"]
REPEATED = (" ", "\n", "`", "~", "a", "- ", "> ", ">", "*", " *")


@pytest.mark.parametrize(
    ("starts", "unit", "size", "end"),
    [
        *((("", "```cypher\n", "MATCH (n) RETURN n "), unit, SIZE // 4, "") for unit in UNITS),
        *((STARTS, unit, SIZE, "x") for unit in REPEATED),
    ],
)
def test_repeated_pieces(starts: Sequence[str], unit: str, size: int, end: str) -> None:
    for start in starts:
        begun = time.process_time()
        extract_cypher(start + unit * (size // len(unit)) + end)
        assert time.process_time() - begun < SECONDS


def test_queries_beside_hostile_text_are_still_found() -> None:
    query = "MATCH (n:Molecule) RETURN n.name"
    assert extract_cypher("MATCH (\n\n" * 50_000 + f"```cypher\n{query}\n```") == query
    # A long fence is not closed by a shorter one.
    answer = "`" * (SIZE // 2) + " MATCH (n) RETURN n " + "`" * (SIZE // 2 - 1)
    assert extract_cypher(answer) == answer[SIZE // 2 :].strip()


VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here: ```json\n{"a": 1}\n``` done {"b": 2}', {"a": 1}),
        ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{} {"a": 1}', {"a": 1}),
        ('MATCH (n {name: 1}) {"a": 1}', {"a": 1}),
        ('{"a": "F/C=C\\F and C\\[nH]"}', {"a": "F/C=C\\F and C\\[nH]"}),
        ("[1]", None),
        ("", None),
        ('{"a": ', None),
        ("{" * 10_000, None),
        ("<think>" * 5_000, None),
    ],
)
def test_the_first_object_counts(answer: str, found: dict[str, Any] | None) -> None:
    assert extract_json(answer) == found


@given(st.dictionaries(st.text(), VALUES, min_size=1), st.text(alphabet="ab \n.`"))
def test_an_object_among_words_is_found(value: dict[str, Any], words: str) -> None:
    assert extract_json(f"{words}\n{json.dumps(value)}\n{words}") == value


@pytest.mark.parametrize(
    ("meant", "values"),
    [
        (True, [True, "Yes.", " 'ok' "]),
        (False, [False, "INVALID"]),
        (None, [None, "", "perhaps", 3, [True], {}]),
    ],
)
def test_yes_and_no(meant: bool | None, values: list[object]) -> None:
    assert [yes_or_no(value) for value in values] == [meant] * len(values)


def test_texts_of_lists_objects_and_single_texts() -> None:
    assert texts(["a", {"item": 3, "problem": "b", "fix": "c"}, None, "", 4]) == ["a", "b: c", "4"]
    assert texts("a") == ["a"]
    assert texts(None) == []
