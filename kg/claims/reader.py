"""Reading the claims of an answer by rules: ids, SMILES and numbers near words for roles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from retrocypher.kg.claims.claim import ROLE_PREDICATES, Claim, Predicate, Reading, Unread
from retrocypher.kg.claims.coverage import Asked, counted_at, left_in, value_of
from retrocypher.kg.claims.numbers import (
    QUIET,
    Group,
    classified,
    groups_in,
    is_inexact,
    is_route,
    is_untold,
    step_of,
)
from retrocypher.kg.claims.sentence import Part, Roles, SentenceRoles
from retrocypher.kg.claims.sentences import Sentence, Sentences
from retrocypher.kg.claims.tokens import Token

_MOST_TOKENS = 1_000
_NOT_READ = frozenset(
    ("respectively", "unlike", "rather than", "instead of", "neither", "except", "former", "latter")
)
_RELATIVE = frozenset(("which", "whose", "whom"))
_SOLE = frozenset(("only", "sole"))
_ALL = frozenset(("both", "each", "all"))
_PRONOUNS = ("it", "its", "this", "that", "here", "there", "both", "these")


@dataclass(slots=True)
class Mention:
    """A reaction where an answer names it.

    Attributes:
        follows: Whether the text says that it follows the one before.
        route: Whether it stands in the list of a route.
        takes: The reactants that are named with it, and ``makes`` the products.
    """

    reaction: int
    follows: bool
    route: bool
    takes: set[str] = field(default_factory=set)
    makes: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Context:
    """What the sentences before were about.

    Attributes:
        scope: The reactions named last, and the block and depth where they were named.
        role: The role of what a list gives, and its depth.
        listing: Whether ids follow.
    """

    scope: list[int] = field(default_factory=list)
    block: int = -1
    depth: int = 0
    is_heading: bool = False
    role: Predicate | None = None
    role_depth: int = 0
    listing: bool = False


class Reader:
    """Reads the sentences of one answer in order.

    Args:
        asked: What the answer may repeat of its question.
        routes: Whether the question asks for routes.
    """

    def __init__(self, asked: Asked, *, routes: bool) -> None:
        self._asked = asked
        self._routes_asked = routes
        self._context = Context()
        self._claims: dict[Claim, None] = {}
        self._reactions: dict[int, None] = {}
        self._mentions: list[Mention] = []
        self._of_all = False
        self._sole: list[int] = []
        self._unread: list[Unread] = []

    def read(self, sentences: Sentences) -> Reading:
        """Return what the answer says."""
        read = [(each, classified(each.tokens[:_MOST_TOKENS])) for each in sentences.all]
        named = {token.whole for _, tokens in read for token in tokens if token.kind == "reaction"}
        self._sole = [each for each in named if each is not None and len(named) == 1]
        for sentence, tokens in read:
            self._sentence(sentence, tokens)
        routes = tuple(dict.fromkeys(self._follow())) if self._routes_asked else ()
        for route in routes:
            self._claims.update((Claim(one, "LEADS_TO", other), None) for one, other in pairwise(route))
        whole = sentences.whole and all(len(each.tokens) <= _MOST_TOKENS for each in sentences.all)
        return Reading(tuple(self._claims), routes, tuple(self._reactions), tuple(self._unread), whole)

    def _sentence(self, sentence: Sentence, tokens: list[Token]) -> None:
        context = self._context
        self._leave(sentence)
        if context.listing:
            tokens = classified(sentence.tokens[:_MOST_TOKENS], listing=True)
        groups = groups_in(tokens)
        told = Roles(tokens, context.role).read()
        is_read = not _is_not_read(tokens, groups)
        said_here = self._said(tokens, groups, told, is_read=is_read)
        claims = [replace(each, sentence=sentence.number) for each in said_here]
        ids = [number for group in groups for number in group.ids if group.first not in told.denied]
        if is_read:
            self._reactions.update(dict.fromkeys(ids))
        self._claims.update(dict.fromkeys(claims))
        self._mention(tokens, groups, claims)
        said = [*claims, *(Claim(None, "TAKES_PART_IN", number) for number in ids)]
        left = left_in(sentence, said, self._asked)
        unknown = any(each.kind == "word" and not each.kinds for each in tokens)
        if ids and unknown and not claims and sentence.kind != "heading" and not sentence.introduces:
            # What it says of these reactions and a molecule of the question, no rule knows.
            names = (each.text for each in tokens if each.kind == "molecule")
            left = (*left, *(name for name in names if name not in left))
        if left:
            self._unread.append(Unread(sentence.number, sentence.text, left))
        self._remember(sentence, tokens, groups, told)

    def _leave(self, sentence: Sentence) -> None:
        """Forget what a new block is no longer about."""
        context = self._context
        moved = sentence.paragraph != context.block
        deeper = sentence.depth > context.depth or context.is_heading
        goes_on = sentence.kind == "text" and sentence.tokens[0].text.lower() in _PRONOUNS
        if moved and not deeper and not goes_on:
            context.scope = []
        if (
            sentence.kind == "heading"
            or (sentence.depth < context.role_depth)
            or (sentence.kind == "text" and moved and sentence.depth == 0 and context.role_depth > 0)
        ):
            context.role, context.listing = None, False

    def _remember(
        self, sentence: Sentence, tokens: Sequence[Token], groups: Sequence[Group], told: SentenceRoles
    ) -> None:
        context = self._context
        if groups:
            context.scope = groups[-1].ids
            context.block, context.depth = sentence.paragraph, sentence.depth
            lone = all(each.kind in ("reaction", "mark") or "reactions" in each.kinds for each in tokens)
            context.is_heading = sentence.kind == "heading" or lone
        if sentence.introduces:
            kinds = {kind for token in tokens for kind in token.kinds}
            context.role = told.pending
            context.role_depth = sentence.depth + 1
            context.listing = bool(kinds & {"reactions", "routes"}) and not groups
            context.block = sentence.paragraph if context.scope else context.block

    def _said(
        self, tokens: list[Token], groups: list[Group], told: SentenceRoles, *, is_read: bool
    ) -> Iterator[Claim]:
        self._of_all = any(token.text.lower() in _ALL for token in tokens)
        yield from self._counts(tokens, groups)
        arrows = list(along_arrows(tokens))
        if arrows:
            yield from arrows
            return
        if not is_read:
            return
        for part in told.parts:
            yield from self._part(part, tokens, groups, told)
        for role, place in told.empty:
            scope = self._scope(place, groups) or []
            if "co_products" in tokens[place].kinds:
                yield from (Claim(number, "COUNT", 1, role=role) for number in scope)
            else:
                yield from (Claim(number, role, None, negated=True) for number in scope)
        for place, token in enumerate(tokens):
            if token.kind == "yield":
                yield from self._yield(place, tokens, groups, negated=place in told.denied)
            elif is_untold(tokens, place):
                scope = self._scope(place, groups) or []
                yield from (Claim(each, "YIELD", None, negated=True) for each in scope)
            elif "best_words" in token.kinds and "below_best" not in token.kinds:
                scope = self._scope(place, groups) or []
                denied = place in told.denied
                if len(scope) == 1:
                    yield Claim(scope[0], "BEST_YIELD", self._asked.target, negated=denied)

    def _scope(self, place: int, groups: Sequence[Group]) -> list[int] | None:
        """Return the reactions that something in a sentence belongs to; None where that is not clear."""
        if not groups:
            return self._context.scope or self._sole
        if len(groups) == 1:
            return groups[0].ids
        if self._of_all:
            return [number for group in groups for number in group.ids]
        if all(group.aside for group in groups):
            return next((group.ids for group in groups if group.first > place), None)
        if not any(group.aside for group in groups):
            before = [group for group in groups if group.last < place]
            return before[-1].ids if before else None
        return None

    def _part(
        self, part: Part, tokens: Sequence[Token], groups: Sequence[Group], told: SentenceRoles
    ) -> Iterator[Claim]:
        name, role = part.token.text, part.role
        if groups and any(group.linked for group in groups):
            return
        scope = self._scope(part.place, groups)
        reacting = any(each.role == "REACTS_IN" for each in told.parts)
        general = any("precursor" in each.text.lower() for each in tokens)
        if not groups and reacting and (general or not self._context.scope):
            # "The precursors are A and B" may speak of more than the one reaction that the answer names.
            scope = []
        if scope is None:
            return
        denied = part.negated or any(group.first in told.denied for group in groups)
        if not scope:
            yield from self._unnamed(part, tokens, told)
        elif role is not None:
            if self._routes_asked and len(scope) > 1:
                scope = []
            for number in scope:
                ends = (name, number) if role in ("REACTS_IN", "TAKES_PART_IN") else (number, name)
                yield Claim(ends[0], role, ends[1], negated=denied)

    def _unnamed(self, part: Part, tokens: Sequence[Token], told: SentenceRoles) -> Iterator[Claim]:
        """A molecule where no reaction is named: it belongs to one that makes what is spoken of."""
        name, role = part.token.text, part.role or "TAKES_PART_IN"
        # Of a route, it is not clear which reactions a denial is about.
        if name in self._asked.known or tokens[-1].text == ":" or (part.negated and self._routes_asked):
            return
        if role == "PRODUCES":
            yield Claim(None, role, name, negated=part.negated)
            return
        made = [each for each in told.parts if each.role == "PRODUCES" and not each.negated]
        after = [each for each in made if each.place > part.place]
        # What is denied may speak of any reaction.
        meant = None if part.negated else self._asked.target
        product = (after or made)[0].token.text if made else meant
        ends = (name, None) if role in ("REACTS_IN", "TAKES_PART_IN") else (None, name)
        yield Claim(ends[0], role, ends[1], product=product, negated=part.negated)

    def _is_route(self, tokens: Sequence[Token], group: Group) -> bool:
        """Whether reactions named together are a route: called one, or as many as the steps asked for."""
        as_asked = self._routes_asked and self._asked.steps == len(group.ids) > 1
        return as_asked or is_route(tokens, group)

    def _yield(
        self, place: int, tokens: Sequence[Token], groups: Sequence[Group], *, negated: bool
    ) -> Iterator[Claim]:
        value, scope = tokens[place].value, self._scope(place, groups)
        if value is not None and scope and len(scope) == 1 and not is_inexact(tokens, place):
            share = value <= 1 and "percents" not in tokens[place].kinds
            yield Claim(scope[0], "YIELD", value, share=share, negated=negated)

    def _counts(self, tokens: Sequence[Token], groups: Sequence[Group]) -> Iterator[Claim]:
        """What a sentence counts: ``7 reactions``, ``two solvents``."""
        for place, token in enumerate(tokens):
            counted = counted_at(tokens, place)
            negated = place > 0 and tokens[place - 1].text.lower() == "not"
            value = 1.0 if token.text.lower() in _SOLE and not negated else value_of(token)
            if value is None or counted is None or token.kind in ("reaction", "yield", "percent"):
                continue
            number = int(value)
            if counted.kind == "noun" and counted.role in ROLE_PREDICATES:
                scope = self._scope(place, groups)
                if scope and (len(scope) == 1 or self._of_all):
                    yield from (Claim(each, "COUNT", number, role=counted.role) for each in scope)
            elif "routes" in counted.kinds and self._routes_asked:
                yield Claim(None, "COUNT", number, role="LEADS_TO")
            elif "reactions" in counted.kinds and not self._routes_asked:
                others = [
                    each for each in tokens if each.kind == "molecule" and each.text not in self._asked.known
                ]
                if not others:
                    yield Claim(None, "COUNT", number)

    def _mention(self, tokens: Sequence[Token], groups: Sequence[Group], claims: Sequence[Claim]) -> None:
        """Take in the reactions of a sentence in their order, with what it says of them."""
        first = next((each for each in tokens if each.text not in QUIET), None)
        goes_on = (step_of(tokens) or 0) > 1 or (first is not None and "links" in first.kinds)
        lone = all(each.kind in ("reaction", "mark") for each in tokens)
        for place, group in enumerate(groups):
            route = self._is_route(tokens, group)
            for turn, number in enumerate(group.ids):
                follows = route if turn else (group.linked or (place == 0 and goes_on))
                self._mentions.append(Mention(number, follows, route or lone))
        for claim in claims:
            found = [each for each in self._mentions if each.reaction in claim.reactions][-1:]
            for mention in found:
                if claim.predicate == "REACTS_IN" and not claim.negated:
                    mention.takes.add(str(claim.subject))
                elif claim.predicate == "PRODUCES" and not claim.negated:
                    mention.makes.add(str(claim.object))

    def _follow(self) -> Iterator[tuple[int, ...]]:
        """The routes: a reaction follows the one before if the text says so, or takes up what that makes."""
        chains: list[list[Mention]] = []
        for mention in self._mentions:
            last = chains[-1][-1] if chains else None
            if last is not None and (mention.follows or last.makes & mention.takes):
                chains[-1].append(mention)
            else:
                chains.append([mention])
        # A reaction with its reactants and products, or alone in a list or line, is a route of one step.
        for chain in chains:
            first = chain[0]
            if len(chain) > 1 or first.route or (first.takes and first.makes):
                yield tuple(each.reaction for each in chain)


def _is_not_read(tokens: Sequence[Token], groups: Sequence[Group]) -> bool:
    """Whether words join the parts of a sentence in a way that no rule follows."""
    words = {token.text.lower() for token in tokens}
    return bool(words & _NOT_READ or (len(groups) > 1 and words & _RELATIVE))


def along_arrows(tokens: Sequence[Token]) -> Iterator[Claim]:
    """Yield the claims of a chain of arrows, ``A → (reaction 12) → B → C (reaction 13)``."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "arrow":
            parts.append([])
        else:
            parts[-1].append(token)
    if any(each.text == ";" for part in parts for each in part):
        return
    names = [[each.text for each in part if each.kind == "molecule"] for part in parts]
    ids = [[each.whole for each in part if each.kind == "reaction"] for part in parts]
    if len(parts) < 3 or any(len(each) > 1 for each in ids):
        return
    for place in range(1, len(parts)):
        number = ids[place][0] if ids[place] else None
        if number is None:
            continue
        after = names[place] or (names[place + 1] if place + 1 < len(parts) else [])
        yield from (Claim(name, "REACTS_IN", number) for name in names[place - 1])
        yield from (Claim(number, "PRODUCES", name) for name in after)


def read_answer(sentences: Sentences, asked: Asked, *, routes: bool = False) -> Reading:
    """Read what an answer says of the graph, by its words alone.

    Args:
        sentences: Those of the answer.
        asked: What the answer may repeat of its question. What reacts without the id of a reaction reacts in
            one that makes its target.
        routes: Whether the question asks for routes.
    """
    return Reader(asked, routes=routes).read(sentences)
