"""Scores of a single-step answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kg.questions import Question
from plugins.scoring._counts import Counts, compare
from plugins.scoring._encoder import KeyMatcher
from plugins.scoring._keys import ID_KEY, Match, match_columns, weakest
from plugins.scoring._reactions import row_f1
from plugins.scoring._table import Table, read_table
from plugins.scoring._values import Atom, atoms, whole_number

SCORED_KEYS = ("reactants", "products", "agents", "solvents", "target_yield", "co_products")
_FOCUS = {
    "precursors": "reactants",
    "producing_reactions": ID_KEY,
    "best_yield": "target_yield",
    "multi_product": ID_KEY,
    "co_products": "co_products",
}


def single_step_scores(
    question: Question, columns: Sequence[str], rows: Iterable[Any], key_encoder: KeyMatcher | None
) -> dict[str, Any]:
    """Return the scores of a result against the question's gold."""
    keys = scored_keys(question)
    table = read_table(columns, rows)
    matches = match_columns(table.names, table.reaction_columns(), keys, key_encoder)
    returned, gold = _united(table, matches, keys), _gold(question, keys)
    counts = {key: compare(key, returned[key], gold[key]) for key in keys}
    pooled = sum(counts.values(), Counts())
    return {
        "precision": pooled.precision,
        "recall": pooled.recall,
        "f1": pooled.f1,
        "per_key": {key: _entry(counts[key], key, matches) for key in keys},
        "focus_f1": _focus_f1(question, table, returned, gold),
        "row_f1": row_f1(question.gold, table, matches, keys),
        "unmatched_columns": sorted(table.names.keys() - matches.keys() - table.maps),
    }


def scored_keys(question: Question) -> tuple[str, ...]:
    """Return the keys that count towards the scores of a question: those its gold has."""
    return tuple(key for key in SCORED_KEYS if any(key in row for row in question.gold))


def values_of_answer(
    question: Question, columns: Sequence[str], rows: Iterable[Any], key_encoder: KeyMatcher | None
) -> dict[str, set[Atom]]:
    """Return the distinct values that a result holds, by ``id`` and scored key."""
    keys = scored_keys(question)
    table = read_table(columns, rows)
    return _united(table, match_columns(table.names, table.reaction_columns(), keys, key_encoder), keys)


def values_of_gold(question: Question) -> dict[str, set[Atom]]:
    """Return the distinct values that a result should hold, by ``id`` and scored key."""
    return _gold(question, scored_keys(question))


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


def _entry(counts: Counts, key: str, matches: Mapping[str, Match]) -> dict[str, Any]:
    columns = {column: match.stage for column, match in sorted(matches.items()) if match.key == key}
    return {**counts.to_json(), "stage": weakest(list(columns.values())), "columns": columns}


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
