"""The interpreter of small graphs against a running server."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest
import yaml
from neo4j.exceptions import Neo4jError
from support.server_tests import server_with
from support.small_reactions import REACTIONS

from retrocypher.benchmarks.instruments.known_queries import known_queries
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.execution.client_process import to_json_value
from retrocypher.kg.graph.loading import load
from retrocypher.kg.interpreter.interpreter import interpret
from retrocypher.kg.interpreter.values import NotInterpretedError, QueryFailsError
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import connect
from retrocypher.plugins.scoring.small_graphs import small_graphs
from retrocypher.prompts.validation.question import read_question
from retrocypher.prompts.validation.reaction_graph import load_domain

QUERIES = Path(__file__).parents[2] / "unit" / "kg" / "interpreter" / "queries.yaml"
QUESTIONS = {question.id: question for question in load_questions().questions}

OPEN = re.compile(r"\b(LIMIT|SKIP|head|last|range)\b|\[\d|\.\.|reduce|ANY|shortest", re.IGNORECASE)
"""What may make a result depend on the order of rows, which the server is free to choose."""


@pytest.fixture(scope="module")
def driver() -> Iterator[neo4j.Driver]:
    """A driver to a server of its own, whose graph is replaced by the tests."""
    with server_with(REACTIONS) as running, connect(running.endpoint) as opened:
        yield opened


def rows_of(driver: neo4j.Driver, query: str) -> list[list[Any]] | None:
    """The rows that a server returns; None where it refuses the query or stops with an error."""
    try:
        with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
            result = session.run(neo4j.Query(query, timeout=20))  # type: ignore[arg-type]
            return [[to_json_value(value) for value in record.values()] for record in result]
    except Neo4jError:
        return None


def comparable(value: Any) -> Any:
    """A value without the server's own ids, and its lists without their order."""
    if isinstance(value, list):
        return sorted(map(comparable, value), key=repr)
    if isinstance(value, dict):
        return sorted((key, comparable(each)) for key, each in value.items() if not _is_own(key, value))
    return value


def _is_own(key: str, within: dict[str, Any]) -> bool:
    return key in ("id", "start", "end") and "properties" in within


def counted(rows: list[list[Any]]) -> Counter[str]:
    return Counter(repr([comparable(value) for value in row]) for row in rows)


def test_the_expected_rows_are_those_of_a_server(driver: neo4j.Driver) -> None:
    for entry in yaml.safe_load(QUERIES.read_text("utf-8")):
        expected = None if entry["rows"] is None else json.loads(entry["rows"])
        found = rows_of(driver, entry["cypher"])
        assert (found is None) == (expected is None), entry["cypher"]
        if found is not None:
            assert counted(found) == counted(expected), entry["cypher"]


@pytest.mark.parametrize("task", TASKS)
def test_right_queries_give_the_same_rows_on_small_graphs(driver: neo4j.Driver, task: str) -> None:
    right = [each for each in known_queries("seen") if each.mistake is None]
    right = [
        each for each in right if QUESTIONS[each.question_id].task == task and not OPEN.search(each.cypher)
    ]
    compared = 0
    for query in right[::6]:
        for trial in small_graphs(read_question(QUESTIONS[query.question_id].text)):
            driver.execute_query("MATCH (n) DETACH DELETE n")
            load(driver, trial.reactions)
            found = rows_of(driver, query.cypher)
            assert found is not None, query.cypher
            mine = interpret(parse(query.cypher), trial.graph(load_domain()))
            assert counted(mine.rows) == counted(found), query.cypher
            compared += 1
    assert compared >= 8


def test_what_the_interpreter_does_not_know_is_never_a_wrong_row(driver: neo4j.Driver) -> None:
    wrong = [
        each for each in known_queries("seen") if each.mistake is not None and not OPEN.search(each.cypher)
    ]
    compared = 0
    for query in wrong[::25]:
        trial = small_graphs(read_question(QUESTIONS[query.question_id].text))[0]
        try:
            mine = interpret(parse(query.cypher), trial.graph(load_domain()))
        except (NotInterpretedError, QueryFailsError):
            continue
        driver.execute_query("MATCH (n) DETACH DELETE n")
        load(driver, trial.reactions)
        found = rows_of(driver, query.cypher)
        if found is not None:
            assert counted(mine.rows) == counted(found), query.cypher
            compared += 1
    assert compared >= 15
