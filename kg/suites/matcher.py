"""A second computation of answers, in DuckDB over the exported graph.

It reads the structured question and the SQL of ``returns.yaml``, and shares no code with the reference query.
Each label is a table with a row per node, each relationship type between two labels a table of pairs; all
values are sent as parameters.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.suites.graph import PropertyGraph, ValueType
from retrocypher.kg.suites.instances import Hop, Match, Return

if TYPE_CHECKING:
    import duckdb

MOST_ROWS = 100_000
"""Rows of the longest answer that a question may have."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of an answer in the JSON form of records; rows whose order means nothing are sorted."""

    rows: list[list[Any]]
    ties: tuple[int, ...]
    """Lengths of the stretches of rows that may permute: one unless an order is asked for."""


@dataclass(frozen=True, slots=True)
class _Query:
    """A query with the columns ``n``, and ``m0`` where that is counted: ids of nodes."""

    text: str
    values: tuple[Any, ...]


class Matcher:
    """Answers structured questions over one graph."""

    def __init__(self, graph: PropertyGraph, keys: Mapping[str, str]) -> None:
        self._keys = keys
        self._database = _connect()
        self._nodes = {label: f"node{place}" for place, label in enumerate(graph.schema.labels)}
        self._types = {
            (each.type, each.start, each.end): f"rel{place}"
            for place, each in enumerate(graph.schema.relationships)
        }
        # Columns are numbered: names of properties may hold anything, or differ in case only.
        self._columns: dict[str, dict[str, str]] = {}
        self._load(graph)

    def count(self, match: Match, *, reuse: bool = False) -> int:
        """Return the number of different nodes n, or pairs of n and m0 where m0 is counted.

        With ``reuse`` a relationship may serve two hops.
        """
        query = self._matched(match, reuse=reuse)
        return int(self._rows(f"SELECT count(*) FROM ({query.text})", query.values)[0][0])

    def finds_named(self, match: Match) -> bool:
        """Return whether the named node m1 is among the nodes n."""
        key = self._column(match.label, self._keys[match.label])
        text, values = self._from_nodes(match, f"{key} = ?", match.named["m1"])
        return bool(self._rows(f"SELECT id {text}", values))

    def values(self, match: Match, name: str) -> Counter[Any]:
        """Return how often each value of a property occurs among the nodes n; lists count item by item."""
        text, values = self._from_nodes(match)
        found: Counter[Any] = Counter()
        for (value,) in self._rows(f"SELECT {self._column(match.label, name)} {text}", values):
            found.update(value if isinstance(value, list) else [value])
        return found

    def answer(self, match: Match, wanted: Return) -> Answer | None:
        """Return the answer, or None if it has more than `MOST_ROWS` rows."""
        table = self._nodes[match.label]
        columns = self._columns[table]
        key, value = columns.get(self._keys.get(match.label, "")), columns.get(wanted.subject())
        query = self._matched(match)
        known = f" AND {value} IS NOT NULL" if wanted.known_only else ""
        text = wanted.form().sql.format(
            key=key,
            value=value,
            matched=query.text,
            table=table,
            nodes=f"FROM {table} WHERE id IN (SELECT n FROM ({query.text})){known}",
            both=f"FROM {table} n, {table} m0 WHERE n.id IN ({query.text}) AND m0.{key} = ?",
            order=wanted.order,
            operator=wanted.operator,
            aggregate=wanted.aggregate,
        )
        more = match.named["m0"] if match.task == "comparison" else wanted.value
        values = query.values if more is None else (*query.values, more)
        rows = self._rows(f"{text} LIMIT {MOST_ROWS + 1}", values)
        if wanted.order:
            return _ordered(rows, first_only=wanted.template == "argmax")
        return None if len(rows) > MOST_ROWS else Answer(_sorted(rows), (len(rows),))

    def _from_nodes(self, match: Match, condition: str = "true", *more: Any) -> tuple[str, tuple[Any, ...]]:
        query = self._matched(match)
        text = f"FROM {self._nodes[match.label]} WHERE id IN (SELECT n FROM ({query.text})) AND {condition}"
        return text, (*query.values, *more)

    def _matched(self, match: Match, *, reuse: bool = False) -> _Query:
        if match.task == "union":
            arms = [self._joined(match, [hop]) for hop in match.hops]
            values = tuple(value for arm in arms for value in arm.values)
            return _Query(" UNION ".join(arm.text for arm in arms), values)
        if match.task == "optional_match":
            optional, fixed = match.hops
            base = self._joined(match, [fixed])
            near, far = ("source", "target") if optional.start == "n" else ("target", "source")
            joined = f"({base.text}) base LEFT JOIN {self._type(match, optional)} r ON r.{near} = base.n"
            return _Query(f"SELECT DISTINCT base.n, r.{far} AS m0 FROM {joined}", base.values)
        return self._joined(match, match.hops, reuse=reuse)

    def _joined(self, match: Match, hops: Sequence[Hop], *, reuse: bool = False) -> _Query:
        used = sorted({"n", *(end for hop in hops for end in (hop.start, hop.end))})
        tables = [f"{self._nodes[match.labels[each]]} {each}" for each in used]
        conditions = ["true"]
        values: list[Any] = []
        for hop in hops:
            table, name = self._type(match, hop), hop.variable
            tables.append(f"{table} {name}")
            conditions.append(f"{name}.source = {hop.start}.id AND {name}.target = {hop.end}.id")
            if match.period:
                columns, year = self._columns[table], match.period.year
                since, until = f"{name}.{columns[match.period.start]}", f"{name}.{columns[match.period.end]}"
                if year is None:
                    conditions.append(f"{since} IS NOT NULL AND {until} IS NULL")
                else:
                    conditions.append(f"{since} <= ? AND coalesce({until}, ?) >= ?")
                    values += [year] * 3
        if len(hops) == 2 and not reuse:
            # Ids of relationships are unique in the whole graph.
            conditions.append("r0.id <> r1.id")
        for variable in [each for each in match.named if each in used]:
            label = match.labels[variable]
            conditions.append(f"{variable}.{self._column(label, self._keys[label])} = ?")
            values.append(match.named[variable])
        nodes = "n.id AS n, m0.id AS m0" if match.task == "group_by" else "n.id AS n"
        text = f"SELECT DISTINCT {nodes} FROM {', '.join(tables)} WHERE {' AND '.join(conditions)}"
        return _Query(text, tuple(values))

    def _type(self, match: Match, hop: Hop) -> str:
        """Return the table of a relationship; without a type, of all between its labels."""
        ends = (match.labels[hop.start], match.labels[hop.end])
        if hop.type:
            return self._types[hop.type, *ends]
        tables = [table for (_, *between), table in self._types.items() if tuple(between) == ends]
        return f"({' UNION ALL '.join(f'SELECT id, source, target FROM {table}' for table in tables)})"

    def _column(self, label: str, name: str) -> str:
        return self._columns[self._nodes[label]][name]

    def _rows(self, text: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._database.execute(text, list(values)).fetchall()

    def _load(self, graph: PropertyGraph) -> None:
        ids = {node.id: (place, node.label) for place, node in enumerate(graph.nodes)}
        rows: dict[str, list[tuple[list[int], Mapping[str, Any]]]] = defaultdict(list)
        for node in graph.nodes:
            rows[self._nodes[node.label]].append(([ids[node.id][0]], node.properties))
        for place, each in enumerate(graph.relationships):
            (start, start_label), (end, end_label) = ids[each.start], ids[each.end]
            table = self._types[each.type, start_label, end_label]
            rows[table].append(([place, start, end], each.properties))
        for label, properties in graph.schema.labels.items():
            self._table(self._nodes[label], label, ("id",), properties, rows[self._nodes[label]])
        for kind, table in zip(graph.schema.relationships, self._types.values(), strict=True):
            self._table(table, kind.type, ("id", "source", "target"), kind.properties, rows[table])

    def _table(
        self,
        table: str,
        owner: str,
        ids: Sequence[str],
        types: Mapping[str, ValueType],
        rows: Sequence[tuple[list[int], Mapping[str, Any]]],
    ) -> None:
        import pyarrow

        self._columns[table] = {name: f"p{place}" for place, name in enumerate(types)}
        data = {
            name: pyarrow.array([numbers[place] for numbers, _ in rows], pyarrow.int64())
            for place, name in enumerate(ids)
        }
        for name, column in self._columns[table].items():
            try:
                data[column] = pyarrow.array([values.get(name) for _, values in rows], _type_of(types[name]))
            except (pyarrow.ArrowException, ValueError, OverflowError) as error:
                raise InputError(
                    f"{owner}: a value of the property {name!r} is not of the type {types[name]} ({error})"
                ) from error
        self._database.register("loaded", pyarrow.table(data))
        self._database.execute(f"CREATE TABLE {table} AS SELECT * FROM loaded")
        self._database.unregister("loaded")


def _ordered(rows: Sequence[tuple[Any, ...]], *, first_only: bool) -> Answer | None:
    """Return the answer of sorted rows with the value first, which is not returned."""
    ties = tuple(Counter(value for value, _ in rows).values())
    if first_only:
        # A tie at the top has no single answer.
        return Answer([[rows[0][1]]] if ties[:1] == (1,) else [], (1,))
    ordered: list[list[Any]] = []
    for length in ties:
        ordered += _sorted([(key,) for _, key in rows[len(ordered) : len(ordered) + length]])
    return None if len(rows) > MOST_ROWS else Answer(ordered, ties)


def without_hop(match: Match, hop: Hop) -> Match:
    """Return a pattern without one relationship and without what only hangs on it."""
    hops = tuple(each for each in match.hops if each is not hop and (each.variable == "r0" or _at_n(each)))
    reached = {"n", *(end for each in hops for end in (each.start, each.end))}
    named = {variable: value for variable, value in match.named.items() if variable in reached}
    return replace(match, hops=hops, named=named, task="" if match.task == "union" else match.task)


def _at_n(hop: Hop) -> bool:
    return "n" in (hop.start, hop.end)


def _connect() -> "duckdb.DuckDBPyConnection":
    try:
        # Imported late: only the making of questions needs the extra.
        import duckdb
    except ImportError as error:
        raise InputError(
            "Questions are generated with DuckDB, which is not installed: pip install 'retrocypher[suites]'."
        ) from error
    # One thread: sums of floats come out the same each time.
    return duckdb.connect(":memory:", config={"threads": 1})


def _type_of(name: str) -> Any:
    import pyarrow

    if name.startswith("list["):
        return pyarrow.list_(_type_of(name[5:-1]))
    scalars = {"int": pyarrow.int64(), "float": pyarrow.float64(), "bool": pyarrow.bool_()}
    return scalars.get(name) or (pyarrow.date32() if name == "date" else pyarrow.string())


def _sorted(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    found = [[_json(value) for value in row] for row in rows]
    return sorted(found, key=lambda row: json.dumps(row, ensure_ascii=False))


def _json(value: Any) -> Any:
    if isinstance(value, list):
        return [_json(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return {"$temporal": {"type": "date", "value": value.isoformat()}}
