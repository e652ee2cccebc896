"""``retrocypher suite generate`` on a file and on a live server, twice, and with bad input."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from support.property_graphs import league, replace_graph

from retrocypher.kg.errors import InputError
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.suites.graph import PropertyGraph
from retrocypher.kg.suites.patterns import tasks
from retrocypher.kg.suites.questions import read_questions
from retrocypher.kg.suites.simplekg import write_simplekg
from retrocypher.kg.suites.suite import read_suite
from retrocypher.plugins.cli.main import cli


def _generate(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["suite", "generate", str(folder), *arguments], catch_exceptions=False)


def _league_with_names() -> PropertyGraph:
    graph = league(3)
    nodes = (replace(each, properties={"name": each.id, **each.properties}) for each in graph.nodes)
    labels: Any = {label: {"name": "str", **of_label} for label, of_label in graph.schema.labels.items()}
    return replace(graph, nodes=tuple(nodes), schema=replace(graph.schema, labels=labels))


@pytest.fixture(scope="module")
def endpoint(own_server: Endpoint) -> Endpoint:
    with connect(own_server) as driver:
        replace_graph(driver, league(4))
    return own_server


def test_a_file_gives_a_suite_that_the_user_edits(tmp_path: Path) -> None:
    file, folder = tmp_path / "league.json.gz", tmp_path / "mine"
    write_simplekg(_league_with_names(), file)

    done = _generate(folder, "--graph", str(file), "--n", "24")

    assert done.exit_code == 0
    assert "total              24     6" in done.output
    assert "lexicon.yaml has the words of the schema: edit it" in done.output
    suite = read_suite(folder)
    assert (suite.name, suite.graph.file) == ("mine", "graph.json.gz")
    assert (folder / "graph.json.gz").read_bytes() == file.read_bytes()
    first = read_questions(folder)
    assert {each.task for each in first} == set(tasks())
    assert all(each.id.startswith("mine-") for each in first)

    # The edited files are kept and used.
    text = (folder / "lexicon.yaml").read_text()
    (folder / "lexicon.yaml").write_text(text.replace("many: players", "many: footballers"))
    value = yaml.safe_load((folder / "suite.yaml").read_text())
    del value["generation"]["keys"]["City"]
    (folder / "suite.yaml").write_text(yaml.safe_dump({**value, "description": "Mine."}))

    again = _generate(folder, "--n", "24", "--json")

    assert json.loads(again.stdout)["folder"] == str(folder)
    second = read_questions(folder)
    assert any("footballers" in each.question for each in second)
    assert not any(entity.startswith("City:") for each in second for entity in each.entities)
    assert read_suite(folder).description == "Mine."


def test_a_live_server_gives_a_suite_without_a_password(endpoint: Endpoint, tmp_path: Path) -> None:
    address = endpoint.uri.replace("://", f"://{endpoint.user}:{endpoint.password}@")

    shares = ("--unanswerable", "0.25", "--ambiguous", "0.1")
    done = _generate(tmp_path / "mine", "--server", address, "--n", "12", "--seed", "7", *shares)

    assert done.exit_code == 0
    assert "unanswerable        3     0" in done.output
    assert len(read_questions(tmp_path / "mine")) == 15
    text = (tmp_path / "mine" / "suite.yaml").read_text()
    assert endpoint.password not in text
    assert f"uri: {endpoint.uri}" in text
    assert "seed: 7" in text


def test_bad_input_is_one_clear_error_and_leaves_nothing(tmp_path: Path) -> None:
    folder, file = tmp_path / "league", tmp_path / "league.json"
    with pytest.raises(InputError, match="together at most 1"):
        _generate(folder, "--unanswerable", "0.9", "--ambiguous", "0.2")
    write_simplekg(_league_with_names(), file)
    with pytest.raises(InputError, match=r"has no graph yet\. Name a SimpleKG file"):
        _generate(folder)
    with pytest.raises(InputError, match=r"missing\.json: no such file\. Name a SimpleKG file, or a server"):
        _generate(folder, "--graph", str(tmp_path / "missing.json"))
    assert not folder.exists()
    folder.mkdir()
    suite = {
        "name": "league",
        "version": "1",
        "graph": {"file": "graph.json"},
        "generation": {"keys": {"Club": "name"}},
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite))
    with pytest.raises(InputError, match=r"suite\.yaml: generation: keys: the graph has no label 'Club'"):
        _generate(folder, "--graph", str(file))
    (folder / "graph.json").write_text("another")
    with pytest.raises(InputError, match="holds another graph"):
        _generate(folder, "--graph", str(file))
    assert not (folder / "questions.jsonl").exists()
