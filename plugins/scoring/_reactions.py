"""The strict score: a reaction counts only where all its keys are right."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from plugins.scoring._counts import compare, harmonic_mean
from plugins.scoring._keys import ID_KEY, Match
from plugins.scoring._table import Cells, Row, Table
from plugins.scoring._values import Atom, atoms, whole_number

Content = dict[str, set[Atom]]


def row_f1(
    gold_rows: Sequence[Mapping[str, Any]], table: Table, matches: Mapping[str, Match], keys: tuple[str, ...]
) -> float:
    """Return F1 over whole reactions, in [0, 1]; 1 where there is none on either side.

    Rows of one reaction id are merged first. A row with one id is right where the gold reaction of that
    id has equal values for every key; a row without an id where any gold reaction has; a row with several
    ids never is.
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
