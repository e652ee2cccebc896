"""Small property graphs, and their way into a server."""

import datetime
import random
from collections.abc import Mapping
from typing import Any

import neo4j

from retrocypher.kg.suites.graph import (
    GraphSchema,
    Node,
    PropertyGraph,
    Relationship,
    RelationshipType,
    Value,
    ValueType,
)
from retrocypher.kg.suites.proposal import propose
from retrocypher.kg.suites.suite import Generation

_LEAGUE: Mapping[str, Mapping[str, ValueType]] = {
    "Player": {
        "name": "str",
        "height_cm": "float",
        "goals": "int",
        "born": "date",
        "foot": "str",
        "debut_year": "int",
        "retired": "bool",
        "nicknames": "list[str]",
    },
    "Team": {"name": "str", "founded_year": "int", "colour": "str"},
    "City": {"code": "int", "population": "int"},
    "Award": {"title": "str"},
    "Match": {"minute": "int"},
}
_RELATIONSHIPS = (
    RelationshipType("playsFor", "Player", "Team", {"start_year": "int", "end_year": "int"}),
    RelationshipType("draftedBy", "Player", "Team", {}),
    RelationshipType("basedIn", "Team", "City", {}),
    RelationshipType("bornIn", "Player", "City", {}),
    RelationshipType("receives", "Player", "Award", {}),
    RelationshipType("knows", "Player", "Player", {}),
    RelationshipType("scoredIn", "Player", "Match", {}),
    RelationshipType("captains", "Player", "Team", {}),
)

HOSTILE = {
    "Player": "MATCH (n) DELETE n",
    "Team": "te`am",
    "City": "NOT",
    "Award": "aw\\u0060ard",
    "playsFor": "plays for]->(m) //",
    "knows": "null",
    "name": "na.me",
    "code": "`",
    "title": "'title\"",
    "born": "ORDER BY",
    "start_year": "start year",
    "end_year": "end-year",
}
"""Names that break a query which does not quote them, for `renamed`."""


def league(seed: int = 0, players: int = 40) -> PropertyGraph:
    """A graph that serves every pattern; some names are shared, some properties are absent."""
    rng = random.Random(seed)
    nodes: list[Node] = []

    def add(label: str, number: int, properties: Mapping[str, Value | None]) -> str:
        kept = {name: value for name, value in properties.items() if value is not None}
        nodes.append(Node(f"{label}{number}", label, kept))
        return nodes[-1].id

    ends: dict[str, list[str]] = {
        "Team": [
            add(
                "Team",
                number,
                {
                    "name": f"Team {number}",
                    "founded_year": rng.randint(1900, 1950),
                    "colour": rng.choice(["red", "blue"]),
                },
            )
            for number in range(6)
        ],
        "City": [
            add("City", number, {"code": 100 + number, "population": rng.randint(1, 9) * 1000})
            for number in range(4)
        ],
        "Award": [add("Award", number, {"title": f'The "best\\{number}" of \'em'}) for number in range(3)],
        "Match": [add("Match", number, {"minute": rng.randint(1, 90)}) for number in range(8)],
    }
    ends["Player"] = [
        add(
            "Player",
            number,
            {
                "name": f"Player {number % (players - 2)}",
                "height_cm": rng.choice([None, round(rng.uniform(160, 200), 1)]),
                "goals": rng.randint(0, 30),
                "born": datetime.date(rng.randint(1980, 2000), rng.randint(1, 12), 5),
                "foot": rng.choice(["left", "right", None]),
                "debut_year": rng.randint(1998, 2015),
                "retired": rng.random() < 0.5,
                "nicknames": rng.choice([None, ["Ace"], ["Ace", "Bo"], ["Bo"]]),
            },
        )
        for number in range(players)
    ]
    found: list[Relationship] = []
    for kind in _RELATIONSHIPS:
        for start in ends[kind.start]:
            most = 1 if kind.type in ("basedIn", "bornIn", "captains") else 3
            for _ in range(rng.randint(0 if kind.type != "basedIn" else 1, most)):
                properties: dict[str, Value] = {}
                if kind.type == "playsFor":
                    properties["start_year"] = rng.randint(2000, 2010)
                    if rng.random() < 0.6:
                        properties["end_year"] = rng.randint(2010, 2020)
                found.append(Relationship(kind.type, start, rng.choice(ends[kind.end]), properties))
    # Who captains a team plays for it.
    found += [Relationship("playsFor", each.start, each.end, {}) for each in found if each.type == "captains"]
    return PropertyGraph("league", GraphSchema(_LEAGUE, _RELATIONSHIPS), tuple(nodes), tuple(found))


def renamed(graph: PropertyGraph, names: Mapping[str, str]) -> PropertyGraph:
    """The same graph with other names of labels, types and properties."""

    def new(name: str) -> str:
        return names.get(name, name)

    def properties(values: Mapping[str, Any]) -> dict[str, Any]:
        return {new(name): value for name, value in values.items()}

    schema = GraphSchema(
        {new(label): properties(of_label) for label, of_label in graph.schema.labels.items()},
        tuple(
            RelationshipType(new(each.type), new(each.start), new(each.end), properties(each.properties))
            for each in graph.schema.relationships
        ),
    )
    nodes = tuple(Node(each.id, new(each.label), properties(each.properties)) for each in graph.nodes)
    relationships = tuple(
        Relationship(new(each.type), each.start, each.end, properties(each.properties))
        for each in graph.relationships
    )
    return PropertyGraph(graph.name, schema, nodes, relationships)


def hostile_league() -> tuple[PropertyGraph, Generation]:
    """The league with names that break a query which does not quote them, and what generation may use."""
    graph = renamed(league(), HOSTILE)
    generation = propose(graph)
    generation.keys[HOSTILE["Player"]] = HOSTILE["name"]
    for each in generation.relationships:
        if each.type == HOSTILE["playsFor"]:
            each.time = [HOSTILE["start_year"], HOSTILE["end_year"]]
    return graph, generation


def replace_graph(driver: neo4j.Driver, graph: PropertyGraph) -> None:
    """Empty the database and write the graph into it."""
    driver.execute_query("MATCH (n) DETACH DELETE n")
    for label in graph.schema.labels:
        rows = [[each.id, dict(each.properties)] for each in graph.nodes if each.label == label]
        driver.execute_query(
            "UNWIND $rows AS row CREATE (n:$($label)) SET n = row[1], n.`test id` = row[0]",
            rows=rows,
            label=label,
        )
    for kind in {each.type for each in graph.schema.relationships}:
        edges = [
            [each.start, each.end, dict(each.properties)] for each in graph.relationships if each.type == kind
        ]
        driver.execute_query(
            "UNWIND $rows AS row MATCH (a {`test id`: row[0]}) MATCH (b {`test id`: row[1]}) "
            "CREATE (a)-[r:$($kind)]->(b) SET r = row[2]",
            rows=edges,
            kind=kind,
        )
