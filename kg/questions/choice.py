"""The choice of a question set: from the candidates, such that reactions and targets repeat little."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise

from rdkit import rdBase

from retrocypher.kg.questions.candidates import (
    Candidate,
    Eligibility,
    Kind,
    multi_step_candidates,
    single_step_candidates,
)
from retrocypher.kg.questions.gold import ReactionNetwork
from retrocypher.kg.questions.plan import Plan
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, seeded_rank

MAXIMUM_REPETITION = 5
"""At most this many questions of a task have the same pair of consecutive reactions in their gold."""


@dataclass(slots=True)
class _Choice:
    """What is chosen for one kind: some candidates for good, others (by target) open to exchange."""

    fixed: list[Candidate]
    taken: dict[str, list[Candidate]] = field(default_factory=lambda: defaultdict(list))
    spare: list[Candidate] = field(default_factory=list)

    def all(self) -> list[Candidate]:
        return [*self.fixed, *(each for taken in self.taken.values() for each in taken)]

    def take(self, candidate: Candidate) -> None:
        self.spare.remove(candidate)
        self.taken[candidate.target].append(candidate)

    def exchange(self, out: Candidate, into: Candidate) -> None:
        self.take(into)
        self.taken[out.target].remove(out)
        self.spare.append(out)


@dataclass(frozen=True, slots=True)
class _Move:
    """Give up one question of a kind for another; ``before`` is the move that freed its target."""

    kind: Kind
    out: Candidate
    into: Candidate
    before: "_Move | None"


def allocate(
    candidates: Mapping[Kind, Sequence[Candidate]], counts: Mapping[Kind, int]
) -> dict[Kind, list[Candidate]]:
    """Choose candidates so that tiers are used up in order and targets are shared as little as possible.

    Within a kind a lower tier is used up before the next is touched. Among the choices this leaves, the
    sum over targets of (questions on that target) squared is the smallest there is: the exchange below
    ends only when no chain of exchanges lowers it, which for such convex costs means a minimum. Each kind
    needs at least ``counts`` candidates; earlier ones win ties.
    """
    choices = {kind: _by_tier(candidates[kind], count) for kind, count in counts.items()}
    load = Counter(each.target for choice in choices.values() for each in choice.fixed)
    for kind, choice in choices.items():
        missing = counts[kind] - len(choice.fixed)
        for _ in range(missing):
            best = min(choice.spare, key=lambda each: load[each.target])
            choice.take(best)
            load[best.target] += 1
    while _improve(choices, load):
        pass
    return {kind: choice.all() for kind, choice in choices.items()}


def limit_repetition(
    candidates: Mapping[Kind, Sequence[Candidate]], counts: Mapping[Kind, int]
) -> tuple[int, dict[Kind, list[Candidate]]]:
    """Keep candidates of one task such that no pair of consecutive reactions is in too many of them.

    Better tiers are kept before worse ones, and longer routes before shorter ones. Returns the most
    candidates that a pair may be in, and the candidates kept: five, or the smallest number with which
    each kind still has its count.
    """
    ordered = sorted(chain(*candidates.values()), key=lambda each: (each.tier, -each.kind.steps))
    for limit in count(MAXIMUM_REPETITION):
        uses: Counter[tuple[int, int]] = Counter()
        kept: dict[Kind, list[Candidate]] = {kind: [] for kind in candidates}
        for each in ordered:
            if all(uses[pair] < limit for pair in each.pairs):
                uses.update(each.pairs)
                kept[each.kind].append(each)
        if all(len(found) >= counts[kind] for kind, found in kept.items()):
            return limit, kept
    raise AssertionError("no pair is in more candidates than there are")


def _by_tier(candidates: Sequence[Candidate], count: int) -> _Choice:
    fixed: list[Candidate] = []
    for tier in sorted({each.tier for each in candidates}):
        members = [each for each in candidates if each.tier == tier]
        if len(fixed) + len(members) > count:
            return _Choice(fixed, spare=members)
        fixed += members
    return _Choice(fixed)


def _improve(choices: Mapping[Kind, _Choice], load: Counter[str]) -> bool:
    """Make one round of exchanges; tell whether any was made."""
    improved = False
    shared = [name for name, count in load.items() if count > 1]
    for target in sorted(shared, key=lambda name: (-load[name], name)):
        while (move := _relief(target, choices, load)) is not None:
            load[move.into.target] += 1
            load[target] -= 1
            while move is not None:
                choices[move.kind].exchange(move.out, move.into)
                move = move.before
            improved = True
    return improved


def _relief(start: str, choices: Mapping[Kind, _Choice], load: Counter[str]) -> _Move | None:
    """Find a chain of exchanges that takes a question off ``start`` and ends on a target with two fewer."""
    queue: deque[tuple[str, _Move | None]] = deque([(start, None)])
    seen = {start}
    open_kinds = {kind: choice for kind, choice in choices.items() if choice.taken and choice.spare}
    while queue:
        target, before = queue.popleft()
        for kind, choice in list(open_kinds.items()):
            if not choice.taken.get(target):
                continue
            out = choice.taken[target][0]
            # From here every spare target of this kind is reached, so it need not be looked at again.
            del open_kinds[kind]
            for into in choice.spare:
                if into.target not in seen:
                    seen.add(into.target)
                    move = _Move(kind, out, into, before)
                    if load[into.target] <= load[start] - 2:
                        return move
                    queue.append((into.target, move))
    return None


@dataclass(frozen=True, slots=True)
class Choice:
    """The questions chosen, each kind in a seeded random order.

    Attributes:
        candidates: The questions by kind.
        repetition: By multi-step task, the most questions that may have the same pair of consecutive
            reactions in their gold.
        carbons_computed: Whether the carbon atoms that routes carry could be computed.
    """

    candidates: dict[Kind, list[Candidate]]
    repetition: dict[str, int]
    carbons_computed: bool


def choose(network: ReactionNetwork, plan: Plan, seed: int) -> Choice:
    """Choose the questions of a plan that tell most, or as many as the graph has of a kind."""
    eligible = Eligibility.of(tuple(network.reactions()))
    # RDKit remarks on odd ions, on standard error and once each
    with rdBase.BlockLogs():
        candidates = {
            kind: _in_random_order(_of_each_target(found, _telling), seed)
            for kind, found in _candidates(network, plan, seed, eligible)
        }
    counts = _counts(plan, candidates)
    repetition: dict[str, int] = {}
    for task in dict.fromkeys(kind.task for kind in plan if kind.task in MULTI_STEP_TASKS):
        own = {kind: candidates[kind] for kind in plan if kind.task == task}
        repetition[task], kept = limit_repetition(own, counts)
        candidates |= kept
    chosen = {kind: _in_random_order(found, seed) for kind, found in allocate(candidates, counts).items()}
    return Choice(chosen, repetition, eligible.carried is not None)


def _counts(plan: Plan, candidates: Mapping[Kind, Sequence[Candidate]]) -> dict[Kind, int]:
    """Return how many questions there will be of each kind."""
    available = {kind: len(found) for kind, found in candidates.items()}
    flawless = {kind: sum(each.flaw is None for each in found) for kind, found in candidates.items()}
    # Smaller product sets without a flaw come before larger ones with one, unless that costs questions.
    options = [
        {kind: min(count, available[kind]) for kind, count in with_smaller_sets(plan, limits).items()}
        for limits in (flawless, available)
    ]
    return max(options, key=lambda counts: sum(counts.values()))


def with_smaller_sets(plan: Plan, available: dict[Kind, int]) -> Plan:
    """Return the plan with product sets the graph lacks made up for by sets one product smaller."""
    counts = dict(plan)
    by_size = sorted((kind for kind in plan if kind.products), key=lambda kind: -kind.products)
    for larger, smaller in pairwise(by_size):
        lacking = max(0, counts[larger] - available[larger])
        counts[larger] -= lacking
        counts[smaller] += lacking
    return counts


def choose_at_random(network: ReactionNetwork, plan: Plan, seed: int) -> Choice:
    """Choose targets at random, as the paper did (section 2): any molecule with an unambiguous answer.

    Of a target with several starts, one is chosen at random.
    """
    eligible = Eligibility(is_target=lambda _name: True)
    chosen: dict[Kind, list[Candidate]] = {}
    with rdBase.BlockLogs():
        for kind, found in _candidates(network, plan, seed, eligible):
            chosen[kind] = _in_random_order(_of_each_target(found, _first), seed)
    counts = with_smaller_sets(plan, {kind: len(found) for kind, found in chosen.items()})
    return Choice({kind: found[: counts[kind]] for kind, found in chosen.items()}, {}, carbons_computed=False)


def _candidates(
    network: ReactionNetwork, plan: Plan, seed: int, eligible: Eligibility
) -> Iterator[tuple[Kind, Iterator[Candidate]]]:
    for kind in plan:
        if kind.task in MULTI_STEP_TASKS:
            yield kind, multi_step_candidates(network, kind, eligible, seed)
        else:
            yield kind, single_step_candidates(network, kind, eligible)


def _of_each_target(
    candidates: Iterable[Candidate], pick: Callable[[list[Candidate]], list[Candidate]]
) -> Iterator[Candidate]:
    """Pick of the questions on one target that differ in the start; others are all kept."""
    by_target: dict[str, list[Candidate]] = defaultdict(list)
    for each in candidates:
        if "start" in each.slots:
            by_target[each.target].append(each)
        else:
            yield each
    for options in by_target.values():
        yield from pick(options)


def _telling(options: list[Candidate]) -> list[Candidate]:
    """Return all of the best tier there can be; else the first one of the best there is."""
    return [each for each in options if each.tier == 0] or [min(options, key=lambda each: each.tier)]


def _first(options: list[Candidate]) -> list[Candidate]:
    return options[:1]


def _in_random_order(candidates: Iterable[Candidate], seed: int) -> list[Candidate]:
    return sorted(candidates, key=lambda each: _rank(each, seed))


def _rank(candidate: Candidate, seed: int) -> bytes:
    return seeded_rank(seed, str(candidate.kind), *candidate.slots.values())
