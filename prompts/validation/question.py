"""What a question asks for, read from its words."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from retrocypher.kg.graph.molecules import Mention, find_molecules
from retrocypher.prompts.validation.finding import Asked, AskedMolecule, Intent, MoleculeRole
from retrocypher.prompts.validation.words import Words, beyond, load_words

_DASHES = re.compile("[-\u2010-\u2015\u2212_/]")
_NOT_WORDS = re.compile(r"[^\w<>=' ]+|(?<!\w)'|'(?!\w)")
_SPACES = re.compile(r"\s+")
_SIDE_BY_SIDE = re.compile(
    r" ?(?:(?:and|plus|as well as|together with|along with|alongside|with|also|both) ?)*"
)
_FURTHER = re.compile(r"^(?: (?:and|or|plus|as well as))? <\d+>(?:(?: (?:and|or|plus|as well as))? <\d+>)*")
_MOLECULE = re.compile(r"<(\d+)>")


_LONGEST = 20_000


class _Steps(NamedTuple):
    number: int | None
    several: bool
    note: str


def read_question(text: str) -> Asked:
    """Read a question as it is asked.

    Its SMILES are found by RDKit, the rest by the words of ``question_words.yaml``. A question that looks
    forward (what becomes of a molecule), that asks for one of several molecules, that speaks of nothing
    known, or that holds more than its kind does (a limit, a count, something left out, a solvent given) gets
    no intent.

    Args:
        text: The question, as a person would write it.
    """
    if len(text) > _LONGEST:
        return Asked(None, note=f"The question is longer than {_LONGEST} characters and is not read.")
    mentions = find_molecules(text)
    names = list(dict.fromkeys(mention.smiles for mention in mentions))
    plain = _plain(text, mentions, names)
    words = load_words()
    if not names:
        return Asked(None, note="The question names no molecule.")
    steps = _steps(plain, words)
    concepts = {name for name, pattern in words.concepts.items() if pattern.search(plain)}
    if len(names) == 1:
        asked = _about_one(names[0], plain, words, steps, concepts)
    else:
        asked = _about_several(names, plain, words, steps, concepts)
    if asked.intent is None:
        return asked
    more = beyond(asked.intent, plain, words, concepts, names)
    if more is None:
        return asked
    unsure = tuple(AskedMolecule(name, None) for name in names)
    return Asked(None, unsure, asked.steps, note=f"{more}; what must be returned is not checked.")


def _about_one(name: str, plain: str, words: Words, steps: _Steps, concepts: set[str]) -> Asked:
    if _looks_forward(plain, words):
        return Asked(
            None,
            (AskedMolecule(name, None),),
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
        return Asked(None, (AskedMolecule(name, None),), steps.number, note=note)
    count = steps.number if steps.several or intent in _ROUTES else 1
    molecules = (AskedMolecule(name, "target"),)
    return Asked(intent, molecules, count, _components(intent, concepts), steps.note)


def _about_several(
    names: Sequence[str], plain: str, words: Words, steps: _Steps, concepts: set[str]
) -> Asked:
    ends = _ends(plain, words) if len(names) == 2 else None
    if ends is not None and steps.number != 1:
        start, target = ends
        order: list[tuple[int, MoleculeRole]] = [(start, "start"), (target, "target")]
        molecules = tuple(AskedMolecule(names[place], role) for place, role in sorted(order))
        return Asked("chains_between", molecules, steps.number, note=steps.note)
    unsure = tuple(AskedMolecule(name, None) for name in names)
    if ends is not None or steps.several or _looks_forward(plain, words):
        note = "How the molecules of the question belong together cannot be told."
        return Asked(None, unsure, steps.number, note=note)
    if words.either.search(plain) or re.search(r"<\d+> or <\d+>", plain):
        return Asked(None, unsure, steps.number, note="The question asks for one molecule or another.")
    if not words.made.search(plain) and not concepts & {"reactions", "co_products"}:
        return Asked(None, unsure, steps.number, note="What the question asks for cannot be told.")
    if "best" in concepts:
        note = "A best yield of several products is not read."
        return Asked(None, unsure, steps.number, note=note)
    return Asked("multi_product", tuple(AskedMolecule(name, "product") for name in names), 1)


_ROUTES = ("chains_to_target", "intermediates", "multi_step_precursors")


def _several_steps(steps: _Steps, concepts: set[str]) -> bool:
    if steps.number == 1:
        return False
    if steps.several or "intermediates" in concepts:
        return True
    # Without a number, a route may be of one step where the question is about the reaction itself.
    return "chains" in concepts and not concepts & {"best", "co_products", "agents", "solvents"}


def _route_intent(plain: str, words: Words, concepts: set[str]) -> Intent:
    if "intermediates" in concepts:
        first = _first(plain, words, ("intermediates", "precursors", "chains"))
        return "intermediates" if first != "precursors" else "multi_step_precursors"
    first = _first(plain, words, ("chains", "precursors"))
    return "multi_step_precursors" if first == "precursors" else "chains_to_target"


def _reaction_intent(plain: str, words: Words, concepts: set[str]) -> Intent | None:
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


def _first(plain: str, words: Words, names: Sequence[str]) -> str | None:
    """The concept that the question comes to first."""
    found = {name: match.start() for name in names if (match := words.concepts[name].search(plain))}
    return min(found, key=lambda name: found[name], default=None)


def _steps(plain: str, words: Words) -> _Steps:
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


def _looks_forward(plain: str, words: Words) -> bool:
    for match in _MOLECULE.finditer(plain):
        before, after = plain[: match.start()], _FURTHER.sub("", plain[match.end() :])
        aimed_at = words.target_before.search(before) or words.target_after.search(after)
        if aimed_at and not words.forward_after.search(after):
            return False
        if words.forward_after.search(after) or words.forward_before.search(before):
            return True
    return False


def _ends(plain: str, words: Words) -> tuple[int, int] | None:
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
