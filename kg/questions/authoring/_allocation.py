"""Which candidates become questions: the telling ones first, each target in as few as can be."""

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kg.questions.authoring._candidate import Candidate, Kind


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
    ends only when no chain of exchanges lowers it, which for such convex costs means a minimum.

    Args:
        candidates: For each kind, at least ``counts`` candidates; earlier ones win ties.
        counts: How many questions of each kind.
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
