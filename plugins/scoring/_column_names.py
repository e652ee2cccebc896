"""The editable table of column names, and the names themselves brought to one form."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from kg.errors import InputError
from plugins.scoring._expressions import reduce_expression
from plugins.scoring._nltk import nltk_module

_FILE = "column_names.yaml"
_LISTS = ("transparent_functions", "molecule_properties")
_WORD_LISTS = ("reaction_words", "count_words", "quantities", "positions")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TRAILING_NAME = re.compile(r"(?<=[^_])_*names?$")
_TRAILING_NUMBER = re.compile(r"(?<=[^_\d])_*\d+$")

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The table of ``column_names.yaml``, names stemmed.

    Attributes:
        aliases: Name -> gold keys it can mean, in order of preference.
        transparent_functions: Lower-case names of functions that hand on their argument.
        molecule_properties: Properties that stand for the molecule itself.
        reaction_words: Last words of names of reactions.
        count_words: First words of names of quantities.
        quantities: Words of names of quantities.
        positions: Last words of names that say which step or route a row is about.
        ordinals: Words that number a column -> the number.
    """

    aliases: Mapping[str, tuple[str, ...]]
    transparent_functions: frozenset[str]
    molecule_properties: frozenset[str]
    reaction_words: frozenset[Words]
    count_words: frozenset[Words]
    quantities: frozenset[str]
    positions: frozenset[Words]
    ordinals: Mapping[str, int]


@lru_cache(maxsize=1)
def column_names() -> ColumnNames:
    """Read the table.

    Raises:
        InputError: The file does not have the form that its comments describe.
    """
    text = resources.files(__package__).joinpath(_FILE).read_text("utf-8")
    try:
        return parse_column_names(yaml.safe_load(text))
    except (yaml.YAMLError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise InputError(
            f"plugins/scoring/{_FILE} cannot be read ({error}): it needs `aliases` (key: list of names), "
            f"lists of names under {', '.join((*_LISTS, *_WORD_LISTS))} and `ordinals` (word: number)"
        ) from error


def parse_column_names(body: Any) -> ColumnNames:
    """Turn the parsed file into a table."""
    aliases: dict[str, list[str]] = {}
    for key, names in body["aliases"].items():
        for name in names:
            keys = aliases.setdefault(stem_name(normalise(name)), [])
            if key not in keys:
                keys.append(key)
    functions, properties = ([str(name) for name in body[part]] for part in _LISTS)
    reactions, counts, quantities, positions = (
        frozenset(tuple(stem_name(normalise(name)).split("_")) for name in body[part]) for part in _WORD_LISTS
    )
    return ColumnNames(
        {name: tuple(keys) for name, keys in aliases.items()},
        frozenset(name.lower() for name in functions),
        frozenset(name.lower() for name in properties),
        reactions,
        counts,
        frozenset(word for words in quantities for word in words),
        positions,
        {normalise(word): int(number) for word, number in body["ordinals"].items()},
    )


@lru_cache(maxsize=16384)
def plain_name(column: str) -> str:
    """Return a column's normalised name, unaliased expressions reduced to what they return."""
    names = column_names()
    return normalise(reduce_expression(column, names.transparent_functions, names.molecule_properties))


def normalise(name: str) -> str:
    """Lower-case, trim, turn camelCase and punctuation into snake_case, drop a trailing name or names.

    The steps are those of appendix 5.5 of the paper.
    """
    snake = re.sub(r"[\W_]+", "_", _CAMEL.sub("_", name.strip()).lower()).strip("_")
    return _TRAILING_NAME.sub("", snake)


@lru_cache(maxsize=16384)
def stem_name(normal: str) -> str:
    """Drop a trailing number and stem each part of a normalised name (Snowball, English)."""
    unnumbered = _TRAILING_NAME.sub("", _TRAILING_NUMBER.sub("", normal))
    return "_".join(_stemmer().stem(part) for part in unnumbered.split("_"))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    # NLTK takes a while to load, which a session that scores nothing need not wait for.
    return nltk_module("stem.snowball").SnowballStemmer("english")
