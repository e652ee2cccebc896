"""What a question asks for, read from its words by the patterns of ``question_words.yaml``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from retrocypher.kg.graph.molecules import Mention, canonical_smiles, find_molecules
from retrocypher.kg.questions.question import MULTI_STEP_TASKS
from retrocypher.prompts.validation.finding import Intent, MoleculeRole, QuestionIntent, QuestionMolecule

_FILE = "question_words.yaml"
_NAMES = Path(__file__).with_name("common_names.yaml")
_BESIDE_ROUTES = {
    "best": "asks for the best yield of routes",
    "co_products": "speaks of co-products beside routes",
    "agents": "speaks of agents beside routes",
    "solvents": "speaks of solvents beside routes",
    "conditions": "speaks of conditions beside routes",
}
_BESIDE_SEVERAL = {name: f"speaks of {name} beside several molecules" for name in ("agents", "solvents")}
_LONGEST_SHOWN = 40
_DASHES = re.compile("[-\u2010-\u2015\u2212_/]")
_NOT_WORDS = re.compile(r"[^\w<>=' ]+|(?<!\w)'|'(?!\w)")
_SPACES = re.compile(r"\s+")
_SIDE_BY_SIDE = re.compile(
    r" ?(?:(?:and|plus|as well as|together with|along with|alongside|with|also|both) ?)*"
)
_FURTHER = re.compile(r"^(?: (?:and|or|plus|as well as))? <\d+>(?:(?: (?:and|or|plus|as well as))? <\d+>)*")
_MOLECULE = re.compile(r"<(\d+)>")
_LONGEST = 20_000
_ANYWHERE = ("made", "one_step", "inexact", "ambiguous_steps", "either", "between")
_BESIDE_MOLECULES = ("start", "target", "forward")
_ROUTES = ("chains_to_target", "intermediates", "multi_step_precursors")


@dataclass(frozen=True, slots=True)
class _Further:
    """What a question may hold beyond its kind: words, what they do, and the intents that know them."""

    why: str
    known_to: frozenset[str]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Words:
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
    further: tuple[_Further, ...]
    numbers: Mapping[str, int]


@cache
def _load_words() -> _Words:
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

    return _Words(
        concepts={name: anywhere(patterns) for name, patterns in data["concepts"].items()},
        steps=counted(data["steps"]),
        further=tuple(
            _Further(each["why"], frozenset(each.get("known_to", ())), anywhere(each["words"]))
            for each in data["further"]
        ),
        numbers=numbers,
        **{name: anywhere(data[name]) for name in _ANYWHERE},
        **{f"{name}_before": before(data[f"{name}_before"]) for name in _BESIDE_MOLECULES},
        **{f"{name}_after": after(data[f"{name}_after"]) for name in _BESIDE_MOLECULES},
    )


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with what stands for its names in braces."""
    for name, part in parts.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return pattern


class _Steps(NamedTuple):
    number: int | None
    several: bool
    note: str


def read_question(text: str) -> QuestionIntent:
    """Read a question as it is asked.

    Its SMILES are found by RDKit, the rest by the words of ``question_words.yaml``. A question that looks
    forward (what becomes of a molecule), that asks for one of several molecules, that speaks of nothing
    known, or that holds more than its kind does (a limit, a count, something left out, a solvent given) gets
    no intent.

    Args:
        text: The question, as a person would write it.
    """
    if len(text) > _LONGEST:
        return QuestionIntent(
            None, note=f"The question is longer than {_LONGEST} characters and is not read."
        )
    mentions = find_molecules(text)
    names = list(dict.fromkeys(mention.smiles for mention in mentions))
    plain = _plain(text, mentions, names)
    words = _load_words()
    if not names:
        return QuestionIntent(None, note="The question names no molecule.")
    steps = _steps(plain, words)
    concepts = {name for name, pattern in words.concepts.items() if pattern.search(plain)}
    if len(names) == 1:
        asked = _about_one(names[0], plain, words, steps, concepts)
    else:
        asked = _about_several(names, plain, words, steps, concepts)
    if asked.intent is None:
        return asked
    more = _beyond(asked.intent, plain, words, concepts, names)
    if more is None:
        return asked
    unsure = tuple(QuestionMolecule(name, None) for name in names)
    return QuestionIntent(None, unsure, asked.steps, note=f"{more}; what must be returned is not checked.")


def _about_one(name: str, plain: str, words: _Words, steps: _Steps, concepts: set[str]) -> QuestionIntent:
    if _looks_forward(plain, words):
        return QuestionIntent(
            None,
            (QuestionMolecule(name, None),),
            steps.number,
            note="The question asks what becomes of a molecule; what must be returned is not checked.",
        )
    intent: Intent | None
    if _several_steps(steps, concepts):
        intent = _route_intent(plain, words, concepts)
    else:
        intent = _reaction_intent(plain, words, concepts)
    if intent is None:
        note = "What the question asks for cannot be told."
        return QuestionIntent(None, (QuestionMolecule(name, None),), steps.number, note=note)
    count = steps.number if steps.several or intent in _ROUTES else 1
    molecules = (QuestionMolecule(name, "target"),)
    return QuestionIntent(intent, molecules, count, _components(intent, concepts), steps.note)


def _about_several(
    names: Sequence[str], plain: str, words: _Words, steps: _Steps, concepts: set[str]
) -> QuestionIntent:
    ends = _ends(plain, words) if len(names) == 2 else None
    if ends is not None and steps.number != 1:
        start, target = ends
        order: list[tuple[int, MoleculeRole]] = [(start, "start"), (target, "target")]
        molecules = tuple(QuestionMolecule(names[place], role) for place, role in sorted(order))
        return QuestionIntent("chains_between", molecules, steps.number, note=steps.note)
    unsure = tuple(QuestionMolecule(name, None) for name in names)
    if ends is not None or steps.several or _looks_forward(plain, words):
        note = "How the molecules of the question belong together cannot be told."
        return QuestionIntent(None, unsure, steps.number, note=note)
    if words.either.search(plain) or re.search(r"<\d+> or <\d+>", plain):
        return QuestionIntent(
            None, unsure, steps.number, note="The question asks for one molecule or another."
        )
    if not words.made.search(plain) and not concepts & {"reactions", "co_products"}:
        return QuestionIntent(None, unsure, steps.number, note="What the question asks for cannot be told.")
    if "best" in concepts:
        note = "A best yield of several products is not read."
        return QuestionIntent(None, unsure, steps.number, note=note)
    return QuestionIntent("multi_product", tuple(QuestionMolecule(name, "product") for name in names), 1)


def _several_steps(steps: _Steps, concepts: set[str]) -> bool:
    if steps.number == 1:
        return False
    if steps.several or "intermediates" in concepts:
        return True
    # Without a number, a route may be of one step where the question is about the reaction itself.
    return "chains" in concepts and not concepts & {"best", "co_products", "agents", "solvents"}


def _route_intent(plain: str, words: _Words, concepts: set[str]) -> Intent:
    if "intermediates" in concepts:
        first = _first(plain, words, ("intermediates", "precursors", "chains"))
        return "intermediates" if first != "precursors" else "multi_step_precursors"
    first = _first(plain, words, ("chains", "precursors"))
    return "multi_step_precursors" if first == "precursors" else "chains_to_target"


def _reaction_intent(plain: str, words: _Words, concepts: set[str]) -> Intent | None:
    if "best" in concepts:
        return "best_yield"
    if "co_products" in concepts:
        return "co_products"
    if concepts & {"agents", "solvents", "conditions"}:
        return "conditions"
    if "precursors" in concepts:
        return "precursors"
    led_to = any(words.target_before.search(plain[: each.start()]) for each in _MOLECULE.finditer(plain))
    if concepts & {"reactions", "chains"} and (led_to or words.made.search(plain)):
        return "producing_reactions"
    return None


def _components(intent: Intent, concepts: set[str]) -> frozenset[str]:
    if intent != "conditions":
        return frozenset()
    named = concepts & {"agents", "solvents"}
    return frozenset(named or {"agents", "solvents"})


def _first(plain: str, words: _Words, names: Sequence[str]) -> str | None:
    """The concept that the question comes to first."""
    found = {name: match.start() for name in names if (match := words.concepts[name].search(plain))}
    return min(found, key=lambda name: found[name], default=None)


def _steps(plain: str, words: _Words) -> _Steps:
    unclear = words.ambiguous_steps.search(plain)
    if unclear:
        plain = plain.replace(unclear.group(), " ")
    counts = set()
    for match in words.steps.finditer(plain):
        written = next(value for value in match.groupdict().values() if value is not None)
        counts.add(int(written) if written.isdigit() else words.numbers[written])
    inexact = words.inexact.search(plain)
    several = bool(counts - {1}) or bool(unclear)
    if several:
        counts.discard(1)
        if unclear and not counts:
            return _Steps(None, True, "A number of intermediates does not fix the number of steps.")
        if inexact or len(counts) > 1:
            return _Steps(None, True, "The question leaves the number of steps open.")
        return _Steps(counts.pop(), True, "")
    if counts or words.one_step.search(plain):
        return _Steps(1, False, "")
    return _Steps(None, False, "")


def _looks_forward(plain: str, words: _Words) -> bool:
    for match in _MOLECULE.finditer(plain):
        before, after = plain[: match.start()], _FURTHER.sub("", plain[match.end() :])
        aimed_at = words.target_before.search(before) or words.target_after.search(after)
        if aimed_at and not words.forward_after.search(after):
            return False
        if words.forward_after.search(after) or words.forward_before.search(before):
            return True
    return False


def _ends(plain: str, words: _Words) -> tuple[int, int] | None:
    """Which of two molecules a route starts from and which it leads to; None where nothing says so."""
    starts: dict[int, int] = {0: 0, 1: 0}
    targets: dict[int, int] = {0: 0, 1: 0}
    places = list(_MOLECULE.finditer(plain))
    for number, match in enumerate(places):
        key = int(match.group(1)) - 1
        previous = places[number - 1].end() if number else 0
        following = places[number + 1].start() if number + 1 < len(places) else len(plain)
        before, after = plain[previous : match.start()], plain[match.end() : following]
        if words.target_before.search(before):
            targets[key] += 1
        elif words.start_before.search(before):
            starts[key] += 1
        if words.start_after.search(after):
            starts[key] += 1
        elif words.target_after.search(after):
            targets[key] += 1
    if not any(starts.values()) or (_listed(plain, places) and not words.between.search(plain)):
        return None
    lead = starts[0] - targets[0] - starts[1] + targets[1]
    if not lead:
        return None
    return (0, 1) if lead > 0 else (1, 0)


def _listed(plain: str, places: Sequence[re.Match[str]]) -> bool:
    """Whether the molecules stand side by side, as in `both <1> and <2>`."""
    gaps = [plain[one.end() : other.start()] for one, other in pairwise(places)]
    return any(_SIDE_BY_SIDE.fullmatch(gap) for gap in gaps)


def _plain(text: str, mentions: Sequence[Mention], names: Sequence[str]) -> str:
    """The question in lower case without punctuation, its molecules as ``<1>``, ``<2>``, ..."""
    parts: list[str] = []
    position = 0
    for mention in mentions:
        parts += [_words(text[position : mention.start]), f"<{names.index(mention.smiles) + 1}>"]
        position = mention.stop
    parts.append(_words(text[position:]))
    return _SPACES.sub(" ", f" {' '.join(parts)}").rstrip()


def _words(text: str) -> str:
    lowered = (
        text.lower().replace("\u2019", "'").replace("→", " to ").replace(">>", " to ").replace("->", " to ")
    )
    return _NOT_WORDS.sub(" ", _DASHES.sub(" ", lowered.replace("%", " percent ")))


def _beyond(
    intent: Intent, plain: str, words: _Words, concepts: set[str], names: Sequence[str]
) -> str | None:
    """Return what a question holds that its intent does not; None where there is nothing."""
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


@cache
def common_names() -> Mapping[str, str]:
    """Return the SMILES of each name of ``common_names.yaml``, the names in lower case."""
    read: dict[str, str] = yaml.safe_load(_NAMES.read_text(encoding="utf-8"))
    return {str(name).lower(): smiles for name, smiles in read.items()}
