"""What a sentence says that its claims do not: a sentence is read whole where nothing is left."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from retrocypher.kg.claims.claim import COMPARISONS, Claim, Predicate
from retrocypher.kg.claims.sentences import Sentence
from retrocypher.kg.claims.tokens import Token
from retrocypher.kg.claims.words import load_words
from retrocypher.kg.graph.molecules import molecule_of
from retrocypher.kg.graph.names import load_names

_QUIET = frozenset("#*`\"'_([{")
_LARGEST_LABEL = 99
_NEAR = 4
_LARGER = 3
"""Atoms that the molecule of a class has at least besides those of the one that the class is named for."""
_BEFORE_PRONOUNS = frozenset(
    (
        *("the", "this", "that", "these", "those", "first", "second", "third", "last", "next", "from"),
        *("further", "other", "another", "which"),
    )
)
_SAME = 0.0005
_SCALES = ((1, 1), (1, 100), (100, 1))
"""A yield may be told in percent, as a fraction of 1, or both."""
_MORE = ("other", "others", "else", "further", "more", "second", "third")
_APART = ("apart from", "other than", "except", "excepting")
_MARKUP = re.compile(r"</?[A-Za-z]\w*|\\\\?[A-Za-z]+\{")
"""Tags and commands, in which molecules are not found."""
_SUBJECTS = frozenset(
    (
        *(
            "reactions",
            "routes",
            "countables",
            "step_words",
            "ordinals",
            "yield_words",
            "worded_yields",
            "names",
        ),
        *("number_words", "several", "exclusives", "best_words", "below_best", "comparisons", "relations"),
        *("co_products", "doubts", "stray"),
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
    named = {name for claim in claims for name in claim.molecules}
    yield from (
        token.text
        for place, token in enumerate(tokens)
        if token.kind == "molecule"
        and token.text not in named
        and token.text not in asked.known
        # "Route II" is no iodine.
        and not (token.text == "II" and _is_label(tokens, place, 2))
    )
    yield from sentence.unreadable
    yield from _MARKUP.findall(sentence.text)
    yield from _numbers(tokens, claims, asked, by_model is not None)
    yield from _names(tokens, named | asked.known, len(named), by_model)
    said = {each.predicate for each in claims}
    compared = {each.predicate for each in claims if each.reactions}
    counts = "COUNT" in said
    denies = any(each.negated or _counts_none(each) for each in claims)
    alike = by_model is not None and "SAME_MOLECULES" in said
    compares = by_model is not None and "HIGHER_YIELD" in said
    best = compares or "BEST_YIELD" in said
    remarks = Counter(by_model.remarks) if by_model else Counter()
    # "Please do not hesitate to ask." A model says what a denial without an object speaks of.
    exempt = by_model is not None and needs_no_claim(sentence)
    # "Reaction thirteen", "the first reaction": rules read ids only.
    unnamed = by_model is None and bool(claims) and not any(each.reactions for each in claims)
    # "Nothing else makes it", "hundreds of reactions make it"
    silent = by_model is not None and not (claims or remarks or sentence.introduces or sentence.asks)
    for place, token in enumerate(tokens):
        kinds = token.kinds
        if remarks[token.text] > 0:
            remarks[token.text] -= 1
        elif (
            (
                _denies(token)
                and not (alike and token.text.lower() in _APART)
                and not (denies or exempt or (counts and by_model))
            )
            or (
                "exclusives" in kinds
                and not (counts or denies or _of_steps(tokens, place, asked) or _of_yield(tokens, place))
                and not (by_model and compared.intersection(COMPARISONS))
            )
            or ("best_words" in kinds and not (best or sentence.asks or _is_farewell(tokens)))
            or (kinds & {"comparisons", "relations"} and "best_words" not in kinds and not by_model)
            or (silent and kinds & {"reactions", "relations", "several"})
            or (unnamed and token.text.lower() in ("reaction", "both", "all"))
            or ("below_best" in kinds and not compares)
            or ("worded_yields" in kinds and not (by_model and "YIELD" in said))
            or "stray" in kinds
            or "doubts" in kinds
        ):
            yield token.text
    if not (sentence.introduces or sentence.asks):
        # For rules, that a molecule takes part does not say in which role.
        telling = [each for each in claims if by_model is not None or each.predicate != "TAKES_PART_IN"]
        remarked = by_model.remarks if by_model else ()
        yield from _roles([each for each in tokens if each.text not in remarked], telling, asked)


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
        and any(map(_denies, sentence.tokens))
        and load_words().telling.search(sentence.text) is not None
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


def _is_farewell(tokens: Sequence[Token]) -> bool:
    """Whether it is a closing such as ``Best, Ana``."""
    return (
        len(tokens) in (2, 3)
        and tokens[1].text == ","
        and all(each.kind in ("word", "mark") for each in tokens)
    )


def _denies(token: Token) -> bool:
    text = token.text.lower()
    negated = token.kind == "verb" and (" not" in text or "n't" in text or "n\u2019t" in text)
    return negated or bool(token.kinds & {"negations", "denials"})


def _numbers(tokens: Sequence[Token], claims: Sequence[Claim], asked: Asked, by_model: bool) -> Iterator[str]:
    told = list(_told(claims))
    ranges = [
        (each.low, each.object)
        for each in claims
        if each.low is not None and isinstance(each.object, int | float)
    ]
    listed = _listed(claims)
    plain = not any("exclusives" in each.kinds for each in tokens)
    none = by_model and any(each.negated for each in claims)
    bracketed = [place for place in range(1, len(tokens) - 1) if _is_bracketed(tokens, place)]
    counts_items = [tokens[place].value for place in bracketed] == [*range(1, len(bracketed) + 1)]
    items = bracketed if by_model and counts_items and len(bracketed) > 1 else []
    many = any((each.steps or 0) > 1 or (each.predicate == "COUNT" and each.object != 1) for each in claims)
    for place, token in enumerate(tokens):
        worded, value = "number_words" in token.kinds, value_of(token)
        counted = counted_at(tokens, place)
        own = _counted_as(counted, listed) if counted or (by_model and worded) else frozenset()
        after = tokens[place + 1].text.lower().split()[0] if place + 1 < len(tokens) else ""
        if (
            "several" in token.kinds
            and counted is not None
            and not (
                _is_own(own, plain) or (by_model and (many or (token.text.lower() == "both" and 2 in own)))
            )
        ):
            yield token.text
        if value is None or (worded and _is_pronoun(tokens, place, counted)):
            continue
        if by_model and token.text.lower() == "one" and _one_of_two(tokens, place):
            continue
        if any(abs(one * value - other * each) < _SAME for each in told for one, other in _SCALES):
            continue
        # "Five other reactions" besides one are a count of six.
        if (after in _MORE and value + 1 in told) or (none and value == 0) or place in items:
            continue
        if any(low - _SAME <= value <= high + _SAME for low, high in ranges):
            continue
        if asked.steps == value and (
            (counted is not None and counted.kinds & {"step_words", "reactions"})
            or _is_of_steps(tokens, place)
        ):
            continue
        if plain and value in own:
            continue
        if (by_model or not worded) and _is_label(tokens, place, value):
            continue
        # "One route is …", "Card 1: …": a model says if it is a count.
        if by_model and ((place == 0 and token.text == "One") or _begins_section(tokens, place)):
            continue
        yield token.text


def _is_bracketed(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place - 1].text == "(" and tokens[place + 1].text == ")"


def _is_of_steps(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number stands behind the word for what it counts: ``"steps": 3``, ``step 1 of 3``."""
    before = [each for each in tokens[max(0, place - _NEAR) : place] if each.text not in _QUIET | {":"}]
    if len(before) > 1 and before[-1].text in ("of", "/") and before[-2].kind == "number":
        before = before[:-2]
    return any(each.kinds & {"step_words", "counters"} for each in before[-2:])


def _is_pronoun(tokens: Sequence[Token], place: int, counted: Token | None) -> bool:
    """Whether a number word counts nothing: ``from one reaction to the next``, ``of the two``.

    One before a mark does count: ``there are two, both in water``.
    """
    stands_for = place > 0 and tokens[place - 1].text.lower() in _BEFORE_PRONOUNS
    if tokens[place].text.lower() == "one":
        return counted is None or stands_for
    goes_on = place + 1 < len(tokens) and tokens[place + 1].kind != "mark"
    return counted is None and (goes_on or stands_for)


def _one_of_two(tokens: Sequence[Token], place: int) -> bool:
    """Whether "one" stands beside "the other": ``a reactant in one reaction and an agent in the other``."""
    return any(each.text.lower() in ("other", "another") for each in tokens[place + 2 :])


def _told(claims: Sequence[Claim]) -> Iterator[float]:
    for claim in claims:
        yield from map(float, claim.reactions)
        if claim.predicate in ("YIELD", "COUNT") and isinstance(claim.object, int | float):
            yield float(claim.object)
        if claim.low is not None:
            yield claim.low
        if claim.steps is not None:
            yield float(claim.steps)
        if claim.difference is not None:
            yield claim.difference


def _listed(claims: Sequence[Claim]) -> Mapping[Predicate, frozenset[float]]:
    """How many molecules the claims of a sentence name, by role, and by `COUNT` how many reactions."""
    by_role: dict[str, set[str]] = {}
    for claim in claims:
        by_role.setdefault(claim.predicate, set()).update(claim.molecules)
    sizes: dict[Predicate, set[int]] = {
        role: {len(by_role.get(role, ())), len(set().union(*(by_role.get(each, ()) for each in said)))}
        for role, said in _SAYS.items()
    }
    sizes["COUNT"] = {len({number for claim in claims for number in claim.reactions})}
    return {role: frozenset(map(float, each - {0})) for role, each in sizes.items()}


def _counted_as(counted: Token | None, listed: Mapping[Predicate, frozenset[float]]) -> frozenset[float]:
    """Return which numbers of what is counted, or of anything, the claims of a sentence account for."""
    if counted is not None and "reactions" in counted.kinds:
        return listed["COUNT"]
    if counted is not None and counted.role is not None and counted.role in listed:
        return listed[counted.role]
    return frozenset().union(*listed.values())


def _is_own(own: Collection[float], plain: bool) -> bool:
    return plain and any(each > 1 for each in own)


def value_of(token: Token) -> float | None:
    """Return the value of a number, in digits or in words up to twelve."""
    if "number_words" in token.kinds:
        return float(load_words().numbers[token.text.lower()])
    return token.value


def counted_at(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the word for what a number counts, if it does: ``two known reactions``, ``2-step``."""
    behind = tokens[place].stop
    for at, token in enumerate(tokens[place + 1 : place + 1 + _NEAR], place + 1):
        if token.text in "*`_" or (token.text == "-" and token.start == behind):
            behind = token.stop
            continue
        if token.kind == "noun" or token.kinds & {"reactions", "routes", "countables", "step_words"}:
            return token
        if token.kind != "word" or token.kinds & {"copulas", "determiners", "of"}:
            return None
        if value_of(token) is not None and not any(
            "step_words" in each.kinds for each in tokens[at + 1 : at + 3]
        ):
            return None
    return None


def _of_steps(tokens: Sequence[Token], place: int, asked: Asked) -> bool:
    """Whether "exactly" speaks of the steps that were asked for, or "total" of a length."""
    after = tokens[place + 1 : place + 2 + _NEAR]
    of_all = any(
        value_of(each) == asked.steps and other.kinds & {"reactions"} for each, other in pairwise(after)
    )
    return asked.steps is not None and (of_all or any("step_words" in each.kinds for each in after))


def _of_yield(tokens: Sequence[Token], place: int) -> bool:
    """Whether "only" says that a yield is low: ``only reaches 40 %``, ``40 % only``."""
    near = [each for each in tokens[max(0, place - 2) : place] if each.text != "%"][-1:]
    return any(each.kind in ("percent", "yield") for each in (*near, *tokens[place + 1 : place + _NEAR]))


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
    numbered = before[-1].text.lower() in ("no.", "nr.")
    while before[-1].text.lower() in (":", "no.", "nr.", "number") and len(before) > 1:
        before.pop()
    if numbered and (before[-1].kind == "noun" or before[-1].kinds & {"countables", "step_words"}):
        return True
    return "counters" in before[-1].kinds and not before[-1].text.lower().endswith("s")


def _begins_section(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number is that of a section at the beginning of a sentence: ``2.1 Routes``, ``Card 1: …``."""
    value, after = tokens[place].value, "".join(each.text for each in tokens[place + 1 : place + 2])
    if value is None or value > _LARGEST_LABEL or place > 1 or not after:
        return False
    if place:
        return tokens[0].kind == "word" and not tokens[0].kinds and after in ":.\u2013\u2014-"
    return after[0].isupper() and (value != int(value) or counted_at(tokens, 0) is None)


def _names(
    tokens: Sequence[Token], named: Collection[str], molecules: int, by_model: ByModel | None
) -> Iterator[str]:
    """Names of molecules that no claim is about; one that is not known may have a SMILES beside it.

    If a model has read the sentence, its claims must have as many molecules as there are names that are not
    known: it has said what these are.
    """
    names = load_names()
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
            told = told or (said <= molecules if not known else _is_kind(tokens, place, known, named))
        if not (told or of_class):
            yield token.text


def _is_kind(tokens: Sequence[Token], place: int, known: Sequence[str], named: Collection[str]) -> bool:
    """Whether a name stands for a larger molecule that contains it: ``the aniline Nc1cc(O)c(Cl)cc1F``.

    That is the molecule right behind it; or, of the name of a ring behind "the", one of a claim.
    """
    small = molecule_of(known[0])
    beside = [each.text for each in tokens[place + 1 : place + 3] if each.kind == "molecule"]
    the = any("determiners" in each.kinds for each in tokens[max(0, place - 2) : place])
    of_claims = named if the and small.GetRingInfo().NumRings() else ()
    return len(known) == 1 and any(
        each.GetNumAtoms() >= small.GetNumAtoms() + _LARGER and each.HasSubstructMatch(small)
        for each in map(molecule_of, beside or of_claims)
    )


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
