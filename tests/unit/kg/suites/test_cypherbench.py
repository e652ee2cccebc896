"""Suites made of a data set of CypherBench's form, generated; and what such a data set must not have."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.cypherbench import published_schemas, write_dataset

from retrocypher.kg.errors import InputError
from retrocypher.kg.suites.cypherbench import make_suites, named_entities, published_names
from retrocypher.kg.suites.loading import fingerprint_of_graph
from retrocypher.kg.suites.questions import read_questions
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.kg.suites.suite import read_suite
from retrocypher.plugins.cli.main import cli


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_dataset(folder, nodes=60, tasks=8, graphs=["nba", "movie", "art"])
    return folder


def test_each_graph_with_test_tasks_becomes_a_suite(dataset: Path, tmp_path: Path) -> None:
    made = make_suites(dataset, tmp_path / "out")
    assert [(each.graph, each.test, each.train) for each in made] == [("movie", 8, 8), ("nba", 8, 8)]
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["movie", "nba"]
    folder = tmp_path / "out" / "nba"
    suite = read_suite(folder)
    graph = read_simplekg(folder / str(suite.graph.file))
    assert suite.name == "cypherbench-nba"
    assert suite.graph.fingerprint == fingerprint_of_graph(graph)
    assert (made[1].nodes, made[1].relationships) == (len(graph.nodes), len(graph.relationships))


def test_questions_have_task_template_entities_and_facts(dataset: Path, tmp_path: Path) -> None:
    make_suites(dataset, tmp_path / "out", ["nba"])
    questions = read_questions(tmp_path / "out" / "nba")
    assert {(each.split, each.facts["graph"]) for each in questions} == {("test", "nba"), ("train", "art")}
    tasks = json.loads((dataset / "test.json").read_text())
    published = next(task for task in tasks if task["graph"] == "nba" and task["answer_json"])
    question = next(each for each in questions if each.id == published["qid"])
    rows = len(json.loads(published["answer_json"]))
    assert (question.task, question.template, question.rows) == ("one_hop_named", "name", rows)
    assert question.cypher == published["gold_cypher"]
    assert question.match == published["gold_match_cypher"]
    assert question.answer is None
    assert question.facts["match_category"] == "basic_(n)-(m0*)"
    assert question.facts["return_pattern"] == "n_name"
    assert question.facts["answer_length"] == ("1" if rows == 1 else "2-10")
    (entity,) = question.entities
    assert entity.partition(":")[2] in question.question.replace("\\", "")


def test_every_published_category_and_pattern_has_a_name() -> None:
    names = published_names()
    assert len(names.tasks) == len(set(names.tasks.values())) == 12
    assert len(names.templates) == 17


@pytest.mark.parametrize(
    ("cypher", "entities"),
    [
        (
            "MATCH (n:Team {name: 'Los Angeles \\'Lakers\\''}) WITH DISTINCT n RETURN n.name",
            ["Team:Los Angeles 'Lakers'"],
        ),
        ("MATCH (n:A {name: 'x'}), (m0:B {name: 'y'}) RETURN n.v = m0.v AS answer", ["A:x", "B:y"]),
        (
            "CALL { MATCH (n:A)-[r0:R]->(m0:B {name: 'x'}) RETURN n, m0 AS m UNION "
            "MATCH (n:A)-[r1:S]->(m1:C {name: 'y'}) RETURN n, m1 AS m } WITH DISTINCT n RETURN n.name",
            ["B:x", "C:y"],
        ),
        (
            "MATCH (n:A)<-[r0:R]-(m0:B {name: 'x'}) WHERE r0.start_year <= 1999 WITH DISTINCT n RETURN n",
            ["B:x"],
        ),
        (
            "MATCH (n:A)-[r1:R]->(m1:B {name: 'x'}) OPTIONAL MATCH (n)-[r0:S]->(m0:C) RETURN n.name, m0",
            ["B:x"],
        ),
        ("MATCH (n:A) WITH DISTINCT n WHERE n.country = 'x' RETURN n.name", []),
        ("MATCH (n:A {name: '(m:B {name: \"z\"})'}) RETURN n.v", ['A:(m:B {name: "z"})']),
    ],
)
def test_named_entities_are_read_from_the_tree(cypher: str, entities: list[str]) -> None:
    assert named_entities(cypher) == entities


def edit(name: str, change: Callable[[Any], None]) -> Callable[[Path], None]:
    """Change the JSON of one file of a data set."""

    def edited(folder: Path) -> None:
        file = folder / name
        value = json.loads(file.read_text())
        change(value)
        file.write_text(json.dumps(value))

    return edited


_NBA, _NBA_SCHEMA = "graphs/simplekg/nba_simplekg.json", "graphs/schemas/nba_schema.json"

FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no gold": (edit("test.json", lambda tasks: tasks[0].pop("gold_cypher")), "'nba-0' has no gold_cypher"),
    "an empty gold": (edit("train.json", lambda tasks: tasks[0].update(gold_cypher=" ")), "no gold_cypher"),
    "no question": (edit("test.json", lambda tasks: tasks[1].update(nl_question=None)), "no nl_question"),
    "a qid twice": (edit("test.json", lambda tasks: tasks[1].update(qid="nba-0")), "two tasks have the qid"),
    "an unknown category": (
        edit("test.json", lambda tasks: tasks[0]["from_template"].update(match_category="star")),
        "match_category 'star'",
    ),
    "not a list of tasks": (lambda folder: (folder / "test.json").write_text("{}"), "form of CypherBench"),
    "no tasks": (lambda folder: (folder / "train.json").unlink(), "train.json cannot be read"),
    "no graph file": (lambda folder: (folder / _NBA).unlink(), "The graph nba has test tasks"),
    "no schema file": (lambda folder: (folder / _NBA_SCHEMA).unlink(), "nba_schema.json cannot be read"),
    "another schema": (
        edit(_NBA_SCHEMA, lambda schema: schema["entities"][1]["properties"].update(inception_year="str")),
        "contradicts .*: Team has the properties",
    ),
    "a label that only the schema has": (
        edit(_NBA_SCHEMA, lambda schema: schema["entities"].append({"label": "Coach"})),
        "only the schema file has Coach",
    ),
    "a faulty graph": (
        edit(_NBA, lambda graph: graph["relations"][0].update(obj_id="x")),
        "no entity has this eid",
    ),
    "a pointer of Git LFS": (
        lambda folder: (folder / _NBA).write_text("version https://git-lfs.github.com/spec/v1\n"),
        "git lfs pull",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_and_nothing_is_written(dataset: Path, tmp_path: Path, fault: str) -> None:
    spoil, message = FAULTS[fault]
    spoil(dataset)
    out = tmp_path / "out"
    with pytest.raises(InputError, match=message):
        make_suites(dataset, out)
    assert not out.exists() or not list(out.iterdir())


def test_a_graph_without_test_tasks_is_refused(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--graphs art: no test task has it. Graphs: movie, nba"):
        make_suites(dataset, tmp_path / "out", ["art", "nba"])


def test_a_suite_is_never_replaced(dataset: Path, tmp_path: Path) -> None:
    make_suites(dataset, tmp_path / "out", ["nba"])
    with pytest.raises(InputError, match="is there already"):
        make_suites(dataset, tmp_path / "out")


def test_the_command(dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["suite", "cypherbench", str(dataset), "--out", str(out), "--graphs", "nba", "--json"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    (suite,) = json.loads(result.stdout)["suites"]
    assert (suite["graph"], suite["test"], suite["train"]) == ("nba", 8, 8)
    assert (out / "nba" / "suite.yaml").is_file()


def test_the_schemas_are_those_of_the_benchmark() -> None:
    """Table 8 of the paper: 62 labels and 83 relationships; 4 graphs of 11 are for training."""
    schemas = published_schemas().values()
    assert sum(len(each.schema.labels) for each in schemas) == 62
    assert sum(len(each.schema.relationships) for each in schemas) == 83
    assert [each.split for each in schemas].count("train") == 4
