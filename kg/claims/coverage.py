"""What a sentence says that its claims do not: a sentence is read whole where nothing is left."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from retrocypher.kg.claims.claim import COMPARISONS, Claim, Predicate
from retrocypher.kg.claims.sentences import Sentence
from retrocypher.kg.claims.tokens import Token, load_words
from retrocypher.kg.graph.names import load_names

_QUIET = frozenset("#*`\"'_([{")
_LARGEST_LABEL = 99
_NEAR = 4
_SAME = 0.0005
_SCALES = ((1, 1), (1, 100), (100, 1))
"""A yield may be told in percent, as a fraction of 1, or both."""
_MARKUP = re.compile(r"</?[A-Za-z]\w*|\\\\?[A-Za-z]+\{")
"""Tags and commands, in which molecules are not found."""
_SUBJECTS = frozenset(
    (
        *("reactions", "routes", "countables", "step_words", "ordinals", "yield_words", "worded_yields"),
        *("names", "number_words", "several", "exclusives", "best_words", "below_best", "comparisons"),
        *("relations", "co_products", "doubts", "stray"),
    )
)
"""Words of what a claim is about."""
_SAYS: dict[Predicate, frozenset[str]] = {
    "REACTS_IN": frozenset(("REACTS_IN", "PRECURSOR_OF", "LEADS_TO", "TAKES_PART_IN")),
    "PRODUCES": frozenset(("PRODUCES", "YIELD", "BEST_YIELD", "LEADS_TO", "PRECURSOR_OF", "TAKES_PART_IN")),
    "USES_AGENT": frozenset(("USES_AGENT", "TAKES_PART_IN")),
    "USES_SOLVENT": frozenset(("USES_SOLVENT", "TAKES_PART_IN")),
    "TAKES_PART_IN": frozenset(("USES_AGENT", "USES_SOLVENT", "TAKES_PART_IN")),
}
"""Claims that a word for a role may belong to."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a question a sentence may repeat.

    Attributes:
        known: All its molecules.
        target: The molecule that is made; None if it names none or several.
        start: The molecule that routes start from.
        steps: The number of reactions of a route.
    """

    known: frozenset[str] = frozenset()
    target: str | None = None
    start: str | None = None
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class ByModel:
    """What a model that has read a sentence says of it besides claims.

    Attributes:
        names: Names of molecules in its claims, in lower case.
        remarks: Words of the sentence that say nothing of the graph.
    """

    names: frozenset[str] = frozenset()
    remarks: Counter[str] = field(default_factory=Counter)


def left_in(
    sentence: Sentence, claims: Sequence[Claim], asked: Asked, by_model: ByModel | None = None
) -> tuple[str, ...]:
    """Return what a sentence says and no claim of it, a few words each.

    These must be in a claim: molecules other than those of the question, numbers other than labels and the
    steps asked for, names of molecules without a SMILES; counts and "only" in a `COUNT` or a denial; a
    denial in a negated claim; "best" in a `BEST_YIELD`; words for roles in a claim of that role. Other
    comparisons, and words such as "same", are not read by rules; a model says if its claims leave them out.
    A heading, a list's introduction or a sentence that repeats the question may name roles and the question's
    molecules.

    Args:
        by_model: What a model says of the sentence; None if rules have read it.
    """
    return tuple(dict.fromkeys(_left(sentence, claims, asked, by_model)))


def _left(
    sentence: Sentence, claims: Sequence[Claim], asked: Asked, by_model: ByModel | None
) -> Iterator[str]:
    tokens = sentence.tokens
    named = {name for claim in claims for name in claim.molecules} | asked.known
    for place, token in enumerate(tokens):
        # "Route II" is no iodine.
        label = token.text == "II" and _is_label(tokens, place, 2)
        if token.kind == "molecule" and token.text not in named and not label:
            yield token.text
    yield from sentence.unreadable
    yield from _MARKUP.findall(sentence.text)
    yield from _numbers(tokens, claims, asked, by_model is not None)
    yield from _names(tokens, named, claims, by_model)
    uncovered = _uncovered(sentence, claims, by_model)
    remarks = Counter(by_model.remarks) if by_model else Counter()
    for place, token in enumerate(tokens):
        kinds = token.kinds | {"denials"} if denies(token) else token.kinds
        if "best_words" in kinds:
            kinds -= {"comparisons", "relations"}
        if "exclusives" in kinds and _is_of_steps(tokens, place, asked):
            kinds -= {"exclusives"}
        if remarks[token.text] > 0:
            remarks[token.text] -= 1
        elif kinds & uncovered:
            yield token.text
    if not (sentence.introduces or sentence.asks):
        # For rules, that a molecule takes part does not say in which role.
        telling = [each for each in claims if by_model is not None or each.predicate != "TAKES_PART_IN"]
        remarked = by_model.remarks if by_model else ()
        yield from _roles([each for each in tokens if each.text not in remarked], telling, asked)


def _uncovered(sentence: Sentence, claims: Sequence[Claim], by_model: ByModel | None) -> set[str]:
    """Return the kinds of words that must be said by a claim, and that no claim of the sentence says."""
    said = {each.predicate for each in claims}
    counts = "COUNT" in said
    higher = "HIGHER_YIELD" in said
    compared = any(each.reactions and each.predicate in COMPARISONS for each in claims)
    denied = any(each.negated or each.besides or _counts_none(each) for each in claims)
    excluded = any(each.negated and each.predicate != "YIELD" for each in claims)
    # "Please do not hesitate to ask." A model says what a denial without an object speaks of.
    harmless = by_model is not None and (counts or needs_no_claim(sentence))
    if by_model is None:
        # "Reaction thirteen", "the first reaction": rules read ids only.
        silent = bool(claims) and not (counts or any(each.reactions for each in claims))
    else:
        # "Nothing else makes it", "hundreds of reactions make it"
        silent = not (claims or by_model.remarks or sentence.introduces or sentence.asks)
    covered = {
        "denials": denied or harmless,
        "exclusives": counts or excluded or compared,
        "best_words": "BEST_YIELD" in said or higher or sentence.asks,
        "below_best": higher,
        "worded_yields": by_model is not None and "YIELD" in said,
        "comparisons": by_model is not None,
        "relations": by_model is not None and not silent,
        "reactions": not silent,
        "several": not silent,
    }
    return {"stray", "doubts", *(kind for kind, is_covered in covered.items() if not is_covered)}


def needs_no_claim(sentence: Sentence) -> bool:
    """Return whether a sentence names nothing that a claim could be about.

    These are molecules, numbers, roles, reactions, routes and yields, and words that stand for them or
    compare them, such as "other" and "better".
    """
    return not any(
        token.kind not in ("word", "verb", "mark") or token.kinds & _SUBJECTS for token in sentence.tokens
    )


def is_untold_route(sentence: Sentence, asked: Asked) -> bool:
    """Return whether all that is said is that an answer about routes does not name their molecules.

    So does ``the precursors are not given``: it says nothing of the graph.
    """
    return (
        asked.steps is not None
        and any(map(denies, sentence.tokens))
        and any("telling" in each.kinds for each in sentence.tokens)
        and all(
            each.kind in ("word", "verb", "mark")
            or (each.kind == "noun" and each.text.lower().startswith(("intermediate", "precursor", "start")))
            for each in sentence.tokens
        )
    )


def called_intermediates(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the molecules that a sentence calls so: ``the intermediates are A``, ``B (intermediate)``."""
    for place, token in enumerate(tokens):
        if token.kind == "noun" and token.text.lower().startswith("intermediate"):
            after = [*takewhile(_is_named_with, tokens[place + 1 :])]
            before = [*takewhile(_is_named_with, reversed(tokens[:place]))]
            linked = any("copulas" in each.kinds or each.text in "([" for each in before)
            named = (*after, *before) if linked else after
            yield from (each.text for each in named if each.kind == "molecule")


def _is_named_with(token: Token) -> bool:
    """Whether it may stand between a noun and a molecule of which it is said."""
    return (
        token.kind == "molecule"
        or bool(token.kinds & {"copulas", "determiners", "lists", "of"})
        or token.text.lower() == "one"
        or (token.kind == "mark" and token.text not in ".;|?")
    )


def _counts_none(claim: Claim) -> bool:
    """Whether a count says that there is none, or no other: one product of a reaction, or one reaction."""
    if claim.predicate != "COUNT":
        return False
    return claim.object == 0 or (claim.object == 1 and claim.role == "PRODUCES" and claim.subject is not None)


def _roles(tokens: Sequence[Token], claims: Sequence[Claim], asked: Asked) -> Iterator[str]:
    named = {token.text for token in tokens if token.kind == "molecule"}
    made = named & asked.known - {asked.start}
    repeated = {"PRODUCES": bool(made), "REACTS_IN": asked.start in named}
    said = {each.predicate for each in claims} | {each.role for each in claims}
    for token in tokens:
        if (
            token.kind == "noun"
            and token.role is not None
            and not (said & _SAYS[token.role] or repeated.get(token.role))
        ):
            yield token.text


def denies(token: Token) -> bool:
    """Return whether a word denies something: ``not``, ``none``, ``is not made``, ``isn't``."""
    text = token.text.lower()
    negated = token.kind == "verb" and any(each in text for each in ("not", "n't", "n\u2019t", " never"))
    return negated or bool(token.kinds & {"negations", "denials"})


def _numbers(tokens: Sequence[Token], claims: Sequence[Claim], asked: Asked, by_model: bool) -> Iterator[str]:
    """Numbers that no claim has, other than labels and the steps asked for, and "several" of nothing."""
    told = [*_told(claims)]
    plain = not any("exclusives" in each.kinds for each in tokens)
    none = by_model and any(each.negated for each in claims)
    many_said = by_model and any((each.steps or 0) > 1 or _counts_many(each) for each in claims)
    items = _items(tokens) if by_model else []
    others = any(each.text.lower() in ("other", "another") for each in tokens)
    for place, token in enumerate(tokens):
        value, worded = value_of(token), "number_words" in token.kinds
        if value is None and "several" not in token.kinds:
            continue
        counted = counted_at(tokens, place)
        own = _listed(claims, counted) if counted or (by_model and worded) else set()
        many = many_said or ((plain or by_model) and max(own, default=0) > 1)
        if "several" in token.kinds and counted is not None and not many:
            yield token.text
        # "One route is …": a model says if it is a count.
        one = by_model and token.text.lower() == "one" and (place == 0 or others)
        if value is not None and not (
            any(abs(up * value - down * each) < _SAME for each in told for up, down in _SCALES)
            or (plain and value in own)
            or (place in items or one or (none and value == 0))
            or (value == asked.steps and _is_of_steps(tokens, place, asked))
            or (worded and _is_pronoun(tokens, place, counted))
            or ((by_model or not worded) and _is_label(tokens, place, value))
        ):
            yield token.text


def _counts_many(claim: Claim) -> bool:
    return claim.predicate == "COUNT" and claim.object != 1


def _items(tokens: Sequence[Token]) -> list[int]:
    """Return the places of numbers of items: ``(1) A, (2) B``."""
    found = [
        place
        for place in range(1, len(tokens) - 1)
        if (tokens[place - 1].text, tokens[place + 1].text) == ("(", ")") and tokens[place].value is not None
    ]
    counts = [tokens[place].value for place in found] == [*range(1, len(found) + 1)]
    return found if counts and len(found) > 1 else []


def _is_of_steps(tokens: Sequence[Token], place: int, asked: Asked) -> bool:
    """Whether words near a place speak of the steps asked for: ``exactly 3 steps``, ``step 1 of 3``."""
    near = tokens[max(0, place - _NEAR) : place + 2 + _NEAR]
    kinds = {kind for each in near for kind in each.kinds}
    counted = "reactions" in kinds and asked.steps in map(value_of, near)
    return asked.steps is not None and ("step_words" in kinds or counted)


def _is_pronoun(tokens: Sequence[Token], place: int, counted: Token | None) -> bool:
    """Whether a number word counts nothing: ``from one reaction to the next``, ``of the two``.

    One before a mark does count: ``there are two, both in water``.
    """
    before = tokens[place - 1].kinds if place else frozenset()
    stands_for = bool(before & {"determiners", "relations", "links", "asks"})
    goes_on = place + 1 < len(tokens) and tokens[place + 1].kind != "mark"
    if tokens[place].text.lower() == "one":
        return counted is None or stands_for
    return counted is None and (goes_on or stands_for)


def _told(claims: Sequence[Claim]) -> Iterator[float]:
    """Yield the numbers of claims."""
    for claim in claims:
        value = claim.object if claim.predicate in ("YIELD", "COUNT") else None
        numbers = (*claim.reactions, value, claim.low, claim.steps, claim.difference)
        yield from (float(each) for each in numbers if isinstance(each, int | float))


def _listed(claims: Sequence[Claim], counted: Token | None) -> set[int]:
    """Return how many reactions or molecules the claims name, of those that a number counts."""
    reactions = {number for claim in claims for number in claim.reactions}
    if counted is not None and "reactions" in counted.kinds:
        return {len(reactions)}
    role = counted.role if counted is not None else None
    found = set() if role else {len(reactions)}
    for each in [role] if role else _SAYS:
        for said in ({each}, _SAYS[each]):
            found.add(len({name for claim in claims if claim.predicate in said for name in claim.molecules}))
    return found - {0}


def value_of(token: Token) -> float | None:
    """Return the value of a number, in digits or in words up to twelve."""
    if "number_words" in token.kinds:
        return float(load_words().numbers[token.text.lower()])
    return token.value


def counted_at(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the word for what a number counts, if it does: ``two known reactions``, ``2-step``."""
    behind = tokens[place].stop
    for token in tokens[place + 1 : place + 1 + _NEAR]:
        if token.text in "*`_" or (token.text == "-" and token.start == behind):
            behind = token.stop
        elif token.kind == "noun" or token.kinds & {"reactions", "routes", "countables", "step_words"}:
            return token
        elif token.kind != "word" or token.kinds & {"copulas", "determiners", "of", "number_words"}:
            return None
    return None


def _is_label(tokens: Sequence[Token], place: int, value: float) -> bool:
    """Whether a number is that of a step, a route or the like: ``Step 2``, ``Route 1:``, ``#1:``, ``1a.``."""
    if value != int(value) or not 0 < value <= _LARGEST_LABEL:
        return False
    before = [each for each in tokens[max(0, place - _NEAR) : place] if each.text not in _QUIET]
    if [each.text.lower() for each in tokens[place + 1 : place + 3]] == ["(", "id"]:
        return True
    if not before:
        after = next((each.text for each in tokens[place + 1 :] if each.text not in "*`_"), "")
        lettered = len(after) == 1 and after.isalpha() and tokens[place + 1].start == tokens[place].stop
        return after in (".", ")") or lettered or (place > 0 and after == ":")
    while before[-1].text.lower() in (":", "no.", "nr.", "number") and len(before) > 1:
        before.pop()
    return "counters" in before[-1].kinds and not before[-1].text.lower().endswith("s")


def _names(
    tokens: Sequence[Token], named: Collection[str], claims: Sequence[Claim], by_model: ByModel | None
) -> Iterator[str]:
    """Names of molecules that no claim is about; one that is not known may have a SMILES beside it.

    If a model has read the sentence, its claims must have as many molecules as there are names that are not
    known: it has said what these are.
    """
    names = load_names()
    molecules = len({name for claim in claims for name in claim.molecules})
    said = 0
    for place, token in enumerate(tokens):
        if "names" not in token.kinds:
            continue
        before, after = tokens[max(0, place - 6) : place], tokens[place + 1 : place + 7]
        beside = (*_without_names(before)[-1:], *_without_names(after)[:1])
        known = () if _is_part(tokens, place) else names.of(token.text)
        of_class = bool(after) and names.classes.fullmatch(after[0].text) is not None
        # "pyridine (CCO)" is false, whatever is claimed of CCO.
        told = set(known) <= set(named) if known else any(each.kind == "molecule" for each in beside)
        if by_model is not None:
            said += not known
            told = told or any(token.text.casefold() in each for each in by_model.names)
            told = told or (not known and said <= molecules)
        if not (told or of_class):
            yield token.text


def _is_part(tokens: Sequence[Token], place: int) -> bool:
    """Whether a name is part of a longer one, such as ``3-methyl-pyridine`` or ``cyclohexane-1,4-dione``."""
    around = [*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2]]
    edges = (tokens[place].start, tokens[place].stop)
    return any(
        each.kind == "mark" and "-" in each.text and {each.start, each.stop}.intersection(edges)
        for each in around
    )


def _without_names(tokens: Sequence[Token]) -> list[Token]:
    return [each for each in tokens if each.kind != "mark" and each.text != "#" and "names" not in each.kinds]
