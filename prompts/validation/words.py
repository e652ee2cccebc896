"""The words by which questions are read, from their file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Token
from retrocypher.kg.graph.molecules import canonical_smiles
from retrocypher.kg.questions.question import MULTI_STEP_TASKS
from retrocypher.prompts.validation.finding import Intent

_FILE = "question_words.yaml"


@dataclass(frozen=True, slots=True)
class Further:
    """What a question may hold beyond its kind: words, what they do, and the intents that know them."""

    why: str
    known_to: frozenset[str]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Words:
    """The patterns of ``question_words.yaml``, compiled; see there for what each is."""

    concepts: Mapping[str, re.Pattern[str]]
    made: re.Pattern[str]
    one_step: re.Pattern[str]
    inexact: re.Pattern[str]
    ambiguous_steps: re.Pattern[str]
    steps: re.Pattern[str]
    either: re.Pattern[str]
    between: re.Pattern[str]
    start_before: re.Pattern[str]
    target_before: re.Pattern[str]
    start_after: re.Pattern[str]
    target_after: re.Pattern[str]
    forward_before: re.Pattern[str]
    forward_after: re.Pattern[str]
    further: tuple[Further, ...]
    numbers: Mapping[str, int]


@cache
def load_words() -> Words:
    """Return the words, read at the first call."""
    text = resources.files(__package__).joinpath(_FILE).read_text("utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    numbers: dict[str, int] = data["numbers"]
    number = "|".join([r"\d+", *sorted(numbers, key=len, reverse=True)])
    called = data["called"]

    def anywhere(patterns: list[str]) -> re.Pattern[str]:
        filled = (_filled(each, {**data["nouns"], "number": number}) for each in patterns)
        return re.compile(rf"(?<!\w)(?:{'|'.join(filled)})(?!\w)")

    def counted(patterns: list[str]) -> re.Pattern[str]:
        named = (each.replace("({n})", f"(?P<n{place}>{number})") for place, each in enumerate(patterns))
        return re.compile(rf"(?<!\w)(?:{'|'.join(named)})(?!\w)")

    def before(patterns: list[str]) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)}) {called}$")

    def after(patterns: list[str]) -> re.Pattern[str]:
        return re.compile(rf"^ (?:{'|'.join(patterns)})(?!\w)")

    return Words(
        concepts={name: anywhere(patterns) for name, patterns in data["concepts"].items()},
        made=anywhere(data["made"]),
        one_step=anywhere(data["one_step"]),
        inexact=anywhere(data["inexact"]),
        ambiguous_steps=anywhere(data["ambiguous_steps"]),
        steps=counted(data["steps"]),
        either=anywhere(data["either"]),
        between=anywhere(data["between"]),
        start_before=before(data["start_before"]),
        target_before=before(data["target_before"]),
        start_after=after(data["start_after"]),
        target_after=after(data["target_after"]),
        forward_before=before(data["forward_before"]),
        forward_after=after(data["forward_after"]),
        further=tuple(
            Further(each["why"], frozenset(each.get("known_to", ())), anywhere(each["words"]))
            for each in data["further"]
        ),
        numbers=numbers,
    )


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with what stands for its names in braces."""
    for name, part in parts.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return pattern


_EXPECTED = re.compile(r"'[^']+'|<EOF>|\w+")
_MISSING = re.compile(r"missing (.+?) at ")
_OWN_WORDS = ("mismatched input", "extraneous input", "missing", "no viable alternative")
_END = "the end of the query"
_KINDS = {
    "<EOF>": _END,
    "ALL_SHORTEST_PATHS": "allShortestPaths",
    "SHORTEST_PATH": "shortestPath",
    "ARROW_LINE": "'-'",
    "ARROW_LEFT_HEAD": "'<'",
    "ARROW_RIGHT_HEAD": "'>'",
    "ESCAPED_SYMBOLIC_NAME": "a name",
    "IDENTIFIER": "a name",
    "DECIMAL_DOUBLE": "a number",
    "UNSIGNED_DECIMAL_INTEGER": "a number",
    "UNSIGNED_HEX_INTEGER": "a number",
    "UNSIGNED_OCTAL_INTEGER": "a number",
    "STRING_LITERAL1": "a string",
    "STRING_LITERAL2": "a string",
}
_MOST_EXPECTED = 6
_LONGEST = 40


def syntax_words(parsed: ParsedQuery) -> str:
    """Return what is wrong where a query first leaves the grammar: ``unexpected ')'; expected ',' or '}'``.

    Args:
        parsed: A query with errors.
    """
    issue = parsed.errors[0]
    if not issue.message.startswith(_OWN_WORDS):
        return issue.message
    token = next((each for each in parsed.tokens if each.start <= issue.offset < each.stop), None)
    missing = _MISSING.match(issue.message)
    if missing:
        return f"{_joined(missing[1])} is missing before {_END if token is None else _quoted(token)}"
    if token is not None and token.text in ("'", '"'):
        return f"the string that begins with {token.text} does not end"
    expected = _joined(issue.message.partition(" expecting ")[2])
    unexpected = f"unexpected {_END.removeprefix('the ') if token is None else _quoted(token)}"
    return f"{unexpected}; expected {expected}" if expected else unexpected


def _joined(expected: str) -> str:
    """What the parser lists: ``{<EOF>, ';'}``; empty where it is too much to be of help."""
    listed = list(dict.fromkeys(_KINDS.get(each, each) for each in _EXPECTED.findall(expected)))
    if len(listed) > _MOST_EXPECTED:
        return ""
    return " or ".join(part for part in (", ".join(listed[:-1]), *listed[-1:]) if part)


def _quoted(token: Token) -> str:
    # What is white space to Python alone, such as U+0085, is shown by its escape.
    text = " ".join(token.text.split()) or ascii(token.text)[1:-1]
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    return text if text[0] in "'\"" else f"'{text}'"


_NAMES = Path(__file__).with_name("common_names.yaml")


@cache
def common_names() -> Mapping[str, str]:
    """Return the SMILES of each name of ``common_names.yaml``, the names in lower case."""
    read: dict[str, str] = yaml.safe_load(_NAMES.read_text(encoding="utf-8"))
    return {str(name).lower(): smiles for name, smiles in read.items()}


_BESIDE_ROUTES = {
    "best": "asks for the best yield of routes",
    "co_products": "speaks of co-products beside routes",
    "agents": "speaks of agents beside routes",
    "solvents": "speaks of solvents beside routes",
    "conditions": "speaks of conditions beside routes",
}
_BESIDE_SEVERAL = {name: f"speaks of {name} beside several molecules" for name in ("agents", "solvents")}
_LONGEST_SHOWN = 40


def beyond(intent: Intent, plain: str, words: Words, concepts: set[str], names: Sequence[str]) -> str | None:
    """Say what a question holds that its intent does not; None where there is nothing.

    Args:
        intent: What the question was read as.
        plain: The question as its words are looked up.
        words: The words.
        concepts: What the question is about.
        names: The SMILES it holds.
    """
    beside: Mapping[str, str] = {}
    if intent in MULTI_STEP_TASKS:
        beside = _BESIDE_ROUTES
    elif intent == "multi_product":
        beside = _BESIDE_SEVERAL
    for concept, why in beside.items():
        if concept in concepts:
            return f"The question {why}"
    for further in words.further:
        match = None if intent in further.known_to else further.pattern.search(plain)
        if match is not None:
            return f'The question {further.why} ("{_shown(match.group())}")'
    named = _named(plain, names)
    return None if named is None else f'The question names a substance by a word ("{named}")'


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _named(plain: str, names: Sequence[str]) -> str | None:
    """The first name of a molecule that is not one of those given by SMILES."""
    known = {canonical_smiles(name) for name in names}
    for match in _pattern().finditer(plain):
        if canonical_smiles(_plain_names()[match.group()]) not in known:
            return match.group()
    return None


@cache
def _plain_names() -> Mapping[str, str]:
    """The names as they stand in a question's plain words."""
    return {" ".join(re.findall(r"\w+", name)): smiles for name, smiles in common_names().items()}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_plain_names(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
