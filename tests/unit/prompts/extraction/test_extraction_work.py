"""How much reading an answer takes: counted in characters and calls, so the same on every machine."""

import re
from collections.abc import Iterator

import pytest

from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.cypher.tokens import Token, tokens
from retrocypher.prompts.extraction import candidates, extract
from retrocypher.prompts.extraction.extract import extract_cypher

MODULES = (candidates, extract)
SIZE = 1_000_000
# Each pattern reads a text a few times, not once for each of its lines.
READINGS = 60
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


class Work:
    """What was read for one answer."""

    def __init__(self) -> None:
        self.scanned = self.lexed = self.parsed = self.calls = 0


class CountedPattern:
    """A pattern that counts the characters it goes through."""

    def __init__(self, pattern: re.Pattern[str], work: Work) -> None:
        self._pattern, self._work = pattern, work

    def search(self, text: str, start: int = 0, stop: int | None = None) -> re.Match[str] | None:
        stop = len(text) if stop is None else stop
        found = self._pattern.search(text, start, stop)
        self._work.scanned += max(0, (found.end() if found else stop) - start)
        return found

    def match(self, text: str, start: int = 0, stop: int | None = None) -> re.Match[str] | None:
        found = self._pattern.match(text, start, len(text) if stop is None else stop)
        self._work.scanned += found.end() - start if found else 1
        return found

    def finditer(self, text: str, start: int = 0, stop: int | None = None) -> Iterator[re.Match[str]]:
        while found := self.search(text, start, stop):
            yield found
            start = found.end() + (found.end() == found.start())


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    counted = Work()

    def counted_tokens(text: str) -> list[Token]:
        counted.lexed += len(text)
        counted.calls += 1
        return tokens(text)

    def counted_parse(text: str) -> ParsedQuery:
        counted.parsed += len(text)
        counted.calls += 1
        return parse(text)

    for module in MODULES:
        for name, value in list(vars(module).items()):
            if isinstance(value, re.Pattern):
                monkeypatch.setattr(module, name, CountedPattern(value, counted))
    monkeypatch.setattr(candidates, "tokens", counted_tokens)
    monkeypatch.setattr(candidates, "parse", counted_parse)
    return counted


@pytest.mark.parametrize("unit", UNITS)
def test_a_longer_answer_is_not_read_more_often(work: Work, unit: str) -> None:
    for start in ("", "```cypher\n", "MATCH (n) RETURN n "):
        answer = start + unit * (60_000 // len(unit))
        before = work.scanned
        extract_cypher(answer)
        assert work.scanned - before < READINGS * len(answer)


@pytest.mark.parametrize("unit", UNITS)
def test_the_grammar_reads_no_more_than_its_budget(work: Work, unit: str) -> None:
    extract_cypher(unit * (60_000 // len(unit)))
    assert work.parsed <= 10_000
    assert work.lexed <= 60_000
    assert work.calls <= 1_100


@pytest.mark.parametrize("start", STARTS)
def test_a_million_repeated_characters_come_to_an_end(start: str) -> None:
    # What backtracks over such a text would not end within any run.
    for repeated in (" ", "\n", "`", "~", "a", "- ", "> ", ">", "*", " *"):
        answer = start + repeated * (SIZE // len(repeated)) + "x"
        assert (extract_cypher(answer) or "") in answer


def test_a_long_fence_is_closed_by_none_that_is_shorter() -> None:
    answer = "`" * (SIZE // 2) + " MATCH (n) RETURN n " + "`" * (SIZE // 2 - 1)
    assert extract_cypher(answer) == answer[SIZE // 2 :].strip()


def test_a_query_after_hostile_text_in_a_block_is_still_found(work: Work) -> None:
    query = "MATCH (n:Molecule) RETURN n.name"
    assert extract_cypher("MATCH (\n\n" * 50_000 + f"```cypher\n{query}\n```") == query
    assert work.calls < 5
