"""Extraction ends soon, whatever a completion repeats."""

import time

import pytest

from retrocypher.prompts.extraction.extract import extract_cypher

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


def seconds(answer: str) -> float:
    begun = time.process_time()
    extract_cypher(answer)
    return time.process_time() - begun


@pytest.mark.parametrize("unit", UNITS)
def test_repeated_pieces(unit: str) -> None:
    for start in ("", "```cypher\n", "MATCH (n) RETURN n "):
        assert seconds(start + unit * (SIZE // 4 // len(unit))) < SECONDS


@pytest.mark.parametrize("start", STARTS)
def test_a_million_repeated_characters(start: str) -> None:
    for repeated in REPEATED:
        assert seconds(start + repeated * (SIZE // len(repeated)) + "x") < SECONDS


def test_queries_beside_hostile_text_are_still_found() -> None:
    query = "MATCH (n:Molecule) RETURN n.name"
    assert extract_cypher("MATCH (\n\n" * 50_000 + f"```cypher\n{query}\n```") == query
    # A long fence is not closed by a shorter one.
    answer = "`" * (SIZE // 2) + " MATCH (n) RETURN n " + "`" * (SIZE // 2 - 1)
    assert extract_cypher(answer) == answer[SIZE // 2 :].strip()
