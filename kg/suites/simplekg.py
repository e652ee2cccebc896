"""SimpleKG files: the JSON form in which CypherBench publishes its graphs.

What is read is the schema, and of entities and relations the identity, name and properties; aliases,
descriptions and provenance are skipped. Every entity has a name, which becomes its property ``name``.
"""

import gzip
import zlib
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, cast

import msgspec

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

MOST_BYTES = 8 * 2**30
"""A larger file, or one that unpacks to more, is refused: it would not fit into memory."""

_Integer: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_Scalar: TypeAlias = str | _Integer | float | bool
_Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
# Typed to the last value, so that a hostile file fails before it fills the memory with nested lists.
_Properties: TypeAlias = dict[str, _Scalar | list[_Scalar]]


class _EntityType(msgspec.Struct):
    label: _Name
    properties: dict[_Name, ValueType] = {}


class _RelationType(msgspec.Struct):
    label: _Name
    subj_label: str
    obj_label: str
    properties: dict[_Name, ValueType] = {}


class _Schema(msgspec.Struct):
    name: str
    entities: list[_EntityType]
    relations: list[_RelationType]


class _Entity(msgspec.Struct, gc=False):
    eid: str
    label: str
    name: str
    properties: _Properties = {}


class _Relation(msgspec.Struct, gc=False):
    label: str
    subj_id: str
    obj_id: str
    properties: _Properties = {}
    rid: str = ""


class _File(msgspec.Struct):
    schema: _Schema
    entities: list[_Entity]
    relations: list[_Relation]


_Item = TypeVar("_Item")
_Form = TypeVar("_Form", _File, _Schema)

_EMPTY: Mapping[str, Value] = {}
_NOT_EMPTY = msgspec.Meta(min_length=1)
_SCALARS: Mapping[str, type] = {"str": str, "int": int, "float": float, "bool": bool, "date": date}
_TYPES: Mapping[str, Any] = {
    **_SCALARS,
    **{f"list[{name}]": Annotated[list[kind], _NOT_EMPTY] for name, kind in _SCALARS.items()},  # type: ignore[valid-type]
}
_NAME = "name"


def read_simplekg(file: Path) -> PropertyGraph:
    """Read a graph from a SimpleKG file, plain or gzip (``.gz``).

    Raises:
        InputError: The file cannot be read, or its content contradicts its schema. The message names the
            first entity or relation with a fault.
    """
    content = _decoded(file, _File)
    schema = _schema(file, content.schema)
    nodes: dict[str, Node] = {}
    for entity in content.entities:
        if entity.eid in nodes:
            raise InputError(f"{file}: two entities have the eid {entity.eid!r}. Give each its own.")
        nodes[entity.eid] = _node(file, entity, schema)
    content.entities.clear()
    if not nodes:
        raise InputError(f"{file}: entities is empty. A graph needs at least one.")
    types = {(each.type, each.start, each.end): each for each in schema.relationships}
    found = tuple(_relationship(file, relation, nodes, types) for relation in content.relations)
    return PropertyGraph(content.schema.name, schema, tuple(nodes.values()), found)


def read_schema(file: Path) -> GraphSchema:
    """Read a file with only the schema of a graph; raise InputError if it is not valid."""
    return _schema(file, _decoded(file, _Schema))


def _schema(file: Path, schema: _Schema) -> GraphSchema:
    labels: dict[str, Mapping[str, ValueType]] = {}
    for entity in schema.entities:
        if entity.label in labels:
            raise InputError(f"{file}: the schema has the label {entity.label!r} twice. Merge the two.")
        if entity.properties.get(_NAME, "str") != "str":
            raise InputError(
                f"{file}: the label {entity.label!r}: 'name' is a str. Rename the other property."
            )
        labels[entity.label] = {_NAME: "str", **entity.properties}
    types: dict[tuple[str, str, str], RelationshipType] = {}
    for each in schema.relations:
        key = (each.label, each.subj_label, each.obj_label)
        for label in key[1:]:
            if label not in labels:
                raise InputError(
                    f"{file}: the schema's relation {_arrow(*key)} names the label {label!r}, which its "
                    "entities do not have. Add the label, or correct the relation."
                )
        if key in types:
            raise InputError(f"{file}: the schema has the relation {_arrow(*key)} twice. Merge the two.")
        types[key] = RelationshipType(*key, each.properties)
    return GraphSchema(labels, tuple(types.values()))


def write_simplekg(graph: PropertyGraph, file: Path) -> None:
    """Write a graph as a SimpleKG file, gzip where the name ends in ``.gz``; the same bytes each time.

    Raises:
        InputError: A node has no name, which SimpleKG demands.
    """
    types = graph.schema.relationships
    content = _File(
        _Schema(
            graph.name,
            [_EntityType(label, _unnamed(kinds)) for label, kinds in graph.schema.labels.items()],
            [_RelationType(each.type, each.start, each.end, dict(each.properties)) for each in types],
        ),
        [_entity(node) for node in graph.nodes],
        [
            _Relation(each.type, each.start, each.end, cast(_Properties, each.properties), str(number))
            for number, each in enumerate(graph.relationships)
        ],
    )
    encoded = msgspec.json.encode(content)
    pending = file.with_name(f"{file.name}.new")
    with pending.open("wb") as raw:
        if file.suffix == ".gz":
            # Without the time and the name of the file, which would change the bytes.
            with gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
                out.write(encoded)
        else:
            raw.write(encoded)
    pending.replace(file)


def _entity(node: Node) -> _Entity:
    name = node.properties.get(_NAME)
    if not isinstance(name, str):
        raise InputError(
            f"The node {node.id!r} ({node.label}) has no name: SimpleKG demands one of every entity. Add the "
            "property 'name' to it."
        )
    return _Entity(node.id, node.label, name, cast(_Properties, _unnamed(node.properties)))


def _unnamed(properties: Mapping[str, _Item]) -> dict[str, _Item]:
    return {name: value for name, value in properties.items() if name != _NAME}


def _decoded(file: Path, form: type[_Form]) -> _Form:
    try:
        return msgspec.json.decode(_bytes(file), type=form)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{file} is not valid SimpleKG: {error}. Places are counted from 0. Correct the file there."
        ) from None
    except RecursionError:
        raise InputError(
            f"{file} is not valid SimpleKG: it is nested too deep. Flatten the values."
        ) from None


def _bytes(file: Path) -> bytes:
    try:
        with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file} cannot be read: {error}.") from error
    if len(content) > MOST_BYTES:
        raise InputError(f"{file} has more than {MOST_BYTES // 2**30} GiB of JSON. Take a part of the graph.")
    return content


def _node(file: Path, entity: _Entity, schema: GraphSchema) -> Node:
    kinds = schema.labels.get(entity.label)
    if kinds is None:
        raise InputError(
            f"{file}: the entity {entity.eid!r} has the label {entity.label!r}, which the schema lacks. "
            "Add it to the schema, or correct the entity."
        )
    properties: dict[str, Value] = {_NAME: entity.name}
    if entity.properties:
        if _NAME in entity.properties:
            raise InputError(
                f"{file}: the entity {entity.eid!r} has 'name' as a field and as a property. Keep the field."
            )
        properties |= _typed(entity.properties, kinds, lambda: f"{file}: the entity {entity.eid!r}")
    return Node(entity.eid, entity.label, properties)


def _relationship(
    file: Path,
    relation: _Relation,
    nodes: Mapping[str, Node],
    types: Mapping[tuple[str, str, str], RelationshipType],
) -> Relationship:
    start, end = nodes.get(relation.subj_id), nodes.get(relation.obj_id)
    if start is None or end is None:
        field, eid = ("subj_id", relation.subj_id) if start is None else ("obj_id", relation.obj_id)
        raise InputError(
            f"{file}: the relation {_shown(relation)} has the {field} {eid!r}, and no entity has this eid. "
            "Add the entity, or leave the relation out."
        )
    kind = types.get((relation.label, start.label, end.label))
    if kind is None:
        raise InputError(
            f"{file}: the relation {_shown(relation)} is {_arrow(relation.label, start.label, end.label)}, "
            "which the schema lacks. Add it to the schema, or correct the relation."
        )
    properties = _EMPTY
    if relation.properties:
        properties = _typed(
            relation.properties, kind.properties, lambda: f"{file}: the relation {_shown(relation)}"
        )
    # The strings of nodes and schema, so that those of the relation are freed.
    return Relationship(kind.type, start.id, end.id, properties)


def _typed(
    values: _Properties, kinds: Mapping[str, ValueType], owner: Callable[[], str]
) -> Mapping[str, Value]:
    typed: dict[str, Value] = {}
    for name, value in values.items():
        kind = kinds.get(name)
        if kind is None:
            raise InputError(
                f"{owner()} has the property {name!r}, which the schema lacks. Add it to the schema, or "
                "leave it out."
            )
        # Most values are of a plain type; the short way halves the time.
        if type(value) is _TYPES[kind]:
            typed[name] = cast(Value, value)
            continue
        try:
            typed[name] = msgspec.convert(value, _TYPES[kind])
        except msgspec.ValidationError:
            raise InputError(
                f"{owner()}: the property {name!r} is {repr(value)[:80]}, and the schema says {kind}. "
                "Correct the value or the schema."
            ) from None
    return typed


def _shown(relation: _Relation) -> str:
    return f"{relation.label}({relation.subj_id}, {relation.obj_id})"[:200]


def _arrow(kind: str, start: str, end: str) -> str:
    return f"({start})-[{kind}]->({end})"
