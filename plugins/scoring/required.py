"""What an answer to a question must be about."""

from dataclasses import dataclass, replace

from retrocypher.kg.claims.claim import (
    ROLE_PREDICATES,
    Claim,
    Predicate,
    Reading,
    Term,
)
from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.questions.question import MULTI_STEP_TASKS
from retrocypher.prompts.validation.finding import QuestionIntent
from retrocypher.prompts.validation.question import read_question

OF_REACTIONS = frozenset(
    {"producing_reactions", "best_yield", "multi_product", "chains_to_target", "chains_between"}
)
"""Tasks that ask for reactions or routes, not for molecules."""
_OF_A_MOLECULE = (*ROLE_PREDICATES, "TAKES_PART_IN")
COUNTED_ALONG: dict[str, Predicate] = {"multi_step_precursors": "REACTS_IN", "intermediates": "PRODUCES"}
"""What an answer to these may count besides routes."""
_COMPONENTS: dict[str, Predicate] = {"agents": "USES_AGENT", "solvents": "USES_SOLVENT"}


@dataclass(frozen=True, slots=True)
class Requirements:
    """What an answer must be about.

    Attributes:
        target: The molecule that is made; None if the question names none or several.
        products: All molecules that one reaction must make.
        start: The molecule that routes start from; None if the question names none.
        known: All molecules of the question.
    """

    asked: QuestionIntent
    target: str | None = None
    products: tuple[str, ...] = ()
    start: str | None = None
    known: frozenset[str] = frozenset()

    @property
    def routes(self) -> bool:
        """Whether chains of several reactions are asked for."""
        return self.asked.intent in MULTI_STEP_TASKS

    def claims(self, reading: Reading) -> list[Claim]:
        """Return what must hold of the reactions that an answer names.

        Each reaction, of a route the last one, must make what is asked for; a route must begin at the start.
        If no reaction is called the best, the first one named must have the best yield.
        """
        if self.asked.intent is None:
            return []
        if self.routes:
            return self._of_routes(reading)
        made: dict[Term, set[Term]] = {}
        for each in reading.claims:
            if each.predicate == "PRODUCES" and each.reactions and not each.negated:
                made.setdefault(each.subject, set()).add(each.object)
        # A reaction of which the answer says what else it makes is an aside, if another one is the answer.
        meant = [each for each in reading.reactions if made.get(each, set()).intersection(self.products)]
        asides = {each for each, names in made.items() if meant and not names.intersection(self.products)}
        claims = [
            _required(number, "PRODUCES", name)
            for number in reading.reactions
            if number not in asides
            for name in self.products
        ]
        if self.asked.intent == "best_yield" and self.target is not None:
            said = [each for each in reading.claims if each.predicate == "BEST_YIELD"]
            first = [] if said else reading.reactions[:1]
            claims += [_required(number, "BEST_YIELD", self.target) for number in first]
        return claims

    def _of_routes(self, reading: Reading) -> list[Claim]:
        claims: dict[Claim, None] = {}
        for route in self._chains(reading):
            if self.target is not None:
                claims.setdefault(_required(route[-1], "PRODUCES", self.target))
            if self.start is not None:
                claims.setdefault(Claim(self.start, "REACTS_IN", route[0], origin="question"))
        return list(claims)

    def _chains(self, reading: Reading) -> list[tuple[int, ...]]:
        """The routes of an answer; a reaction outside of all of them is one of a single step."""
        inside = {number for route in reading.routes for number in route}
        return [*reading.routes, *((number,) for number in reading.reactions if number not in inside)]

    def completed(self, claim: Claim) -> Claim:
        """Return a claim with what the question adds: which reactions are meant if none is named."""
        intent = self.asked.intent
        if claim.predicate == "COUNT" and intent is not None:
            return self._counted(claim)
        if intent is None or self.target is None:
            return claim
        if claim.predicate == "BEST_YIELD" and claim.object is None:
            return replace(claim, object=self.target)
        if claim.predicate == "PRECURSOR_OF":
            steps = claim.steps or (self.asked.steps if self.routes else None)
            return replace(claim, object=claim.object or self.target, steps=steps)
        if claim.reactions:
            return claim
        name = claim.subject if claim.predicate in ("REACTS_IN", "TAKES_PART_IN") else claim.object
        if (
            not isinstance(name, str)
            or name == self.target
            or claim.predicate not in (*ROLE_PREDICATES, "TAKES_PART_IN")
        ):
            return claim
        if self.routes:
            return self._within_routes(claim, name)
        predicate = claim.predicate if claim.predicate != "TAKES_PART_IN" else self._role_asked()
        reacts = predicate in ("REACTS_IN", "TAKES_PART_IN")
        return Claim(
            name if reacts else None,
            predicate,
            None if reacts else name,
            product=claim.product if predicate != "PRODUCES" and claim.product else self.target,
            negated=claim.negated,
            sentence=claim.sentence,
        )

    def _counted(self, claim: Claim) -> Claim:
        """Complete a count where an answer leaves it to the question, such as ``7 reactions``."""
        if claim.reactions:
            return claim
        along = COUNTED_ALONG.get(self.asked.intent or "")
        role = claim.role or ("LEADS_TO" if self.routes else "PRODUCES")
        if role == "LEADS_TO" or (self.routes and role == along and claim.subject is None):
            start = claim.subject or (self.start if self.asked.intent == "chains_between" else None)
            return replace(
                claim,
                subject=start,
                role=role,
                product=claim.product or self.target,
                steps=claim.steps or self.asked.steps,
            )
        if claim.subject is not None or self.routes:
            return claim
        if role == "PRODUCES" and claim.product is None:
            more = self.products[1] if len(self.products) == 2 else None
            first = self.products[0] if self.products else self.target
            many = len(self.products) > 2
            return claim if many else replace(claim, subject=first, role=role, product=more)
        return replace(claim, product=claim.product or self.target)

    def _within_routes(self, claim: Claim, name: str) -> Claim:
        """A molecule that an answer names for a route without naming reactions."""
        steps = self.asked.steps
        precursors = self.asked.intent == "multi_step_precursors"
        direct = claim.product is not None and claim.product != self.target
        if not precursors or steps is None or direct or claim.predicate not in ("REACTS_IN", "TAKES_PART_IN"):
            return claim
        return Claim(
            name,
            "PRECURSOR_OF",
            self.target,
            steps=steps,
            negated=claim.negated,
            sentence=claim.sentence,
        )

    def _role_asked(self) -> Predicate:
        if self.asked.intent == "precursors":
            return "REACTS_IN"
        if self.asked.intent in ("co_products", "multi_product"):
            return "PRODUCES"
        if self.asked.intent == "conditions" and len(self.asked.components) == 1:
            return _COMPONENTS[next(iter(self.asked.components))]
        return "TAKES_PART_IN"

    def shortcomings(self, reading: Reading, claims: list[Claim]) -> list[str]:
        """Return why an answer is none to the question, whatever holds of its claims."""
        asked = self.asked
        found: list[str] = []
        if not reading.whole:
            found.append("The answer is too long to be read whole.")
        found += [
            f"Not read: {', '.join(each.parts[:5])} in \u201c{_cut(each.text)}\u201d."
            for each in reading.unread
        ]
        found += self._unclear(claims)
        if asked.intent is None:
            return found
        if self.routes and asked.steps is not None:
            wrong = [each for each in self._chains(reading) if len(each) != asked.steps]
            if wrong:
                listed = ", ".join(" → ".join(map(str, each)) for each in wrong[:3])
                found.append(f"The question asks for {asked.steps} steps; of another number: {listed}.")
        best = [each.negated for each in claims if each.predicate == "BEST_YIELD"]
        if asked.intent == "best_yield" and best and all(best):
            found.append("The question asks for the best yield, and no reaction is said to have it.")
        if asked.intent in OF_REACTIONS and claims and not reading.reactions:
            found.append("The question asks for reactions, and none is named.")
        wanted = self._wanted()
        if (
            wanted
            and claims
            and not any(claim.predicate in wanted and self._about(claim) for claim in claims)
        ):
            found.append(f"Nothing is said of what is asked for: {' or '.join(wanted)}.")
        return found

    def _unclear(self, claims: list[Claim]) -> list[str]:
        """Claims that leave open what they are about."""
        if not claims:
            return ["Nothing can be looked up: no sentence that is read has a SMILES or a reaction's id."]
        if self.asked.intent is None:
            return []
        loose = ((claim.predicate, name) for claim in claims if _is_loose(claim) for name in claim.molecules)
        # What another sentence says of them: in which reaction they have the part that is asked for.
        part = "PRODUCES" if self.asked.intent == "intermediates" else self._role_asked()
        told = {
            (claim.predicate, name)
            for claim in claims
            if claim.reactions and not claim.negated
            for name in claim.molecules
        }
        clear = {name for predicate, name in told if part in (predicate, "TAKES_PART_IN")}
        unclear = dict.fromkeys(
            name
            for predicate, name in loose
            if name not in self.known
            and (predicate, name) not in told
            and (predicate != "TAKES_PART_IN" or name not in clear)
        )
        if not unclear:
            return []
        return [
            f"Not clear in which reaction these molecules have which part: {', '.join(list(unclear)[:3])}."
        ]

    def _wanted(self) -> tuple[Predicate, ...]:
        """Claims of which an answer must have one."""
        if self.asked.intent == "precursors":
            return ("REACTS_IN",)
        if self.asked.intent == "conditions":
            return tuple(_COMPONENTS[name] for name in sorted(self.asked.components))
        if self.asked.intent == "co_products":
            return ("PRODUCES",)
        return ()

    def _about(self, claim: Claim) -> bool:
        return self.asked.intent != "co_products" or claim.object != self.target


def requirements_of(question: str) -> Requirements:
    """Read from a question what its answer must be about; nothing is required if that is unclear."""
    asked = read_question(question)
    names = {each.name: canonical_name(each.name) or each.name for each in asked.molecules}
    targets = [names[each.name] for each in asked.molecules if each.role == "target"]
    products = [names[each.name] for each in asked.molecules if each.role == "product"]
    starts = [names[each.name] for each in asked.molecules if each.role == "start"]
    target = targets[0] if len(targets) == 1 else None
    lone = next(iter(names.values())) if len(names) == 1 else None
    return Requirements(
        asked,
        target or lone,
        tuple(products) or ((target,) if target else ()),
        starts[0] if len(starts) == 1 else None,
        frozenset(names.values()),
    )


def _is_loose(claim: Claim) -> bool:
    """Whether all it says of a molecule is that some reaction of the graph holds it."""
    return not (claim.reactions or claim.product or claim.negated or claim.predicate not in _OF_A_MOLECULE)


def is_loosely_denied(claim: Claim) -> bool:
    """Whether it denies that a molecule has a role, and does not say in which reactions."""
    of_all = not (claim.reactions or claim.product) and bool(claim.molecules)
    return claim.negated and of_all and claim.predicate in _OF_A_MOLECULE


_LONGEST_QUOTE = 160


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


def _required(number: int, predicate: Predicate, name: str) -> Claim:
    return Claim(number, predicate, name, origin="question")
