"""Unanswerable and ambiguous questions, without a server."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from support.property_graphs import league

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.suites.generate import generate
from retrocypher.kg.suites.graph import GraphSchema, Node, PropertyGraph, Relationship, RelationshipType
from retrocypher.kg.suites.lexicon import Lexicon, lexicon_skeleton
from retrocypher.kg.suites.matcher import Matcher
from retrocypher.kg.suites.patterns import Sampler, shapes
from retrocypher.kg.suites.proposal import propose
from retrocypher.kg.suites.questions import TableQuestion
from retrocypher.kg.suites.special import Special, lacking

PORTS = PropertyGraph(
    "ports",
    GraphSchema(
        {
            "Ship": {"name": "str", "wait_in": "int", "wait_out": "int", "crew": "int"},
            "Port": {"name": "str"},
        },
        (
            RelationshipType("LEAVES", "Ship", "Port", {}),
            RelationshipType("REACHES", "Ship", "Port", {}),
            RelationshipType("SERVES", "Port", "Ship", {}),
            RelationshipType("NEAR", "Port", "Port", {}),
        ),
    ),
    (
        Node("a", "Ship", {"name": "A", "wait_in": 5, "wait_out": 9, "crew": 3}),
        Node("b", "Ship", {"name": "B", "wait_in": 7, "crew": 4}),
        *(Node(name, "Port", {"name": name}) for name in ("P", "Q", "R")),
    ),
    (
        Relationship("LEAVES", "a", "P", {}),
        Relationship("REACHES", "a", "Q", {}),
        Relationship("LEAVES", "b", "R", {}),
        Relationship("REACHES", "b", "R", {}),
        Relationship("NEAR", "P", "Q", {}),
    ),
)


def _lexicon() -> Lexicon:
    lexicon = lexicon_skeleton(PORTS.schema, propose(PORTS))
    for name, one in (("wait_in", "inbound waiting time"), ("wait_out", "outbound waiting time")):
        words = lexicon.properties["Ship"][name]
        words.one, words.many, words.unit = one, f"{one}s", "hours"
    return lexicon


def _special(graph: PropertyGraph = PORTS, lexicon: Lexicon | None = None) -> Special:
    generation = propose(graph)
    served, _ = shapes(graph, generation)
    words = lexicon or lexicon_skeleton(graph.schema, generation)
    matcher = Matcher(graph, generation.keys)
    return Special(graph, generation, words, served, Sampler(graph, generation), matcher)


def _with_property(name: str) -> PropertyGraph:
    labels: Any = {**PORTS.schema.labels, "Port": {"name": "str", name: "str"}}
    return replace(PORTS, schema=replace(PORTS.schema, labels=labels))


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def test_each_form_asks_for_what_the_schema_lacks() -> None:
    found = _special().unanswerable(80)

    assert Counter(each.facts["lacks"] for each in found).keys() == {
        "property",
        "relationship",
        "label",
        "time",
    }
    entries = lacking(PORTS.schema, _lexicon())
    phrases = {
        "property": entries.properties,
        "relationship": entries.relationships,
        "label": entries.labels,
    }
    names = {"Ship", "Port", "name", "wait_in", "wait_out", "crew", "LEAVES", "REACHES", "SERVES", "NEAR"}
    for each in found:
        assert (each.task, each.cypher, each.split) == ("unanswerable", None, "test")
        for entity in each.entities:
            label, _, name = entity.partition(":")
            assert f'the {label.lower()} "{name}"' in each.question
        if each.facts["lacks"] == "time":
            assert each.question.endswith("also give the year since when this has been so.")
            continue
        asked = [
            entry
            for entry in phrases[each.facts["lacks"]]
            if entry.one in each.question or entry.many in each.question
        ]
        assert asked
        for word in (_plain(word) for entry in asked for word in (entry.one, *entry.words)):
            assert not any(word in _plain(name) for name in names)


@pytest.mark.parametrize(
    "text",
    [
        'What is the slogan of the port "P"?',
        "How many hotels are there?",
        "List the names of all hotels.",
        'What is the number of ports that were replaced by the ship "A"?',
        'List the names of all hotels that are connected to the port "Q".',
        "Of all ships, what is the name of the one with the highest annual budget?",
        "For each port, give its name and its website.",
        "What is the average carbon footprint of all ports?",
    ],
)
def test_questions_are_plain_english(text: str) -> None:
    assert text in {each.question for each in _special().unanswerable(2000)}


@pytest.mark.parametrize("name", ["webSite", "HOME_PAGE", "home page url", "Website"])
def test_what_the_schema_has_by_any_name_is_not_asked_for(name: str) -> None:
    graph = _with_property(name)
    left = lacking(graph.schema, lexicon_skeleton(graph.schema, propose(graph)))
    assert "website" not in {each.one for each in left.properties}
    assert "slogan" in {each.one for each in left.properties}


def test_what_the_lexicon_has_is_not_asked_for() -> None:
    lexicon = _lexicon()
    lexicon.properties["Ship"]["crew"].one = "Annual-Budget"
    lexicon.labels["Port"].many = "museums and ports"
    lexicon.relationships[0].forward.one = "sponsors the journey to"
    left = lacking(PORTS.schema, lexicon)
    assert "annual budget" not in {each.one for each in left.properties}
    assert "museum" not in {each.one for each in left.labels}
    assert "is sponsored by" not in {each.one for each in left.relationships}


def test_a_time_is_asked_for_only_where_nothing_may_tell_it() -> None:
    assert "time" in {each.facts["lacks"] for each in _special().unanswerable(40)}
    graph = _with_property("opening_date")
    assert "time" not in {each.facts["lacks"] for each in _special(graph).unanswerable(40)}
    # Players and teams have years, and so has playing for a team.
    assert "time" not in {each.facts["lacks"] for each in _special(league()).unanswerable(40)}


def test_a_word_that_fits_several_relationships_has_all_their_readings() -> None:
    found = {each.question: each for each in _special().ambiguous(40, lambda *_: True)}

    one = found['List the names of all ports that are connected to the ship "A".']
    assert one == TableQuestion(
        "",
        "ambiguous",
        one.question,
        "MATCH (n:Port)<-[r0:LEAVES]-(m0:Ship {name: 'A'}) WITH DISTINCT n RETURN n.name",
        readings=[
            "MATCH (n:Port)<-[r0:REACHES]-(m0:Ship {name: 'A'}) WITH DISTINCT n RETURN n.name",
            "CALL { MATCH (n:Port)<-[r0:LEAVES]-(m0:Ship {name: 'A'}) RETURN n, m0 AS m UNION "
            "MATCH (n:Port)<-[r1:REACHES]-(m1:Ship {name: 'A'}) RETURN n, m1 AS m UNION "
            "MATCH (n:Port)-[r2:SERVES]->(m2:Ship {name: 'A'}) RETURN n, m2 AS m } "
            "WITH DISTINCT n RETURN n.name",
        ],
        match="MATCH (n:Port)<-[r0:LEAVES]-(m0:Ship {name: 'A'})",
        entities=["Ship:A"],
        facts={"word_for": "relationship"},
        rows=1,
        answer=[["P"]],
    )
    assert not any(parse(reading).errors for each in found.values() for reading in each.readings)
    # Both relationships of B lead to one port, and one type leads between ports.
    assert not any('ship "B"' in text or "ports that are connected to the port" in text for text in found)


def test_a_head_that_properties_share_has_a_reading_for_each() -> None:
    found = {each.question: each for each in _special(lexicon=_lexicon()).ambiguous(40, lambda *_: True)}

    one = found['What is the time in hours of the ship "A"?']
    assert one.cypher == "MATCH (n:Ship {name: 'A'}) WITH DISTINCT n RETURN n.wait_in"
    assert one.readings == ["MATCH (n:Ship {name: 'A'}) WITH DISTINCT n RETURN n.wait_out"]
    assert "What is the lowest time in hours of all ships?" in found
    # One of the two is not known of B.
    assert not any('What is the time in hours of the ship "B"' in text for text in found)
    assert not any(each.facts["word_for"] == "property" for each in _special().ambiguous(40, lambda *_: True))


@pytest.mark.parametrize(("name", "one"), [("crew", "time"), ("wait_out", "outbound waiting time")])
def test_a_head_that_means_one_property_is_not_ambiguous(name: str, one: str) -> None:
    lexicon = _lexicon()
    words = lexicon.properties["Ship"][name]
    words.one, words.unit = one, "minutes"
    found = _special(lexicon=lexicon).ambiguous(40, lambda *_: True)
    assert {each.facts["word_for"] for each in found} == {"relationship"}


def test_readings_are_compared_with_the_server() -> None:
    asked: list[str | None] = []

    def refuse(question: TableQuestion, _: object) -> bool:
        asked.append(question.cypher)
        return False

    assert not _special().ambiguous(5, refuse)
    assert asked


def test_fewer_than_asked_for_are_reported_with_a_reason() -> None:
    ports = tuple(each for each in PORTS.nodes if each.label == "Port")
    graph = PropertyGraph("ports", GraphSchema({"Port": {"name": "str"}}, ()), ports, ())
    generation = propose(graph)
    words = lexicon_skeleton(graph.schema, generation)
    made = generate(graph, generation, words, 1000, lambda _: Execution("timeout"), 900, 10)
    assert made.short.keys() == {"unanswerable", "ambiguous"}
    assert re.fullmatch(r"\d+ of 900: the named nodes and the phrases .* no more", made.short["unanswerable"])
    assert made.short["ambiguous"].startswith("0 of 10: no other relationships between two labels")
    assert made.questions[0].id == "ports-unanswerable-001"
    assert {each.task for each in made.questions} == {"unanswerable"}
