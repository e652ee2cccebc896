"""Generated questions have one answer in Neo4j and in the matcher, on many graphs."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import neo4j
import pytest
from support.property_graphs import hostile_league, league, replace_graph

from retrocypher.kg.errors import GraphError
from retrocypher.kg.execution.execution import Execution, Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.mutations.registry import OPERATORS, mutations_of
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.suites.generate import Generated, generate
from retrocypher.kg.suites.graph import PropertyGraph
from retrocypher.kg.suites.lexicon import lexicon_skeleton
from retrocypher.kg.suites.matcher import MOST_ROWS
from retrocypher.kg.suites.patterns import tasks, templates
from retrocypher.kg.suites.proposal import propose
from retrocypher.kg.suites.questions import write_questions
from retrocypher.plugins.scoring.graph_metrics import GraphMetrics

GRAPHS = 24


class Server:
    """A server whose graph is replaced, and queries run on it under guard."""

    def __init__(self, driver: neo4j.Driver, executor: GuardedExecutor) -> None:
        self.driver = driver
        self.executor = executor

    def run(self, text: str) -> Execution:
        return self.executor.run(text)

    def generate(self, graph: PropertyGraph, n: int, seed: int) -> Generated:
        generation = propose(graph, seed)
        return generate(graph, generation, lexicon_skeleton(graph.schema, generation), n, self.run)


@pytest.fixture(scope="module")
def server(own_server: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    locks = tmp_path_factory.mktemp("locks")
    with (
        connect(own_server) as driver,
        GuardedExecutor(own_server, Limits(row_cap=MOST_ROWS), locks) as executor,
    ):
        yield Server(driver, executor)


@pytest.mark.scale
def test_both_computations_agree_on_many_graphs(server: Server) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(GRAPHS):
        graph = league(seed, 8 + 2 * seed)
        replace_graph(server.driver, graph)
        # A difference would be an error.
        made = server.generate(graph, 120 if seed == GRAPHS - 1 else 12, seed)
        seen.update((each.task, each.template) for each in made.questions)
    assert seen.keys() == {(task, template) for task in tasks() for template in templates(task)}


def test_a_query_without_one_of_its_parts_has_another_answer(server: Server) -> None:
    graph = league(1)
    replace_graph(server.driver, graph)
    made = server.generate(graph, 24, 3)
    metrics = GraphMetrics(server.executor)
    parts = ("drop_anchor", "require_match", "limit_early")
    tried: Counter[str] = Counter()
    for question in made.questions:
        assert question.cypher
        assert question.rows
        for mutant in (each for name in parts for each in mutations_of(OPERATORS[name], question.cypher)):
            tried[mutant.operator] += 1
            assert metrics.measure(question.cypher, mutant.query).ex == 0, mutant.query
        assert question.template != "sort" or question.rows >= 4
    assert tried.keys() == set(parts)
    assert made.dropped["a named node changes nothing"]
    assert made.dropped["the type of a relationship changes nothing"]


@pytest.mark.scale
def test_questions_do_not_depend_on_how_the_server_stores_the_graph(server: Server) -> None:
    graph = league(1)
    replace_graph(server.driver, graph)
    first = server.generate(graph, 48, 5).questions
    replace_graph(server.driver, league(7, 60))
    replace_graph(server.driver, graph)
    assert server.generate(graph, 48, 5).questions == first


@pytest.mark.scale
def test_questions_are_even_split_and_the_same_each_time(server: Server, tmp_path: Path) -> None:
    graph = league(1)
    replace_graph(server.driver, graph)
    made = server.generate(graph, 96, 5)
    splits = Counter(each.split for each in made.questions)
    assert splits == {"test": 96, "train": 24}
    assert set(Counter(each.task for each in made.questions).values()) == {10}
    matches = {
        split: {each.match for each in made.questions if each.split == split} for split in ("test", "train")
    }
    assert matches["test"].isdisjoint(matches["train"])
    assert len({each.cypher for each in made.questions}) == len(made.questions)
    for each in made.questions:
        assert each.rows
        assert each.answer is None or len(each.answer) == each.rows
        assert each.cypher
        assert each.cypher.startswith(each.match)
        for entity in each.entities:
            assert entity.partition(":")[2] in each.question
        # What the conditions name, the question names.
        assert all(number in each.question for number in re.findall(r"[<>=] (\d+)\b", each.cypher))
    folders = (tmp_path / "first", tmp_path / "second")
    for folder, again in zip(folders, (made, server.generate(graph, 96, 5)), strict=True):
        folder.mkdir()
        write_questions(folder, again.questions)
    first, second = ((folder / "questions.jsonl").read_bytes() for folder in folders)
    assert first == second
    assert server.generate(graph, 12, 6).questions != made.questions[:12]


@pytest.mark.scale
def test_readings_of_ambiguous_questions_differ(server: Server) -> None:
    graph = league(1)
    replace_graph(server.driver, graph)
    generation = propose(graph)
    lexicon = lexicon_skeleton(graph.schema, generation)
    for name in ("goals", "height_cm"):
        words = lexicon.properties["Player"][name]
        words.one, words.many = f"{words.one} record", f"{words.one} records"

    made, again = (generate(graph, generation, lexicon, 48, server.run, 8, 8) for _ in range(2))

    assert made == again
    tasks_of_test = Counter(each.task for each in made.questions if each.split == "test")
    assert (tasks_of_test.total(), tasks_of_test["unanswerable"], tasks_of_test["ambiguous"]) == (48, 8, 8)
    training = {each.match for each in made.questions if each.split == "train"}
    ambiguous = [each for each in made.questions if each.task == "ambiguous"]
    assert {each.facts["word_for"] for each in ambiguous} == {"relationship", "property"}
    for each in ambiguous:
        assert not any(str(query).startswith(f"{match} ") for query in each.readings for match in training)
        found = [server.run(str(query)) for query in (each.cypher, *each.readings)]
        assert all(result.status == "ok" and result.rows for result in found)
        assert len({repr(sorted(map(repr, result.rows))) for result in found}) == len(found) > 1


def test_hostile_names_run(server: Server) -> None:
    graph, generation = hostile_league()
    replace_graph(server.driver, graph)
    made = generate(graph, generation, lexicon_skeleton(graph.schema, generation), 48, server.run)
    assert {each.task for each in made.questions} == set(tasks())


def test_a_server_with_another_graph_is_an_error_that_names_the_question(server: Server) -> None:
    graph = league(2)
    replace_graph(server.driver, replace(graph, relationships=graph.relationships[::2]))
    with pytest.raises(GraphError, match=r"answer '.+' differently; the server may hold another graph\."):
        server.generate(graph, 48, 0)
