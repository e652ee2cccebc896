"""SimpleKG files: what is read and written, and the one error that a faulty file gives."""

import gzip
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from support.cypherbench import generated_graph, published_schemas

from retrocypher.kg.errors import InputError
from retrocypher.kg.suites import simplekg
from retrocypher.kg.suites.graph import GraphSchema, Node, PropertyGraph, Relationship, RelationshipType
from retrocypher.kg.suites.simplekg import read_schema, read_simplekg, write_simplekg


def content() -> dict[str, Any]:
    """A small file as it is published."""
    return {
        "schema": {
            "name": "films",
            "entities": [
                {
                    "label": "Film",
                    "description": None,
                    "properties": {"length": "float", "days": "list[date]"},
                },
                {"label": "Person", "properties": {"born": "date", "tall": "bool", "year": "int"}},
            ],
            "relations": [
                {
                    "label": "hasCast",
                    "subj_label": "Film",
                    "obj_label": "Person",
                    "properties": {"role": "str"},
                }
            ],
        },
        "entities": [
            {
                "eid": "Film#Q1",
                "label": "Film",
                "name": "Amélie",
                "aliases": ["A"],
                "description": "a film",
                "properties": {"length": 122, "days": ["2001-04-25"]},
                "provenance": ["https://en.wikipedia.org/wiki/Amélie"],
            },
            {"eid": "Person#Q2", "label": "Person", "name": "A. T.", "properties": {"born": "1976-08-09"}},
        ],
        "relations": [
            {
                "rid": "0",
                "label": "hasCast",
                "subj_id": "Film#Q1",
                "obj_id": "Person#Q2",
                "properties": {"role": "Amélie"},
                "provenance": [],
            }
        ],
    }


FILMS = PropertyGraph(
    "films",
    GraphSchema(
        {
            "Film": {"name": "str", "length": "float", "days": "list[date]"},
            "Person": {"name": "str", "born": "date", "tall": "bool", "year": "int"},
        },
        (RelationshipType("hasCast", "Film", "Person", {"role": "str"}),),
    ),
    (
        Node("Film#Q1", "Film", {"name": "Amélie", "length": 122.0, "days": [date(2001, 4, 25)]}),
        Node("Person#Q2", "Person", {"name": "A. T.", "born": date(1976, 8, 9)}),
    ),
    (Relationship("hasCast", "Film#Q1", "Person#Q2", {"role": "Amélie"}),),
)


def test_a_published_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "films.json"
    file.write_text(json.dumps(content()))
    assert read_simplekg(file) == FILMS


@pytest.mark.parametrize("name", ["films.json", "films.json.gz"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    write_simplekg(FILMS, tmp_path / name)
    assert read_simplekg(tmp_path / name) == FILMS
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", published_schemas())
def test_generated_graphs_fit_their_schema(tmp_path: Path, name: str) -> None:
    graph = generated_graph(name, 60)
    write_simplekg(graph, tmp_path / "graph.json")
    assert read_simplekg(tmp_path / "graph.json") == graph


def test_the_same_graph_gives_the_same_bytes(tmp_path: Path) -> None:
    files = [tmp_path / "a.json.gz", tmp_path / "b.json.gz"]
    for file in files:
        write_simplekg(generated_graph("nba", 40, seed=3), file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_schema_alone_is_read(tmp_path: Path) -> None:
    file = tmp_path / "films_schema.json"
    file.write_text(json.dumps(content()["schema"]))
    assert read_schema(file) == FILMS.schema


def change(*path: str | int, to: object) -> Callable[[dict[str, Any]], None]:
    """Set one value of a file."""

    def changed(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        value[path[-1]] = to

    return changed


def remove(*path: str | int) -> Callable[[dict[str, Any]], None]:
    """Remove one value of a file."""

    def changed(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        del value[path[-1]]

    return changed


FAULTS = {
    "unknown label": (change("entities", 0, "label", to="Movie"), "entity 'Film#Q1' has the label 'Movie'"),
    "wrong type": (
        change("entities", 1, "properties", "year", to="1976"),
        "entity 'Person#Q2': the property 'year' is '1976', and the schema says int",
    ),
    "a bool is no int": (change("entities", 1, "properties", "year", to=True), "'year' is True"),
    "an int is no bool": (change("entities", 1, "properties", "tall", to=1), "'tall' is 1"),
    "no date": (change("entities", 1, "properties", "born", to="1976-08-32"), "the schema says date"),
    "another form of date": (
        change("entities", 1, "properties", "born", to="1976-W08-1"),
        "schema says date",
    ),
    "one value for a list": (change("entities", 0, "properties", "days", to="2001-04-25"), "list\\[date\\]"),
    "an empty list": (change("entities", 0, "properties", "days", to=[]), "list\\[date\\]"),
    "null": (change("entities", 0, "properties", "length", to=None), "got `null` - at `\\$.entities\\[0\\]"),
    "an integer of 65 bits": (change("entities", 1, "properties", "year", to=2**64), "entities\\[1\\]"),
    "nested value": (change("entities", 0, "properties", "days", to=[[1]]), "entities\\[0\\]"),
    "unknown property": (
        change("entities", 0, "properties", "x", to=1),
        "property 'x', which the schema lacks",
    ),
    "a name twice": (
        change("entities", 0, "properties", "name", to="x"),
        "'name' as a field and as a property",
    ),
    "duplicate eid": (change("entities", 1, "eid", to="Film#Q1"), "two entities have the eid 'Film#Q1'"),
    "dangling subj_id": (
        change("relations", 0, "subj_id", to="Q9"),
        "hasCast\\(Q9, Person#Q2\\) has the subj_id 'Q9', and no entity",
    ),
    "dangling obj_id": (change("relations", 0, "obj_id", to="Q9"), "obj_id 'Q9', and no entity"),
    "turned relation": (
        lambda value: value["relations"][0].update(subj_id="Person#Q2", obj_id="Film#Q1"),
        "\\(Person\\)-\\[hasCast\\]->\\(Film\\), which the schema lacks",
    ),
    "wrong type of a relation": (
        change("relations", 0, "properties", "role", to=1),
        "relation hasCast\\(Film#Q1, Person#Q2\\): the property 'role' is 1, and the schema says str",
    ),
    "missing field": (
        remove("entities", 1, "name"),
        "missing required field `name` - at `\\$.entities\\[1\\]",
    ),
    "no relations": (remove("relations"), "missing required field `relations`"),
    "unknown type in the schema": (
        change("schema", "entities", 0, "properties", "length", to="duration"),
        "Invalid enum value 'duration'",
    ),
    "a label twice in the schema": (
        change("schema", "entities", 1, "label", to="Film"),
        "label 'Film' twice",
    ),
    "a name that is no text": (
        change("schema", "entities", 1, "properties", "name", to="int"),
        "'name' is a str",
    ),
    "unknown label in the schema": (
        change("schema", "relations", 0, "obj_label", to="Actor"),
        "names the label 'Actor', which its entities do not have",
    ),
    "a relation twice in the schema": (
        lambda value: value["schema"]["relations"].append(value["schema"]["relations"][0]),
        "\\(Film\\)-\\[hasCast\\]->\\(Person\\) twice",
    ),
    "an empty label": (change("schema", "entities", 0, "label", to=""), "schema.entities\\[0\\].label"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(tmp_path: Path, fault: str) -> None:
    changed, message = FAULTS[fault]
    value = content()
    changed(value)
    file = tmp_path / "films.json"
    file.write_text(json.dumps(value))
    with pytest.raises(InputError, match=message) as caught:
        read_simplekg(file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"{", "not valid SimpleKG"),
        (b"", "not valid SimpleKG"),
        (b"\xff", "not valid SimpleKG"),
        (b'{"schema": {"name": "\xff"}}', "not valid SimpleKG"),
        (b'{"x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deep"),
    ],
    ids=["cut short", "empty", "no JSON", "not UTF-8", "deep"],
)
def test_a_file_that_is_not_json(tmp_path: Path, raw: bytes, message: str) -> None:
    file = tmp_path / "films.json"
    file.write_bytes(raw)
    with pytest.raises(InputError, match=message):
        read_simplekg(file)


def test_a_file_that_cannot_be_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "films.json.gz"
    for raw in (b"no gzip", gzip.compress(b"{}" * 5000)[:-20]):
        file.write_bytes(raw)
        with pytest.raises(InputError, match="cannot be read"):
            read_simplekg(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_simplekg(tmp_path / "absent.json")


def test_a_file_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplekg, "MOST_BYTES", 100)
    file = tmp_path / "films.json.gz"
    file.write_bytes(gzip.compress(b" " * 101))
    with pytest.raises(InputError, match="more than"):
        read_simplekg(file)


def test_a_node_without_a_name_cannot_be_written(tmp_path: Path) -> None:
    graph = PropertyGraph("g", GraphSchema({"A": {}}, ()), (Node("1", "A", {}),), ())
    with pytest.raises(InputError, match=r"node '1' \(A\) has no name"):
        write_simplekg(graph, tmp_path / "g.json")
    assert not list(tmp_path.iterdir())
