"""Which column means which key of the gold answer."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from plugins.scoring._column_names import column_names, plain_name, stem_name
from plugins.scoring._encoder import KeyMatcher

ID_KEY = "id"
# From the surest stage to the least sure.
STAGES = ("exact", "stem", "alias", "encoder")


class Match(NamedTuple):
    """The key a column means, and the stage that told."""

    key: str
    stage: str


@lru_cache(maxsize=16384)
def resolve(name: str, keys: tuple[str, ...]) -> Match | None:
    """Match a normalised name to one of the keys: exact, stem, then alias table."""
    if name in keys:
        return Match(name, "exact")
    stemmed = stem_name(name)
    for key in keys:
        if stem_name(key) == stemmed:
            return Match(key, "stem")
    for key in column_names().aliases.get(stemmed, ()):
        if key in keys:
            return Match(key, "alias")
    return None


def match_columns(
    names: Mapping[str, str],
    reaction_columns: frozenset[str],
    keys: tuple[str, ...],
    key_encoder: KeyMatcher | None,
) -> dict[str, Match]:
    """Match columns to keys; columns that match none are left out.

    Args:
        names: Column -> the name it is matched by.
        reaction_columns: Columns of Reaction nodes, which are ``id`` under any name.
        keys: Scored keys of the case.
        key_encoder: The opt-in last stage.
    """
    matches = {}
    for column, raw in names.items():
        name = plain_name(raw)
        match = Match(ID_KEY, "nodes") if column in reaction_columns else resolve(name, (ID_KEY, *keys))
        if match is None and key_encoder is not None and name:
            nearest = key_encoder.nearest(name, keys)
            match = Match(nearest, "encoder") if nearest else None
        if match is not None:
            matches[column] = match
    return matches


def weakest(stages: list[str]) -> str | None:
    """Return the least sure of the stages, None where there is none."""
    return max(stages, key=STAGES.index) if stages else None
