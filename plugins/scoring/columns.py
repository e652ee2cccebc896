"""The names of columns: the editable table, normalisation, and the key that a column matches."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
import yaml

from retrocypher.kg.cypher.tokens import tokens
from retrocypher.kg.errors import InputError
from retrocypher.plugins.scoring.text import nltk_module
from retrocypher.prompts.templates.encoder import Encoder, Vectors, load_encoder


@dataclass(slots=True)
class KeyMatcher:
    """Matches a column to the gold key nearest in meaning, at a cosine of at least a threshold in (0, 1]."""

    encoder: Encoder
    threshold: float
    _vectors: dict[str, Vectors] = field(default_factory=dict, init=False, repr=False)

    def nearest(self, name: str, keys: tuple[str, ...]) -> str | None:
        """Return the key of highest similarity where it reaches the threshold; ties by order of keys."""
        missing = [text for text in (name, *keys) if text not in self._vectors]
        if missing:
            vectors = self.encoder.encode([text.replace("_", " ") for text in missing])
            self._vectors.update(zip(missing, vectors, strict=True))
        similarities = [float(self._vectors[name] @ self._vectors[key]) for key in keys]
        best = int(np.argmax(similarities))
        return keys[best] if similarities[best] >= self.threshold else None


@dataclass(frozen=True, slots=True)
class KeyEncoder:
    """The encoder stage of key matching as requested: name and threshold."""

    name: str
    threshold: float

    def matcher(self) -> KeyMatcher:
        """Return the stage, ready to match; raise InputError if the encoder cannot be had."""
        return KeyMatcher(load_encoder(self.name), self.threshold)


def key_encoder_named(text: str) -> KeyEncoder:
    """Read ``NAME@THRESHOLD``; raise InputError if it is something else, or the encoder cannot be had."""
    name, at, threshold = text.rpartition("@")
    try:
        value = float(threshold)
    except ValueError:
        value = 0.0
    if not at or not name or not 0.0 < value <= 1.0:
        raise InputError(
            f"--key-encoder {text}: give NAME@THRESHOLD, the threshold over 0 and at most 1, "
            "for example all-mpnet-base-v2@0.93"
        )
    # One word now, so that an unavailable encoder is reported before anything is paid for.
    load_encoder(name).encode(["reactants"])
    return KeyEncoder(name, value)


_CLOSING = {"(": ")", "[": "]", "{": "}"}
# More than the name of any column needs; longer texts are not read.
_MOST_TOKENS = 1_000
_DEEPEST = 20
_AFTER_RETURN = ("ORDER", "SKIP", "OFFSET", "LIMIT", "UNION")


def reduce_expression(column: str) -> str:
    """Reduce a column name that is a Cypher expression to the variable or property that gives its values.

    ``collect(DISTINCT reactant.name)`` gives ``reactant``, ``rel.yield`` gives ``yield``, ``r.id`` gives
    ``id``. Other names are returned unchanged.
    """
    if column.replace("_", "").isalnum():
        return column
    parts = [token.text for token in tokens(column)]
    return (_reduce(parts) if len(parts) <= _MOST_TOKENS else None) or column


def _reduce(parts: list[str], depth: int = 0) -> str | None:
    names = column_names()
    if depth > _DEEPEST:
        return None
    while len(parts) > 1:
        opening = _opening(parts)
        if opening == 0 and parts[0] == "(":
            parts = parts[1:-1]
        elif opening == 0 and parts[0] == "[":
            return _comprehension(parts[1:-1], depth + 1)
        elif opening and parts[-1] == "]":
            parts = parts[:opening]
        elif opening == 1 and parts[-1] == "}":
            if parts[0].upper() == "COLLECT":
                return _subquery(parts[2:-1], depth + 1)
            parts = parts[:1]
        elif parts[0].upper() == "CASE" and parts[-1].upper() == "END":
            return _telling(_reduce(branch, depth + 1) for branch in _branches(parts[1:-1]))
        elif opening and parts[-1] == ")":
            if "".join(parts[:opening]).lower() not in names.transparent_functions:
                return None
            parts = _until(parts[opening + 1 : -1], (",",))
            parts = parts[1:] if parts and parts[0].upper() == "DISTINCT" else parts
        elif len(parts) > 2 and parts[-2] == ".":
            if parts[-1].strip("`").lower() not in names.molecule_properties:
                return parts[-1].strip("`") if _is_access(parts) else None
            parts = parts[:-2]
        else:
            return None
    return parts[0].strip("`") if parts and _is_word(parts[0]) and parts[0].lower() != "null" else None


def _comprehension(parts: list[str], depth: int) -> str | None:
    """Reduce ``x IN list WHERE ... | x.property`` or ``pattern WHERE ... | x.property``.

    A property of its own gives the name. A molecule's name gives the list, or ``x`` if only that names a key.
    """
    source = _until(parts, ("|",))
    projected = _reduce(parts[len(source) + 1 :], depth)
    if len(source) < 3 or source[1].upper() != "IN":
        return projected
    variable = source[0].strip("`")
    if projected not in (None, variable):
        return projected
    return _telling((_reduce(_until(source[2:], ("WHERE",)), depth), variable))


def _subquery(parts: list[str], depth: int) -> str | None:
    """Reduce what ``COLLECT { ... RETURN expression AS name }`` returns."""
    last = next((at for at in range(len(parts) - 1, -1, -1) if parts[at].upper() == "RETURN"), None)
    if last is None:
        return None
    returned = _until(parts[last + 1 :], _AFTER_RETURN)
    returned = returned[1:] if returned and returned[0].upper() == "DISTINCT" else returned
    expression = _until(returned, ("AS",))
    return _telling((_reduce(returned[len(expression) + 1 :], depth), _reduce(expression, depth)))


def _branches(parts: list[str]) -> Iterator[list[str]]:
    """Yield the values that a CASE may have."""
    while parts:
        condition = _until(parts, ("THEN", "ELSE"))
        parts = parts[len(condition) + 1 :]
        value = _until(parts, ("WHEN", "ELSE"))
        yield value
        parts = parts[len(value) :]


def _telling(candidates: Iterable[str | None]) -> str | None:
    """Return the first candidate that names a key, or else the first."""
    found = [each for each in candidates if each]
    return next((each for each in found if names_a_key(each)), found[0] if found else None)


def _opening(parts: Sequence[str]) -> int | None:
    """Return where the bracket opens that the last part closes, None where it closes none."""
    if parts[-1] not in _CLOSING.values():
        return None
    depth = 0
    for index in range(len(parts) - 1, -1, -1):
        if parts[index] in _CLOSING.values():
            depth += 1
        elif parts[index] in _CLOSING:
            depth -= 1
            if depth == 0:
                return index
    return None


def _until(parts: list[str], ends: tuple[str, ...]) -> list[str]:
    """Return the parts before the first of ``ends`` outside brackets."""
    depth = 0
    for index, part in enumerate(parts):
        if depth == 0 and part.upper() in ends:
            return parts[:index]
        depth += (part in _CLOSING) - (part in _CLOSING.values())
    return parts


def _is_access(parts: Sequence[str]) -> bool:
    """Return whether the parts are a chain such as ``a.b.c``, or end one."""
    return all(part == "." for part in parts[-2:0:-2]) and all(_is_word(part) for part in parts[::-2])


def _is_word(part: str) -> bool:
    return part[0] == "`" or part[0] == "_" or part[0].isalpha()


_FILE = "column_names.yaml"
_LISTS = ("transparent_functions", "molecule_properties")
_WORD_LISTS = (
    "reaction_words",
    "count_words",
    "quantities",
    "positions",
    "step_words",
    "route_words",
    "molecule_words",
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TRAILING_NAME = re.compile(r"(?<=[^_])_*names?$")
_TRAILING_NUMBER = re.compile(r"(?<=[^_\d])_*\d+$")

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The table of ``column_names.yaml``, names stemmed.

    Attributes:
        keys: All gold keys.
        aliases: The gold keys that a name can mean, in order of preference.
        transparent_functions: Lower-case names of functions that return their argument.
        molecule_properties: Properties that stand for the molecule itself.
        reaction_words: Last words of names of reactions.
        count_words: First words of names of quantities.
        positions: Last words of names that say which step or route a row is about.
        step_words: Words of a position that is a step's.
        route_words: Words of names of routes.
        molecule_words: Last words of names of molecules in any role.
        ordinals: Words that number a column, with the number.
        spellings: The keys and aliases, not stemmed.
    """

    keys: Words
    aliases: Mapping[str, Words]
    transparent_functions: frozenset[str]
    molecule_properties: frozenset[str]
    reaction_words: frozenset[Words]
    count_words: frozenset[Words]
    quantities: frozenset[str]
    positions: frozenset[Words]
    step_words: frozenset[str]
    route_words: frozenset[str]
    molecule_words: frozenset[Words]
    ordinals: Mapping[str, int]
    spellings: frozenset[str]


@lru_cache(maxsize=1)
def column_names() -> ColumnNames:
    """Read the table; raise InputError if the file does not have the form that its comments describe."""
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
    reactions, counts, quantities, positions, steps, route, molecules = (
        frozenset(tuple(stem_name(normalise(name)).split("_")) for name in body[part]) for part in _WORD_LISTS
    )
    return ColumnNames(
        tuple(body["aliases"]),
        {name: tuple(keys) for name, keys in aliases.items()},
        frozenset(name.lower() for name in functions),
        frozenset(name.lower() for name in properties),
        reactions,
        counts,
        frozenset(word for words in quantities for word in words),
        positions,
        frozenset(word for words in steps for word in words),
        frozenset(word for words in route for word in words),
        molecules,
        {normalise(word): int(number) for word, number in body["ordinals"].items()},
        frozenset(normalise(name) for key, names in body["aliases"].items() for name in (key, *names)),
    )


@lru_cache(maxsize=16384)
def plain_name(column: str) -> str:
    """Return a column's normalised name, unaliased expressions reduced to what they return."""
    return normalise(reduce_expression(column))


def normalise(name: str) -> str:
    """Normalise a name as in appendix 5.5 of the paper: snake_case, without a trailing name or names."""
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


ID_KEY = "id"
_SHORTEST_MISSPELLED = 5
# From the surest stage to the least sure.
STAGES = ("exact", "stem", "alias", "misspelling", "encoder")


class Match(NamedTuple):
    """The key of a column, and the stage that matched them."""

    key: str
    stage: str


@lru_cache(maxsize=16384)
def resolve(name: str, keys: tuple[str, ...]) -> Match | None:
    """Match a normalised name to one of the keys: exact, stem, alias table, then misspelling."""
    match = listed(name, keys)
    if match is not None:
        return match
    return next((Match(key, "misspelling") for key in _misspelled(name) if key in keys), None)


@lru_cache(maxsize=16384)
def listed(name: str, keys: tuple[str, ...]) -> Match | None:
    """Match a normalised name that is spelled as a key or an alias."""
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


def _misspelled(name: str) -> Words:
    """Return the keys of the keys and aliases within one edit of a name, if these all mean the same."""
    table, plain = column_names(), _singular(_TRAILING_NUMBER.sub("", name))
    near = [other for other in table.spellings if _is_one_edit(plain, _singular(other))]
    found = {tuple(key for key in table.keys if listed(other, (key,))) for other in near}
    return found.pop() if len(found) == 1 else ()


def _singular(name: str) -> str:
    return name.removesuffix("s")


def _is_one_edit(name: str, other_name: str) -> bool:
    """Return whether one word differs, by one edit after the first letter, and has at least five letters."""
    words, others = name.split("_"), other_name.split("_")
    differing = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if len(differing) != 1 or len(words) != len(others):
        return False
    word, other = differing[0]
    if min(len(word), len(other)) < _SHORTEST_MISSPELLED:
        return False
    start = _common(word, other)
    end = _common(word[start:][::-1], other[start:][::-1])
    word, other = word[start : len(word) - end], other[start : len(other) - end]
    return start > 0 and (max(len(word), len(other)) == 1 or (len(word) == 2 and word == other[::-1]))


def _common(word: str, other: str) -> int:
    """Return with how many equal letters two words begin."""
    pairs = zip(word, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def names_a_key(name: str) -> bool:
    """Return whether a name means any key, whatever the question asks for."""
    return resolve(plain_name(name), column_names().keys) is not None


def match_columns(
    names: Mapping[str, str],
    reaction_columns: frozenset[str],
    keys: tuple[str, ...],
    key_encoder: KeyMatcher | None,
) -> dict[str, Match]:
    """Match columns to keys; columns of Reaction nodes are ``id``, and those that match none are left out."""
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
