"""Scores of a single-step answer."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.runs.record import SCORED_KEYS, Fallback, JsonValue, KeyScore, Scores
from retrocypher.plugins.scoring.columns import ID_KEY, KeyMatcher, Match, match_columns, weakest
from retrocypher.plugins.scoring.routes import routes
from retrocypher.plugins.scoring.table import (
    Atom,
    Cells,
    Counts,
    Row,
    Table,
    atoms,
    compare,
    harmonic_mean,
    read_table,
    whole_number,
)

Content = dict[str, set[Atom]]


def row_f1(
    gold_rows: Sequence[Mapping[str, JsonValue]],
    table: Table,
    matches: Mapping[str, Match],
    keys: tuple[str, ...],
) -> float:
    """Return F1 over whole reactions, in [0, 1]; 1 without one on either side.

    Rows of one reaction id are merged first. A row with one id is right if the gold reaction of that id has
    equal values for every key; a row without an id if any gold reaction has; a row with several ids never is.
    """
    gold: dict[Hashable, Content] = {}
    for number, gold_row in enumerate(gold_rows):
        reaction = gold.setdefault(gold_row.get(ID_KEY, f"row {number}"), {key: set() for key in keys})
        for key in keys:
            reaction[key].update(atoms(gold_row.get(key)))
    identified: dict[frozenset[Atom], Content] = {}
    anonymous: dict[Hashable, Content] = {}
    for row in table.rows:
        ids = _ids(row.own, matches) or _ids(row.shared, matches)
        if not ids:
            content = _content(row, matches, keys)
            anonymous.setdefault(tuple(frozenset(values) for values in content.values()), content)
            continue
        merged = identified.setdefault(ids, {key: set() for key in keys})
        # Only reactions that can be right need their values looked at.
        if len(ids) == 1 and ids <= gold.keys():
            for key, values in _content(row, matches, keys).items():
                merged[key] |= values
    right = {reaction for ids, content in identified.items() for reaction in _right(content, ids, gold)}
    returned_right, gold_right = len(right), set[Hashable](right)
    for content in anonymous.values():
        equal = {reaction for reaction, values in gold.items() if _equal(content, values)}
        returned_right += bool(equal)
        gold_right |= equal
    returned = len(identified) + len(anonymous)
    if not returned and not gold:
        return 1.0
    precision = returned_right / returned if returned else 0.0
    recall = len(gold_right) / len(gold) if gold else 0.0
    return harmonic_mean(precision, recall)


def _ids(cells: Cells, matches: Mapping[str, Match]) -> frozenset[Atom]:
    return frozenset(
        value if (number := whole_number(value)) is None else number
        for column, values in cells.items()
        if column in matches and matches[column].key == ID_KEY
        for value in values
    )


def _content(row: Row, matches: Mapping[str, Match], keys: tuple[str, ...]) -> Content:
    content: Content = {key: set() for key in keys}
    for column, values in row.cells():
        match = matches.get(column)
        if match is not None and match.key != ID_KEY:
            content[match.key].update(values)
    return content


def _right(content: Content, ids: frozenset[Atom], gold: Mapping[Hashable, Content]) -> frozenset[Atom]:
    """Return the id of a reaction that is right in every key, else nothing."""
    is_right = len(ids) == 1 and ids <= gold.keys() and _equal(content, gold[next(iter(ids))])
    return ids if is_right else frozenset()


def _equal(returned: Content, gold: Content) -> bool:
    return all(compare(key, returned[key], values).right for key, values in gold.items())


_FOCUS = {
    "precursors": "reactants",
    "producing_reactions": ID_KEY,
    "best_yield": "target_yield",
    "multi_product": ID_KEY,
    "co_products": "co_products",
}


def single_step_scores(
    question: Question, columns: Sequence[str], rows: Iterable[JsonValue], key_encoder: KeyMatcher | None
) -> Scores:
    """Return the scores of a result against the question's gold."""
    keys = scored_keys(question)
    table = read_table(columns, rows)
    matches = _matches(table, keys, key_encoder)
    returned, gold = _united(table, matches, keys), _gold(question, keys)
    counts = {key: compare(key, returned[key], gold[key]) for key in keys}
    pooled = sum(counts.values(), Counts())
    return Scores(
        precision=pooled.precision,
        recall=pooled.recall,
        f1=pooled.f1,
        per_key={key: _key_score(counts[key], key, matches) for key in keys},
        focus_f1=_focus_f1(question, table, returned, gold),
        row_f1=row_f1(question.gold, table, matches, keys),
        unmatched_columns=sorted(table.names.keys() - matches.keys() - table.laid_out),
    )


def _matches(table: Table, keys: tuple[str, ...], key_encoder: KeyMatcher | None) -> dict[str, Match]:
    """Match columns to keys; a role in the rows gives way to a column that is named like its key.

    A column of maps alone is no column of a key: its values are those of ``column.entry``.
    """
    of_maps = table.laid_out - {column for column, _ in table.cells()}
    names = {column: name for column, name in table.names.items() if column not in of_maps}
    matches = match_columns(names, table.reaction_columns(), keys, key_encoder)
    named = {match.key for column, match in matches.items() if column not in table.roles}
    return {
        column: match
        for column, match in matches.items()
        if column not in table.roles or match.key not in named
    }


def scored_keys(question: Question) -> tuple[str, ...]:
    """Return the keys that count towards the scores of a question: those its gold has."""
    return tuple(key for key in SCORED_KEYS if any(key in row for row in question.gold))


def _gold(question: Question, keys: tuple[str, ...]) -> dict[str, set[Atom]]:
    return {key: {atom for row in question.gold for atom in atoms(row.get(key))} for key in (ID_KEY, *keys)}


def _united(table: Table, matches: Mapping[str, Match], keys: tuple[str, ...]) -> dict[str, set[Atom]]:
    united: dict[str, set[Atom]] = {key: set() for key in (ID_KEY, *keys)}
    for column, values in table.cells():
        match = matches.get(column)
        if match is not None:
            united[match.key].update(values)
    united[ID_KEY] = {atom if (number := whole_number(atom)) is None else number for atom in united[ID_KEY]}
    return united


def _key_score(counts: Counts, key: str, matches: Mapping[str, Match]) -> KeyScore:
    columns = {column: match.stage for column, match in sorted(matches.items()) if match.key == key}
    return KeyScore(
        precision=None if counts.empty else counts.precision,
        recall=None if counts.empty else counts.recall,
        f1=None if counts.empty else counts.f1,
        tp=counts.tp,
        fp=counts.fp,
        fn=counts.fn,
        stage=weakest(list(columns.values())),
        columns=columns,
    )


def _focus_f1(
    question: Question, table: Table, returned: Mapping[str, set[Atom]], gold: Mapping[str, set[Atom]]
) -> float | None:
    key = focus_key(question)
    if key is None or key not in gold or (key == ID_KEY and table.rows and not returned[key]):
        return None
    return compare(key, returned[key], gold[key]).f1


def focus_key(question: Question) -> str | None:
    """Return the key a single-step question asks for; None where it cannot be told."""
    return question.slots.get("role") if question.task == "conditions" else _FOCUS.get(question.task)


def asks_for_reactions(question: Question) -> bool:
    """Return whether a single-step question asks which reactions there are."""
    return question.setting == "single_step" and focus_key(question) == ID_KEY


class Values(NamedTuple):
    """The distinct values of one key: those of the gold answer and those that were returned."""

    gold: frozenset[Hashable]
    returned: frozenset[Hashable]


def values_by_key(
    question: Question, execution: Execution | Fallback, key_encoder: KeyMatcher | None = None
) -> dict[str, Values]:
    """Return gold and returned values as the scores read them; a failed execution returned none.

    Keys are ``id`` and the scored keys; for multi-step questions ``route``, each a tuple of reaction ids; for
    table questions ``row``, each a text, and none where the question does not come with its rows.
    """
    ok = execution.status == "ok"
    columns, rows = (execution.columns, execution.rows) if ok else ([], [])
    if question.setting == "table":
        expected = frozenset(_row_text(row["row"]) for row in question.gold)
        return {"row": Values(expected, frozenset(map(_row_text, rows)))} if expected else {}
    if question.setting == "multi_step":
        gold_routes = frozenset(tuple(row["route"]) for row in question.gold)
        return {"route": Values(gold_routes, frozenset(routes(columns, rows)))}
    keys, table = scored_keys(question), read_table(columns, rows)
    matches = _matches(table, keys, key_encoder)
    gold, returned = _gold(question, keys), _united(table, matches, keys)
    return {key: Values(frozenset(gold[key]), frozenset(returned[key])) for key in gold}


def _row_text(row: Sequence[JsonValue]) -> str:
    return " | ".join("null" if value is None else str(value) for value in row)
