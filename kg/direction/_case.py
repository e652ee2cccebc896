"""A query with the kinds that each of its nodes may be, part by part, and the ways to read its stretches."""

from kg.direction._kinds import Kinds
from kg.direction._outline import Outline, Stretch, Thing
from kg.direction._readings import readings


class Case:
    """What there is to decide on.

    Attributes:
        outline: The query.
        readings: The ways to read each stretch.
        unsettled: The stretches that have an end whose kind labels leave open.
        settled: The other stretches, but for those that say nothing and those whose end is disputed.
    """

    def __init__(self, outline: Outline, kinds: Kinds) -> None:
        self.outline = outline
        self.readings = [readings(stretch, outline.things, kinds) for stretch in outline.stretches]
        self._chains = [outline.chain(part) for part in range(len(outline.parts))]
        self._known: dict[tuple[int, int], int] = {}
        self.unsettled: list[int] = []
        self.settled: list[int] = []
        for number, stretch in enumerate(outline.stretches):
            if self.readings[number] and not self.disputed(stretch, stretch.part):
                ends = (stretch.left, stretch.right)
                settled = not any(self.open(end, stretch.part) for end in ends)
                (self.settled if settled else self.unsettled).append(number)

    def kinds_of(self, number: int, part: int) -> int:
        """What labels leave a node in a part; empty where they contradict each other."""
        if (number, part) not in self._known:
            thing = self.outline.things[number]
            left = thing.universe.everything
            if thing.source is not None:
                left = self.kinds_of(thing.source, self.outline.things[thing.source].home)
            for said_in, choices in thing.labels:
                if said_in in self.reach(thing, part):
                    left &= choices
            self._known[number, part] = left
        return self._known[number, part]

    def reach(self, thing: Thing, part: int) -> frozenset[int]:
        """The parts whose word on a thing holds in a part: what that hangs on, and what brought it in."""
        return self._chains[part] | self._chains[thing.home]

    def open(self, number: int, part: int) -> bool:
        """Whether labels leave a node more than one kind in a part."""
        return self.kinds_of(number, part).bit_count() > 1

    def disputed(self, stretch: Stretch, part: int) -> bool:
        """Whether labels contradict each other at an end of a stretch."""
        return not (self.kinds_of(stretch.left, part) and self.kinds_of(stretch.right, part))

    def concerning(self, part: int) -> list[int]:
        """The unsettled stretches on which a part has a say.

        These are its own, and those of the parts it hangs on that touch a node of which it says something
        or that are joined to such by nodes of open kind. All others are decided where they stand.
        """
        stretches, things = self.outline.stretches, self.outline.things
        taken = {number for number in self.unsettled if stretches[number].part == part}
        waiting = [end for number in taken for end in (stretches[number].left, stretches[number].right)]
        waiting += [
            number
            for number, thing in enumerate(things)
            if thing.home != part and any(said_in == part for said_in, _ in thing.labels)
        ]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            reach = self.reach(things[node], part)
            for number in self.unsettled:
                stretch = stretches[number]
                ends = (stretch.left, stretch.right)
                if number not in taken and stretch.part in reach and node in ends:
                    taken.add(number)
                    waiting += [end for end in ends if self.open(end, part)]
        return sorted(number for number in taken if not self.disputed(stretches[number], part))
