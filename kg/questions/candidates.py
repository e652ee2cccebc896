"""The questions that could be asked of a graph: unambiguous, answerable, ranked by what they tell."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations, pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import yaml
from rdkit import Chem

from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.graph.reaction import ROLES, Reaction
from retrocypher.kg.questions.carried import CarriedCarbons, has_atom_maps, is_implausible
from retrocypher.kg.questions.gold import (
    ReactionNetwork,
    Route,
    Walk,
    is_simple,
    makers_of_all,
    route_of,
    traverse,
    yield_of,
)
from retrocypher.kg.questions.question import seeded_rank

MINIMUM_HEAVY_ATOMS = 8
COMMON_AUXILIARY_USES = 10
# Yields nearer than this are one value to the scores, so the best would not be unique.
YIELD_TOLERANCE = 1e-6

MAXIMUM_ROUTES = 100
# A target with more is a hub; none of its starts is looked at.
_ROUTES_LOOKED_AT = 1000

_MOLECULES = Path(__file__).with_name("molecules.yaml")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question that the plan counts on its own; steps is 1 for single-step tasks.

    ``products`` is the size of the product set, 0 where the task has none; ``role`` is ``agents``,
    ``solvents`` or empty.
    """

    task: str
    steps: int = 1
    products: int = 0
    role: str = ""

    def __str__(self) -> str:
        parts = [self.task]
        if self.steps > 1:
            parts.append(f"{self.steps} steps")
        if self.products:
            parts.append(f"{self.products} products")
        if self.role:
            parts.append(self.role)
        return " ".join(parts)


Flaw = Literal[
    "no organic co-product",
    "reagent as solvent",
    "ion as product",
    "inorganic product",
    "implausible reaction",
]
_FLAWS: tuple[Flaw | None, ...] = (None, *get_args(Flaw))
"""What may be wrong with a question, the worst last."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A question that could be asked: unambiguous and with an answer. Two are equal only if identical.

    ``tier`` says how much it would tell about a query, 0 most; it is discriminating where a wrong choice
    among the target's reactions would show. ``one_transformation`` says that all its reactions or routes
    have the same reactants and products and differ in conditions. ``pairs`` are the consecutive reactions
    of its routes; ``carried`` is the smallest share of the precursor's carbon atoms that a route carries
    to the target, None where it was not computed. A question with a ``flaw`` is used only where no other of
    its kind is left.
    """

    kind: Kind
    slots: Mapping[str, Any]
    target: str
    tier: int
    discriminating: bool
    one_transformation: bool = False
    pairs: frozenset[tuple[int, int]] = frozenset()
    carried: float | None = None
    flaw: Flaw | None = None


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Which molecules and routes may be asked for.

    Attributes:
        is_target: Whether a molecule may be a target or an intermediate.
        reagents: Reagents that the source lists among solvents.
        is_co_product: Whether a molecule tells something as a product beside another.
        implausible: The reactions whose atom maps are implausible, by id.
        carried: The carbon atoms that routes carry; None switches that rule off.
    """

    is_target: Callable[[str], bool]
    reagents: frozenset[str] = frozenset()
    is_co_product: Callable[[str], bool] = lambda _name: True
    implausible: frozenset[int] = frozenset()
    carried: CarriedCarbons | None = None

    @classmethod
    def of(cls, reactions: Sequence[Reaction]) -> "Eligibility":
        """Return the rules for the questions about a graph."""
        auxiliaries = common_auxiliaries(reactions)
        mapped = reactions if has_atom_maps(reactions) else ()
        return cls(
            is_target=cache(lambda name: name not in auxiliaries and is_synthesis_target(name)),
            reagents=_listed("reagents_among_solvents"),
            is_co_product=cache(is_organic_co_product),
            implausible=frozenset(each.id for each in mapped if is_implausible(each)),
            carried=CarriedCarbons(mapped) if mapped else None,
        )


@cache
def _listed(group: str) -> frozenset[str]:
    names = yaml.safe_load(_MOLECULES.read_text(encoding="utf-8"))[group].values()
    return frozenset(filter(None, map(canonical_name, names)))


@cache
def _counter_ions() -> frozenset[str]:
    return frozenset(_without_stereo(Chem.MolFromSmiles(name)) for name in _listed("counter_ions"))


def _without_stereo(molecule: Chem.Mol) -> str:
    return str(Chem.MolToSmiles(molecule, isomericSmiles=False))


def is_synthesis_target(name: str) -> bool:
    """Return whether a molecule is one that a chemist would set out to make.

    That is one connected molecule without a net charge, with a carbon atom and at least eight atoms other
    than hydrogen, that is not listed as a counter-ion (`molecules.yaml`; in any stereochemistry). It leaves
    out one half of a salt, water, mineral acids and small reagents, which patents list as products of
    hundreds of unrelated reactions.
    """
    molecule = Chem.MolFromSmiles(name)
    if molecule is None or len(Chem.GetMolFrags(molecule)) != 1 or Chem.GetFormalCharge(molecule):
        return False
    large = molecule.GetNumHeavyAtoms() >= MINIMUM_HEAVY_ATOMS
    return large and _is_organic(molecule) and _without_stereo(molecule) not in _counter_ions()


def is_organic_co_product(name: str) -> bool:
    """Return whether a molecule is organic, without a net charge, and not listed as a counter-ion."""
    return _flaw_of_product(name) is None and _without_stereo(Chem.MolFromSmiles(name)) not in _counter_ions()


def _is_organic(molecule: Chem.Mol | None) -> bool:
    return molecule is not None and any(atom.GetAtomicNum() == 6 for atom in molecule.GetAtoms())


def common_auxiliaries(reactions: Iterable[Reaction]) -> frozenset[str]:
    """Return the molecules that at least ten reactions use as agent or solvent.

    Toluenesulfonic acid or a carbodiimide is a product here and there, but nobody plans a route through it.
    """
    uses = Counter(name for each in reactions for name in {*each.agents, *each.solvents})
    return frozenset(name for name, count in uses.items() if count >= COMMON_AUXILIARY_USES)


def single_step_candidates(
    network: ReactionNetwork, kind: Kind, eligible: Eligibility
) -> Iterator[Candidate]:
    """Yield the unambiguous, answerable questions of one single-step kind."""
    of_kind = _product_sets if kind.task == "multi_product" else _questions_on_targets
    for each in of_kind(network, kind, eligible):
        gold = (row["id"] for row in traverse(network, kind.task, each.slots))
        yield _ranked(each, _implausible(gold, eligible))


def _implausible(gold: Iterable[int], eligible: Eligibility) -> Flaw | None:
    return None if eligible.implausible.isdisjoint(gold) else "implausible reaction"


def _ranked(candidate: Candidate, flaw: Flaw | None) -> Candidate:
    """Return a candidate with a flaw, if it has no worse one: after all without it."""
    before, after = map(_FLAWS.index, (candidate.flaw, flaw))
    if after <= before:
        return candidate
    return replace(candidate, tier=candidate.tier + _FLAWED * (after - before), flaw=flaw)


def _questions_on_targets(network: ReactionNetwork, kind: Kind, eligible: Eligibility) -> Iterator[Candidate]:
    for target, makers in network.makers.items():
        grade = None
        if eligible.is_target(target):
            grade = _best_yield(target, makers) if kind.task == "best_yield" else _grade(kind, target, makers)
        if grade is None:
            continue
        slots = {"target": target, "role": kind.role} if kind.role else {"target": target}
        flaw: Flaw | None = None
        # Solvents come with molecules that are reagents, whatever the source calls them.
        if kind.role == "solvents" and any(eligible.reagents & set(each.solvents) for each in makers):
            flaw = "reagent as solvent"
        if kind.task == "co_products" and not all(
            any(map(eligible.is_co_product, set(each.products) - {target})) for each in makers
        ):
            flaw = "no organic co-product"
        found = Candidate(
            kind,
            slots,
            target,
            grade.tier,
            grade.discriminating,
            one_transformation=grade.one_transformation,
        )
        yield _ranked(found, flaw)


class _Grade(NamedTuple):
    """How much a question would tell, 0 most, and what else a candidate says of its reactions."""

    tier: int
    discriminating: bool
    one_transformation: bool = False


# More than any tier without a flaw.
_FLAWED = 4


def transformation(reaction: Reaction) -> tuple[frozenset[str], frozenset[str]]:
    """Return what a reaction makes of what, whatever the conditions."""
    return frozenset(reaction.reactants), frozenset(reaction.products)


def context(reaction: Reaction) -> frozenset[object]:
    """Return every molecule of a reaction together with its role."""
    return frozenset((role, name) for role in ROLES for name in getattr(reaction, role))


def _grade(kind: Kind, target: str, makers: Sequence[Reaction]) -> _Grade | None:
    """Grade a question; None where it has no answer."""
    views = [_VIEWS[kind.task](kind, target, each) for each in makers]
    if not all(views):
        return None
    # Without any one of the reactions, some of the answer must be missing.
    uses = Counter(item for view in views for item in view)
    discriminating = len(views) > 1 and all(any(uses[item] == 1 for item in view) for view in views)
    # Only producing_reactions asks for the transformation itself.
    same = kind.task == "producing_reactions" and len(set(map(transformation, makers))) == 1
    return _Grade(int(same) if discriminating else 2, discriminating, same and len(makers) > 1)


def _best_yield(target: str, makers: Sequence[Reaction]) -> _Grade | None:
    known = [found for each in makers if (found := yield_of(each, target)) is not None]
    disputed = any(each.yields_disputed for each in makers)
    if disputed or not known or sum(found > max(known) - YIELD_TOLERANCE for found in known) > 1:
        return None
    tier = 0 if len(known) > 1 else 1 if len(makers) > 1 else 2
    return _Grade(tier, discriminating=tier < 2)


_VIEWS: dict[str, Callable[[Kind, str, Reaction], frozenset[object]]] = {
    "precursors": lambda _kind, _target, each: frozenset(each.reactants),
    "producing_reactions": lambda _kind, _target, each: context(each),
    "co_products": lambda _kind, target, each: frozenset(each.products) - {target},
    "conditions": lambda kind, _target, each: frozenset(getattr(each, kind.role)),
}
"""What each task asks of a reaction; a question has an answer where every reaction has some of it."""


def _product_sets(network: ReactionNetwork, kind: Kind, eligible: Eligibility) -> Iterator[Candidate]:
    made = {each.products for makers in network.makers.values() for each in makers}
    sets = {chosen for each in made for chosen in combinations(sorted(each), kind.products)}

    @cache
    def flaw_of(name: str) -> Flaw | None:
        return _flaw_of_product(name) or (None if eligible.is_co_product(name) else "ion as product")

    for products in sorted(sets):
        # Of the molecules worth asking for, the one that fewest reactions make tells the sets apart best.
        target = min(
            products, key=lambda name: (not eligible.is_target(name), len(network.makers_of(name)), name)
        )
        answer = _context_of(makers_of_all(network, products))
        wrong = sum(_context_of(network.makers_of(name)) != answer for name in products)
        # Small molecules come after others. Ions, counter-ions and inorganic molecules come last, and only
        # because product sets are few.
        small = not all(map(eligible.is_target, products))
        ordered = sorted(products, key=lambda name: (-len(name), name))
        found = Candidate(
            kind, {"products": ordered}, target, 2 * (not wrong) + small, discriminating=wrong > 0
        )
        yield _ranked(found, max(map(flaw_of, products), key=_FLAWS.index))


def _flaw_of_product(name: str) -> Flaw | None:
    molecule = Chem.MolFromSmiles(name)
    if not _is_organic(molecule):
        return "inorganic product"
    return "ion as product" if Chem.GetFormalCharge(molecule) else None


def _context_of(reactions: Sequence[Reaction]) -> frozenset[object]:
    return frozenset().union(*map(context, reactions))


class _TooManyRoutesError(Exception):
    pass


def multi_step_candidates(
    network: ReactionNetwork, kind: Kind, eligible: Eligibility, seed: int
) -> Iterator[Candidate]:
    """Yield the unambiguous, answerable questions of one multi-step kind.

    A question is kept where every walk of the asked length is a simple path (then walks, trails and simple
    paths are the same), it has at most 100 routes, every intermediate may be asked for itself, and every
    route carries a carbon atom from its precursor to the target. The starts of a target come in the order
    of a seed.
    """
    for each in _questions_on_routes(network, kind, eligible, seed):
        yield _ranked(each, _implausible(chain(*each.pairs), eligible))


def _questions_on_routes(
    network: ReactionNetwork, kind: Kind, eligible: Eligibility, seed: int
) -> Iterator[Candidate]:
    reactions = {each.id: each for each in network.reactions()}
    for target in sorted(network.makers):
        if not eligible.is_target(target):
            continue
        try:
            walks = _walks(network, target, kind.steps)
        except _TooManyRoutesError:
            continue
        if kind.task != "chains_between":
            if routes := _routes(walks, eligible):
                slots = {"target": target, "steps": kind.steps}
                yield _multi_step(kind, slots, routes, len(routes), reactions)
            continue
        yield from _starts(kind, target, walks, eligible, seed, reactions)


def _walks(network: ReactionNetwork, target: str, steps: int) -> list[Walk]:
    walks: list[Walk] = []
    routes: set[Route] = set()
    for walk in network.walks_to(target, steps):
        walks.append(walk)
        routes.add(route_of(walk))
        if len(routes) > _ROUTES_LOOKED_AT:
            raise _TooManyRoutesError
    return walks


_Routes = dict[Route, float | None]
"""Routes, each with the share of carbon atoms that it carries."""


def _starts(
    kind: Kind,
    target: str,
    walks: list[Walk],
    eligible: Eligibility,
    seed: int,
    reactions: Mapping[int, Reaction],
) -> Iterator[Candidate]:
    """Yield a question for each start, no two with the same routes."""
    by_start: dict[str, list[Walk]] = defaultdict(list)
    for walk in walks:
        by_start[str(walk[0])].append(walk)
    every = len({route_of(walk) for walk in walks})
    seen: set[frozenset[Route]] = set()
    for start in sorted(by_start, key=lambda name: seeded_rank(seed, str(kind), target, name)):
        routes = _routes(by_start[start], eligible) if eligible.is_target(start) else None
        if routes and (own := frozenset(routes)) not in seen:
            seen.add(own)
            slots = {"start": start, "target": target, "steps": kind.steps}
            yield _multi_step(kind, slots, routes, every, reactions)


def _multi_step(
    kind: Kind, slots: Mapping[str, Any], routes: _Routes, every: int, reactions: Mapping[int, Reaction]
) -> Candidate:
    """Return the question with some routes to its target, of ``every`` route of the length."""
    sequences = {tuple(transformation(reactions[step]) for step in route) for route in routes}
    # At best there are several routes to find that differ in molecules, and the start matters where one is
    # given: others lead to the target, too.
    tier = (len(routes) < 2) + (len(sequences) < 2) + ("start" in slots and len(routes) == every)
    shares = [share for share in routes.values() if share is not None]
    return Candidate(
        kind,
        slots,
        slots["target"],
        tier,
        discriminating=every > 1,
        one_transformation=len(routes) > 1 and len(sequences) == 1,
        pairs=frozenset(pair for route in routes for pair in pairwise(route)),
        carried=min(shares) if shares else None,
    )


def _routes(walks: Iterable[Walk], eligible: Eligibility) -> _Routes | None:
    """Return the routes of some walks, or None where they are ambiguous, too many, or carry nothing.

    A route that starts from several reactants carries what the best of them carries.
    """
    routes: _Routes = {}
    for walk in walks:
        if not is_simple(walk) or not all(eligible.is_target(str(name)) for name in walk[2:-1:2]):
            return None
        route = route_of(walk)
        share = None if eligible.carried is None else eligible.carried.share(walk)
        routes[route] = share if share is None else max(share, routes.get(route) or 0.0)
    return routes if 0 < len(routes) <= MAXIMUM_ROUTES and all(s != 0.0 for s in routes.values()) else None
