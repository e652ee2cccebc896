"""Graphs and tasks in the form in which CypherBench is published, made with a seed in any size."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import yaml

from retrocypher.kg.suites.graph import (
    GraphSchema,
    Node,
    PropertyGraph,
    Relationship,
    RelationshipType,
    Value,
)
from retrocypher.kg.suites.simplekg import write_simplekg
from retrocypher.kg.suites.suite import RelationshipFacts

_DATA = Path(__file__).parents[1] / "data" / "cypherbench"
_WORDS = (_DATA / "words.txt").read_text("utf-8").split()
_FIRST_DAY = date(1900, 1, 1)


@dataclass(frozen=True)
class PublishedSchema:
    """A schema with the facts that the benchmark states of its relationships."""

    split: str
    schema: GraphSchema
    facts: tuple[RelationshipFacts, ...]


@lru_cache
def published_schemas() -> Mapping[str, PublishedSchema]:
    """Return the schemas of the 11 graphs by name."""
    return {
        name: _schema(entry) for name, entry in yaml.safe_load((_DATA / "schemas.yaml").read_text()).items()
    }


def _schema(entry: Mapping[str, Any]) -> PublishedSchema:
    types, facts = [], []
    for kind, start, end, start_per_end, end_per_start, every, properties in entry["relationships"]:
        types.append(RelationshipType(kind, start, end, properties))
        facts.append(
            RelationshipFacts(
                kind, start, end, start_per_end, end_per_start, "every_start" in every, "every_end" in every
            )
        )
    labels = {label: {"name": "str", **properties} for label, properties in entry["labels"].items()}
    return PublishedSchema(entry["split"], GraphSchema(labels, tuple(types)), tuple(facts))


def generated_graph(name: str, nodes: int, seed: int = 0) -> PropertyGraph:
    """Return a graph of a published schema with about so many nodes."""
    published = published_schemas()[name]
    schema, random = published.schema, Random(f"{name} {nodes} {seed}")
    by_label: dict[str, list[Node]] = {}
    starts = {each.start for each in schema.relationships}
    large = [label for label in schema.labels if label in starts]
    for label, properties in schema.labels.items():
        # Labels at which relationships only end, such as Genre, have few nodes.
        count = max(4, nodes // len(large) if label in large else int(nodes**0.5) // 4)
        by_label[label] = [_node(random, label, number, properties) for number in range(count)]
    relationships: dict[tuple[str, str, str], Relationship] = {}
    for kind, facts in zip(schema.relationships, published.facts, strict=True):
        for start, end in _pairs(random, by_label[kind.start], by_label[kind.end], facts):
            if start is not end:
                relationships[kind.type, start.id, end.id] = Relationship(
                    kind.type, start.id, end.id, _values(random, kind.properties)
                )
    return PropertyGraph(
        name,
        schema,
        tuple(node for several in by_label.values() for node in several),
        tuple(relationships.values()),
    )


def _pairs(
    random: Random, starts: Sequence[Node], ends: Sequence[Node], facts: RelationshipFacts
) -> Iterator[tuple[Node, Node]]:
    free = random.sample(ends, len(ends))
    for number, start in enumerate(starts):
        if facts.every_end and number < len(ends):
            yield start, ends[number]
            if facts.end_per_start == "one" or facts.start_per_end == "one":
                continue
        elif not facts.every_start and random.random() < 0.4:
            continue
        for _ in range(1 if facts.end_per_start == "one" else random.choice((1, 1, 2, 3))):
            if facts.start_per_end == "one":
                if facts.every_end or not free:
                    return
                yield start, free.pop()
            else:
                # The square makes some ends far more frequent than others, as in real graphs.
                yield start, ends[int(random.random() ** 2 * len(ends))]


def _node(random: Random, label: str, number: int, properties: Mapping[str, str]) -> Node:
    words = f"{random.choice(_WORDS)} {random.choice(_WORDS)}".title()
    # One name in thirty is that of several nodes.
    name = f"{words} {label}" if random.random() < 0.03 else f"{words} {label} {number}"
    others = {name: kind for name, kind in properties.items() if name != "name"}
    return Node(f"{label}#Q{number}", label, {"name": name, **_values(random, others)})


def _values(random: Random, kinds: Mapping[str, str]) -> dict[str, Value]:
    values = {name: _value(random, name, kind) for name, kind in kinds.items() if random.random() < 0.8}
    if "end_year" in values and values["end_year"] < values.get("start_year", 0):
        values["start_year"], values["end_year"] = values["end_year"], values["start_year"]
    return values


def _value(random: Random, name: str, kind: str) -> Any:
    if kind.startswith("list["):
        several = (_value(random, name, kind[5:-1]) for _ in range(random.choice((1, 1, 2, 3))))
        return list(dict.fromkeys(several))
    if kind == "int":
        return random.randint(1850, 2023) if "year" in name else int(random.expovariate(0.05))
    if kind == "float":
        return round(random.lognormvariate(4, 1), 1)
    if kind == "date":
        return _FIRST_DAY + timedelta(days=random.randrange(45_000))
    return random.choice(("female", "male")) if name == "gender" else random.choice(_WORDS)


_TEMPLATES = {
    "n_name": "{match} WITH DISTINCT n RETURN n.name",
    "n_prop": "{match} WITH DISTINCT n RETURN n.name",
    "n_order_by": "{match} WITH DISTINCT n RETURN n.name ORDER BY n.name ASC",
    "n_agg": "{match} WITH DISTINCT n RETURN count(n)",
}


def generated_tasks(graph: PropertyGraph, count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Return so many tasks of the published form; their questions are those of simple templates."""
    random = Random(f"{graph.name} tasks {seed}")
    nodes = {node.id: node for node in graph.nodes}
    tasks = []
    for number in range(count):
        each = random.choice(graph.relationships)
        start, end = nodes[each.start], nodes[each.end]
        name, other = (_quoted(node.properties["name"]) for node in (end, start))
        arrow = f"-[r0:{each.type}]->"
        one_hop = f"MATCH (n:{start.label}){arrow}(m0:{end.label} {{name: {name}}})"
        category, match, text, template = (
            ("basic_(n)", f"MATCH (n:{start.label})", f"all {start.label}", "n_agg"),
            ("basic_(n*)", f"MATCH (n:{start.label} {{name: {other}}})", f"{start.label} {other}", "n_prop"),
            ("basic_(n)-(m0*)", one_hop, f"{start.label} that {each.type} {name}", "n_name"),
            (
                "special_union",
                f"CALL {{ {one_hop} RETURN n, m0 AS m UNION MATCH (n:{start.label} {{name: {other}}}) "
                "RETURN n, n AS m }",
                f"{start.label} that {each.type} {name}, or is {other}",
                "n_order_by",
            ),
        )[number % 4]
        answer = None
        if category == "basic_(n)-(m0*)":
            found = _starts(graph, nodes, each, end)
            answer = json.dumps([{"n.name": nodes[identity].properties["name"]} for identity in found])
        tasks.append(
            {
                "qid": f"{graph.name}-{number}",
                "graph": graph.name,
                "gold_cypher": _TEMPLATES[template].format(match=match),
                "gold_match_cypher": match,
                "nl_question": f"What are the names of {text}?",
                "nl_question_raw": None,
                "answer_json": answer,
                "from_template": {
                    "match_category": category,
                    "match_cypher": "MATCH (n)",
                    "return_pattern_id": template,
                    "return_cypher": "",
                },
                "pred_cypher": None,
                "metrics": {},
            }
        )
    return tasks


def _starts(
    graph: PropertyGraph, nodes: Mapping[str, Node], like: Relationship, end: Node
) -> dict[str, None]:
    label, name = nodes[like.start].label, end.properties["name"]
    return {
        each.start: None
        for each in graph.relationships
        if each.type == like.type
        and nodes[each.start].label == label
        and nodes[each.end].label == end.label
        and nodes[each.end].properties["name"] == name
    }


def _quoted(value: object) -> str:
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


def write_dataset(folder: Path, nodes: int, tasks: int, graphs: Sequence[str] = (), seed: int = 0) -> None:
    """Write a data set as a clone of the published one has it: of some graphs, or of all."""
    for name in ("simplekg", "schemas"):
        (folder / "graphs" / name).mkdir(parents=True)
    splits = defaultdict(list, {"test": [], "train": []})
    for name in graphs or published_schemas():
        graph = generated_graph(name, nodes, seed)
        file = folder / "graphs" / "simplekg" / f"{name}_simplekg.json"
        write_simplekg(graph, file)
        schema = folder / "graphs" / "schemas" / f"{name}_schema.json"
        schema.write_bytes(msgspec.json.encode(json.loads(file.read_text())["schema"]))
        splits[published_schemas()[name].split] += generated_tasks(graph, tasks, seed)
    for split, made in splits.items():
        (folder / f"{split}.json").write_text(json.dumps(made), encoding="utf-8")
