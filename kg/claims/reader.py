"""Reading the claims of an answer by rules: ids, SMILES and numbers near words for roles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from retrocypher.kg.claims.claim import ROLE_PREDICATES, Claim, Predicate, Reading, Unread
from retrocypher.kg.claims.coverage import Asked, counted_at, left_in, value_of
from retrocypher.kg.claims.sentence import (
    QUIET,
    Group,
    Part,
    Roles,
    SentenceRoles,
    classified,
    groups_in,
    is_inexact,
)
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
    """

    scope: list[int] = field(default_factory=list)
    block: int = -1
    depth: int = 0
    is_heading: bool = False
    role: Predicate | None = None
    role_depth: int = 0


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
        self._tokens: list[Token] = []
        self._groups: list[Group] = []
        self._told = SentenceRoles()
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
        routes = tuple(dict.fromkeys(self._routes())) if self._routes_asked else ()
        for route in routes:
            self._claims.update((Claim(one, "LEADS_TO", other), None) for one, other in pairwise(route))
        whole = sentences.whole and all(len(each.tokens) <= _MOST_TOKENS for each in sentences.all)
        return Reading(tuple(self._claims), routes, tuple(self._reactions), tuple(self._unread), whole)

    def _sentence(self, sentence: Sentence, tokens: list[Token]) -> None:
        self._leave(sentence)
        groups = groups_in(tokens)
        told = Roles(tokens, self._context.role).read()
        self._tokens, self._groups, self._told = tokens, groups, told
        self._of_all = any(token.text.lower() in _ALL for token in tokens)
        is_read = not _is_not_read(tokens, groups)
        claims = [replace(each, sentence=sentence.number) for each in self._said(is_read=is_read)]
        ids = [number for group in groups for number in group.ids if group.first not in told.denied]
        if is_read:
            self._reactions.update(dict.fromkeys(ids))
            self._mention(claims)
        else:
            ids = []
        self._claims.update(dict.fromkeys(claims))
        said = [*claims, *(Claim(None, "TAKES_PART_IN", number) for number in ids)]
        left = left_in(sentence, said, self._asked)
        unknown = any(each.kind == "word" and not each.kinds for each in tokens)
        if ids and unknown and not claims and sentence.kind != "heading" and not sentence.introduces:
            # What it says of these reactions and a molecule of the question, no rule knows.
            left = (*left, *(each.text for each in tokens if each.kind == "molecule"))
        if left:
            self._unread.append(Unread(sentence.number, sentence.text, left))
        self._remember(sentence)

    def _leave(self, sentence: Sentence) -> None:
        """Forget what a new block is no longer about."""
        context = self._context
        deeper = sentence.depth > context.depth or context.is_heading
        goes_on = sentence.kind == "text" and sentence.tokens[0].text.lower() in _PRONOUNS
        if sentence.paragraph != context.block and not deeper and not goes_on:
            context.scope = []
        if sentence.kind == "heading" or sentence.depth < context.role_depth:
            context.role = None

    def _remember(self, sentence: Sentence) -> None:
        context = self._context
        if self._groups:
            context.scope = self._groups[-1].ids
            context.block, context.depth = sentence.paragraph, sentence.depth
            context.is_heading = sentence.kind == "heading" or sentence.is_list
        if sentence.introduces:
            context.role = self._told.pending
            context.role_depth = sentence.depth + 1
            context.block = sentence.paragraph if context.scope else context.block

    def _said(self, *, is_read: bool) -> Iterator[Claim]:
        yield from self._counts()
        along = list(along_arrows(self._tokens))
        yield from along
        if along or not is_read:
            return
        for part in self._told.parts:
            yield from self._part(part)
        for role, place in self._told.empty:
            co_products = "co_products" in self._tokens[place].kinds
            for number in self._scope(place) or []:
                none = Claim(number, role, None, negated=True)
                yield Claim(number, "COUNT", 1, role=role) if co_products else none
        for place, token in enumerate(self._tokens):
            scope = self._scope(place) if token.kind == "yield" or "best_words" in token.kinds else None
            if scope is None or len(scope) != 1:
                continue
            denied = place in self._told.denied
            if token.kind != "yield" and "below_best" not in token.kinds:
                yield Claim(scope[0], "BEST_YIELD", self._asked.target, negated=denied)
            elif token.value is not None and not is_inexact(self._tokens, place):
                share = token.value <= 1 and "percents" not in token.kinds
                yield Claim(scope[0], "YIELD", token.value, share=share, negated=denied)

    def _scope(self, place: int) -> list[int] | None:
        """Return the reactions that something in a sentence belongs to; None where that is not clear."""
        groups = self._groups
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

    def _part(self, part: Part) -> Iterator[Claim]:
        name, role, groups, told = part.token.text, part.role, self._groups, self._told
        if groups and any(group.linked for group in groups):
            return
        scope = self._scope(part.place)
        reacting = any(each.role == "REACTS_IN" for each in told.parts)
        if not groups and reacting and not self._context.scope:
            # "The precursors are A and B" may speak of more than the one reaction that the answer names.
            scope = []
        if scope is None:
            return
        denied = part.negated or any(group.first in told.denied for group in groups)
        if not scope:
            yield from self._unnamed(part)
        elif role is not None:
            if self._routes_asked and len(scope) > 1:
                scope = []
            for number in scope:
                ends = (name, number) if role in ("REACTS_IN", "TAKES_PART_IN") else (number, name)
                yield Claim(ends[0], role, ends[1], negated=denied)

    def _unnamed(self, part: Part) -> Iterator[Claim]:
        """A molecule where no reaction is named: it belongs to one that makes what is spoken of."""
        name, role = part.token.text, part.role or "TAKES_PART_IN"
        # Of a route, it is not clear which reactions a denial is about.
        if name in self._asked.known or self._tokens[-1].text == ":" or (part.negated and self._routes_asked):
            return
        if role == "PRODUCES":
            yield Claim(None, role, name, negated=part.negated)
            return
        made = [each.token.text for each in self._told.parts if each.role == "PRODUCES" and not each.negated]
        # What is denied may speak of any reaction.
        product = made[0] if made else None if part.negated else self._asked.target
        ends = (name, None) if role in ("REACTS_IN", "TAKES_PART_IN") else (None, name)
        yield Claim(ends[0], role, ends[1], product=product, negated=part.negated)

    def _counts(self) -> Iterator[Claim]:
        """What a sentence counts: ``7 reactions``, ``two solvents``."""
        tokens = self._tokens
        others = any(each.kind == "molecule" and each.text not in self._asked.known for each in tokens)
        for place, token in enumerate(tokens):
            counted = counted_at(tokens, place)
            negated = place > 0 and tokens[place - 1].text.lower() == "not"
            value = 1.0 if token.text.lower() in _SOLE and not negated else value_of(token)
            if value is None or counted is None or token.kind in ("reaction", "yield", "percent"):
                continue
            number = int(value)
            if counted.kind == "noun" and counted.role in ROLE_PREDICATES:
                scope = self._scope(place)
                if scope and (len(scope) == 1 or self._of_all):
                    yield from (Claim(each, "COUNT", number, role=counted.role) for each in scope)
            elif "routes" in counted.kinds and self._routes_asked:
                yield Claim(None, "COUNT", number, role="LEADS_TO")
            elif "reactions" in counted.kinds and not (self._routes_asked or others):
                yield Claim(None, "COUNT", number)

    def _mention(self, claims: Sequence[Claim]) -> None:
        """Take in the reactions of a sentence in their order, with what it says of them."""
        plain = [each for each in self._tokens if each.text not in QUIET and each.text not in ":|"]
        steps = [
            other.whole or 0
            for one, other in pairwise(plain)
            if "step_words" in one.kinds and not one.text.lower().endswith("s")
        ]
        goes_on = steps[:1] > [1] or (bool(plain) and "links" in plain[0].kinds)
        lone = all(each.kind in ("reaction", "mark") for each in self._tokens)
        for place, group in enumerate(self._groups):
            route = self._is_route(group)
            for turn, number in enumerate(group.ids):
                follows = route if turn else (group.linked or (place == 0 and goes_on))
                self._mentions.append(Mention(number, follows, route or lone))
        latest = {each.reaction: each for each in self._mentions}
        for claim in claims:
            if claim.predicate == "REACTS_IN" and claim.object in latest and not claim.negated:
                latest[int(claim.object)].takes.add(str(claim.subject))
            elif claim.predicate == "PRODUCES" and claim.subject in latest and not claim.negated:
                latest[int(claim.subject)].makes.add(str(claim.object))

    def _routes(self) -> Iterator[tuple[int, ...]]:
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

    def _is_route(self, group: Group) -> bool:
        """Whether reactions named together are a route: called one, or as many as the steps asked for."""
        before = self._tokens[: group.first]
        named = any("routes" in each.kinds and not each.text.lower().endswith("s") for each in before)
        return named or self._asked.steps == len(group.ids) > 1


def _is_not_read(tokens: Sequence[Token], groups: Sequence[Group]) -> bool:
    """Whether words join the parts of a sentence in a way that no rule follows."""
    words = {token.text.lower() for token in tokens}
    return bool(words & _NOT_READ or (len(groups) > 1 and words & _RELATIVE))


def along_arrows(tokens: Sequence[Token]) -> Iterator[Claim]:
    """Yield the claims of a chain of arrows, ``A → (reaction 12) → B → C (reaction 13)``."""
    if any(each.text == ";" for each in tokens):
        return
    ends = [place for place, each in enumerate(tokens) if each.kind == "arrow"]
    parts = [tokens[one + 1 : other] for one, other in pairwise((-1, *ends, len(tokens)))]
    names = [[each.text for each in part if each.kind == "molecule"] for part in parts]
    ids = [[each.whole for each in part if each.kind == "reaction"] for part in parts]
    if len(parts) < 3 or ids[0] or any(len(each) > 1 for each in ids):
        return
    for place, number in ((place, each[0]) for place, each in enumerate(ids) if place and each):
        after = names[place] or [name for each in names[place + 1 : place + 2] for name in each]
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
