"""The claims that an extractor lists, sentence by sentence, and what an answer says by them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from retrocypher.kg.claims.claim import Claim, Predicate, Reading, Unread
from retrocypher.kg.claims.coverage import Asked, ByModel, is_untold_route, left_in, needs_no_claim
from retrocypher.kg.claims.sentences import Sentence, Sentences, sentences_of
from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.graph.names import load_names

Role = Literal["reactant", "product", "agent", "solvent"]
_PREDICATES: Mapping[str, Predicate] = {
    "reactant": "REACTS_IN",
    "product": "PRODUCES",
    "agent": "USES_AGENT",
    "solvent": "USES_SOLVENT",
    "route": "LEADS_TO",
    "intermediate": "PRODUCES",
}
_MOST_CHAINS = 1_000
"""Beginnings of chains that are followed."""
Id = Annotated[int, Meta(ge=0, lt=10**9)]
ReactionName = Id | Annotated[str, Meta(max_length=40)] | None
"""An id; else a name of the extractor's own, the same for all claims of that reaction; null for any."""
Smiles = Annotated[str, Meta(min_length=1, max_length=2_000)]
"""A molecule as the answer writes it: its SMILES, a common name (`Names`), or ``name = SMILES``.

The last is for other names without a SMILES in the answer; then the SMILES is what the extractor knows.
"""
_IS = " = "
Percent = Annotated[float, Meta(ge=0, le=10**6)]
Number = Annotated[int, Meta(ge=0, lt=10**9)]
MOST_ENTRIES = 500
"""Claims of one list."""


class Entry(Struct, frozen=True, forbid_unknown_fields=True, tag_field="claim"):
    """What a sentence claims."""

    sentence: Annotated[int, Meta(ge=1, lt=10**9)]


class RoleEntry(Entry, frozen=True, tag="role"):
    """A molecule has a role in a reaction; without molecule, some molecule has.

    Attributes:
        product: Of a reaction without an id, a molecule that it makes.
    """

    role: Role
    molecule: Smiles | None
    reaction: ReactionName
    product: Smiles | None = None
    negated: bool = False


class YieldEntry(Entry, frozen=True, tag="yield"):
    """A reaction has a yield in percent; with ``low``, a range. Negated without a value: none is known."""

    reaction: ReactionName
    value: Percent | None
    low: Percent | None = None
    product: Smiles | None = None
    negated: bool = False


class BestEntry(Entry, frozen=True, tag="best_yield"):
    """No reaction makes the product in a better yield; without product, what the answer speaks of."""

    reaction: ReactionName
    product: Smiles | None = None
    negated: bool = False


class RouteEntry(Entry, frozen=True, tag="route"):
    """The reactions of a route, the first step first."""

    reactions: Annotated[list[Id], Meta(min_length=1, max_length=20)]


class PrecursorEntry(Entry, frozen=True, tag="precursor"):
    """A chain of so many reactions leads from a molecule to a product."""

    molecule: Smiles
    product: Smiles | None = None
    steps: Number | None = None
    negated: bool = False


class CountEntry(Entry, frozen=True, tag="count"):
    """How many there are.

    With ``reaction``: molecules in that role in it. With ``molecule``, or neither: reactions that have it in
    that role, and make ``product``. With the role ``route``: routes of ``steps`` reactions from ``molecule``
    to ``product``. With ``intermediate``, or ``reactant`` and ``steps``: different molecules within such
    routes, or where they begin. What is left out is what the answer speaks of.
    """

    value: Number
    role: Literal["reactant", "product", "agent", "solvent", "route", "intermediate"] | None = None
    reaction: ReactionName = None
    molecule: Smiles | None = None
    product: Smiles | None = None
    steps: Number | None = None


class ListedEntry(Entry, frozen=True, tag="listed"):
    """Reactions or molecules that the answer gives without saying more of them; ``value`` is their number."""

    reactions: Annotated[list[Id], Meta(max_length=500)] = []
    molecules: Annotated[list[Smiles], Meta(max_length=500)] = []
    value: Number | None = None


class HigherEntry(Entry, frozen=True, tag="higher_yield"):
    """A reaction has a higher yield than each of others, ``by`` so many percentage points."""

    reaction: Id
    than: Annotated[list[Id], Meta(min_length=1, max_length=50)]
    by: Percent | None = None
    product: Smiles | None = None
    negated: bool = False


class CommonEntry(Entry, frozen=True, tag="common"):
    """What reactions have in common, in a role or in all: all molecules, some, none, or not all of them.

    Molecules ``besides`` are left aside.
    """

    reactions: Annotated[list[Id], Meta(min_length=2, max_length=20)]
    share: Literal["all", "some", "none", "different"]
    role: Role | None = None
    besides: Annotated[list[Smiles], Meta(max_length=50)] = []


Place = Annotated[int, Meta(ge=-20, le=20)]
"""A step of a route, from 1; from -1 backwards for the last ones."""


class RoutesEntry(Entry, frozen=True, tag="routes"):
    """Routes that have the same reactions in some steps and other ones in some."""

    routes: Annotated[
        list[Annotated[list[Id], Meta(min_length=1, max_length=20)]], Meta(min_length=2, max_length=20)
    ]
    same: Annotated[list[Place], Meta(max_length=20)] = []
    different: Annotated[list[Place], Meta(max_length=20)] = []


class RemarkEntry(Entry, frozen=True, tag="remark"):
    """Words of the sentence that say nothing of molecules, reactions, routes or yields."""

    text: Annotated[str, Meta(min_length=1, max_length=2_000)]


class OtherEntry(Entry, frozen=True, tag="other"):
    """The sentence says something that none of the others can say."""


AnyEntry = (
    RoleEntry
    | YieldEntry
    | BestEntry
    | RouteEntry
    | PrecursorEntry
    | CountEntry
    | ListedEntry
    | HigherEntry
    | CommonEntry
    | RoutesEntry
    | RemarkEntry
    | OtherEntry
)


def entry_of(value: Any, sentences: int) -> AnyEntry:
    """Read one claim strictly; raise ValueError if it is of another form, or of no sentence.

    A claim on a molecule whose name is not known is one that cannot be looked up (`OtherEntry`).
    """
    entry: AnyEntry = msgspec.convert(value, AnyEntry)
    if not 1 <= entry.sentence <= sentences:
        raise ValueError(f"no sentence {entry.sentence}")
    several = isinstance(entry, RoleEntry | ListedEntry | CommonEntry)
    if not all(_molecules(each) if several else _name(each) for each in _written(entry)) or (
        isinstance(entry, RoutesEntry) and not _fits(entry)
    ):
        return OtherEntry(entry.sentence)
    return entry


def _written(entry: AnyEntry) -> list[str]:
    """Return the molecules of a claim as they are written."""
    named = [getattr(entry, name, None) for name in ("molecule", "product")]
    listed = [*getattr(entry, "molecules", ()), *getattr(entry, "besides", ())]
    return [*filter(None, named), *listed]


def _names(entry: ListedEntry) -> list[str | None]:
    return [name for each in entry.molecules for name in _molecules(each)]


def _fits(entry: RoutesEntry) -> bool:
    """Whether all routes have the steps that a claim compares."""
    shortest = min(map(len, entry.routes))
    return all(0 < abs(place) <= shortest for place in (*entry.same, *entry.different))


def claims_form() -> dict[str, Any]:
    """Return the JSON schema of a list of claims, made from the types by which `entry_of` reads each.

    It cannot say which sentences there are, nor what is a SMILES.
    """
    return msgspec.json.schema(Annotated[list[AnyEntry], Meta(max_length=MOST_ENTRIES)])


def reading_of(entries: Sequence[AnyEntry], sentences: Sentences, asked: Asked) -> Reading:
    """Return what an answer says by the claims of an extractor, and which sentences hold more than these."""
    made = {
        entry.reaction: _name(entry.molecule)
        for entry in entries
        if isinstance(entry, RoleEntry)
        and isinstance(entry.reaction, str)
        and entry.role == "product"
        and entry.molecule is not None
        and not entry.negated
    }
    # Of which other claims say in which reaction they have which role.
    told = {
        name
        for entry in entries
        if isinstance(entry, RoleEntry) and not entry.negated and entry.reaction is not None
        for name in _molecules(entry.molecule)
    }
    claims: dict[Claim, None] = {}
    worded: set[Claim] = set()
    reactions: dict[int, None] = {}
    routes: dict[tuple[int, ...], None] = {}
    unread: list[Unread] = []
    answer = "\n".join(each.text for each in sentences.all).casefold()
    for sentence in sentences.all:
        own = [_heard(each, answer) for each in entries if each.sentence == sentence.number]
        stated = [each for each in own if not _is_told(each, own, told)]
        said = [replace(each, sentence=sentence.number) for entry in stated for each in _claims(entry, made)]
        for entry in own:
            if isinstance(entry, RouteEntry):
                routes.setdefault(tuple(entry.reactions))
            elif isinstance(entry, RoutesEntry):
                routes.update(dict.fromkeys(map(tuple, entry.routes)))
            reactions.update(dict.fromkeys(_reactions(entry)))
            if any(_IS in each or load_names().of(each) for each in _written(entry)):
                worded.update(_claims(entry, made))
        later = [each for each in entries if each.sentence > sentence.number]
        named = [
            *_named(entries if sentence.introduces or sentence.asks else own),
            *_told_later(sentence, later),
            *(claim for entry in own if entry not in stated for claim in _claims(entry, made)),
        ]
        names = frozenset(
            each.partition(_IS)[0].casefold() for entry in own for each in _written(entry) if _IS in each
        )
        remarks = _remarks(own, sentence, asked)
        left = left_in(sentence, [*said, *named], asked, ByModel(names, remarks or Counter()))
        if (remarks is None or any(map(_is_other, own))) and not needs_no_claim(sentence):
            left = (*left, "what no claim says")
        if left:
            unread.append(Unread(sentence.number, sentence.text, left))
        claims.update(dict.fromkeys(said))
    routes.update(dict.fromkeys(linked_routes(claims, routes)))
    worded &= claims.keys()
    return Reading(
        tuple(claims), tuple(routes), tuple(reactions), tuple(unread), sentences.whole, frozenset(worded)
    )


def _is_told(entry: AnyEntry, own: Sequence[AnyEntry], told: Collection[str | None]) -> bool:
    """Whether other claims tell what a claim only sums up.

    These are molecules of which all is said elsewhere, and "three of them" where claims of the sentence say
    in which reactions the molecule has the role, and in which it does not.
    """
    if isinstance(entry, ListedEntry):
        return entry.value is not None and set(_names(entry)) <= set(told)
    if not isinstance(entry, CountEntry) or entry.molecule is None:
        return False
    roles = [
        each
        for each in own
        if isinstance(each, RoleEntry) and (each.role, each.molecule) == (entry.role, entry.molecule)
    ]
    return any(each.negated for each in roles) and entry.value == sum(not each.negated for each in roles)


def _heard(entry: AnyEntry, answer: str) -> AnyEntry:
    """Return a claim; `OtherEntry` if it names a molecule by a name that the answer does not have."""
    names = (each.partition(_IS)[0] for each in _written(entry) if _IS in each)
    # "Sodium and chloride ions"
    words = (word.rstrip("s") for each in names for word in each.casefold().split())
    return entry if all(word in answer for word in words) else OtherEntry(entry.sentence)


def _is_other(entry: AnyEntry) -> bool:
    miscounted = isinstance(entry, ListedEntry) and entry.value not in (
        None,
        len({*entry.reactions}),
        len({*entry.molecules}),
    )
    return miscounted or isinstance(entry, OtherEntry)


def _remarks(entries: Sequence[AnyEntry], sentence: Sentence, asked: Asked) -> Counter[str] | None:
    """Count the words in remarks; None if one is not of the sentence, or says something of the graph."""
    words: Counter[str] = Counter()
    for entry in entries:
        if isinstance(entry, RemarkEntry):
            quoted = sentences_of(entry.text).all
            says_nothing = all(needs_no_claim(each) or is_untold_route(each, asked) for each in quoted)
            if " ".join(entry.text.split()) not in sentence.text or not says_nothing:
                return None
            words.update(token.text for each in quoted for token in each.tokens)
    return words


def linked_routes(
    claims: Iterable[Claim], routes: Iterable[tuple[int, ...]] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield the chains outside of all routes: a product of each reaction is a reactant of the next."""
    told = {number for route in routes for number in route}
    makes: dict[int, set[Any]] = {}
    takes: dict[int, set[Any]] = {}
    for claim in claims:
        for number in claim.reactions if not claim.negated else ():
            if claim.predicate == "PRODUCES":
                makes.setdefault(number, set()).add(claim.object)
            elif claim.predicate == "REACTS_IN":
                takes.setdefault(number, set()).add(claim.subject)
    after = {
        one: [other for other in takes if other != one and made & takes[other]] for one, made in makes.items()
    }
    second = {other for others in after.values() for other in others}
    chains: list[tuple[int, ...]] = [(number,) for number in after if number not in second]
    for _ in range(_MOST_CHAINS):
        if not chains:
            return
        chain = chains.pop()
        further = [each for each in after.get(chain[-1], ()) if each not in chain]
        chains += [(*chain, each) for each in further]
        if not further and len(chain) > 1 and not told.issuperset(chain):
            yield chain


def _reactions(entry: AnyEntry) -> list[int]:
    if isinstance(entry, RouteEntry | ListedEntry | CommonEntry):
        return entry.reactions
    if isinstance(entry, HigherEntry):
        return [entry.reaction, *entry.than]
    if isinstance(entry, RoutesEntry):
        return [number for route in entry.routes for number in route]
    reaction = getattr(entry, "reaction", None)
    return [reaction] if isinstance(reaction, int) and not getattr(entry, "negated", False) else []


def _told_later(sentence: Sentence, later: Sequence[AnyEntry]) -> Iterator[Claim]:
    """What accounts for a sentence by the claims of later ones.

    A route that several sentences tell is claimed with the last of them, and what is only listed with the
    sentence that says what it is. A line may go on in the next one.
    """
    if not (sentence.is_list or sentence.is_fragment):
        yield from _named([each for each in later if isinstance(each, RouteEntry)])
        return
    yield from _named(later)
    for entry in later:
        for claim in _claims(entry, {}):
            yield from (Claim(name, "TAKES_PART_IN", None) for name in claim.molecules)


def _named(entries: Sequence[AnyEntry]) -> Iterator[Claim]:
    """What accounts for ids that a sentence only names, or the heading of the sentences that say more."""
    for entry in entries:
        yield from (Claim(None, "TAKES_PART_IN", number) for number in _reactions(entry))
        if isinstance(entry, ListedEntry) and entry.value is not None:
            yield Claim(None, "IS", None, steps=entry.value, besides=tuple(filter(None, _names(entry))))


def _claims(entry: AnyEntry, made: Mapping[Any, str | None]) -> Iterator[Claim]:
    reaction = getattr(entry, "reaction", None)
    number = reaction if isinstance(reaction, int) else None
    product = _name(getattr(entry, "product", None))
    if isinstance(entry, RoleEntry):
        of = product or made.get(reaction) if number is None and entry.role != "product" else None
        predicate = _PREDICATES[entry.role]
        for molecule in _molecules(entry.molecule):
            ends = (molecule, number) if entry.role == "reactant" else (number, molecule)
            yield Claim(ends[0], predicate, ends[1], product=of, negated=entry.negated)
    elif isinstance(entry, YieldEntry):
        of = product or (made.get(reaction) if number is None else None)
        yield Claim(number, "YIELD", entry.value, product=of, low=entry.low, negated=entry.negated)
    elif isinstance(entry, BestEntry):
        yield Claim(number, "BEST_YIELD", product, negated=entry.negated)
    elif isinstance(entry, RouteEntry):
        yield from (Claim(one, "LEADS_TO", other) for one, other in pairwise(entry.reactions))
    elif isinstance(entry, PrecursorEntry):
        yield Claim(_name(entry.molecule), "PRECURSOR_OF", product, steps=entry.steps, negated=entry.negated)
    elif isinstance(entry, CountEntry):
        role = None if entry.role is None else _PREDICATES[entry.role]
        subject = number if number is not None else _name(entry.molecule)
        yield Claim(subject, "COUNT", entry.value, product=product, steps=entry.steps, role=role)
    elif isinstance(entry, ListedEntry):
        listed = (name for each in entry.molecules for name in _molecules(each))
        yield from (Claim(name, "TAKES_PART_IN", None) for name in listed)
    elif isinstance(entry, HigherEntry):
        for other in entry.than:
            yield Claim(
                entry.reaction,
                "HIGHER_YIELD",
                other,
                product=product,
                difference=entry.by,
                negated=entry.negated,
            )
    elif isinstance(entry, CommonEntry):
        yield from _common(entry)
    elif isinstance(entry, RoutesEntry):
        for route in entry.routes:
            yield from (Claim(one, "LEADS_TO", other) for one, other in pairwise(route))
        for places, negated in ((entry.same, False), (entry.different, True)):
            for place in places:
                at = place - 1 if place > 0 else place
                pairs = combinations((route[at] for route in entry.routes), 2)
                yield from (
                    Claim(one, "IS", other, steps=abs(place), negated=negated) for one, other in pairs
                )


def _common(entry: CommonEntry) -> Iterator[Claim]:
    predicate: Predicate = "SAME_MOLECULES" if entry.share in ("all", "different") else "SHARES"
    role = None if entry.role is None else _PREDICATES[entry.role]
    besides = tuple(name for each in entry.besides for name in _molecules(each) if name is not None)
    for one, other in combinations(entry.reactions, 2):
        negated = entry.share in ("none", "different")
        yield Claim(one, predicate, other, role=role, besides=besides, negated=negated)


def _molecules(written: str | None) -> tuple[str | None, ...]:
    """The molecules that are written by SMILES or name: both ions of a salt; None for any molecule."""
    if written is None:
        return (None,)
    name, given, smiles = written.partition(_IS)
    if not given or load_names().of(name):
        return load_names().molecules_of(name)
    # A salt is in the graph as its ions.
    found = tuple(canonical_name(each) for each in smiles.strip().split("."))
    return found if all(found) else ()


def _name(written: str | None) -> str | None:
    """The one molecule that is written; None for any, or where it is two ions."""
    found = _molecules(written)
    return found[0] if len(found) == 1 else None
