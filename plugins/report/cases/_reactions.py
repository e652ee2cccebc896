"""What a reaction of the graph looks like, where that is known."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from kg.questions import Question
from kg.reactions import Reaction, read_graph, read_manifest
from plugins.report.drawing import Step
from plugins.scoring import Values

_OVER = 3


class Reactions:
    """The reactions of the default graph, by their id; of another one only the gold answers are known.

    Args:
        fingerprint: That of the graph which a run was made on; None where it is not known.
    """

    def __init__(self, fingerprint: str | None) -> None:
        known = fingerprint is not None and fingerprint == read_manifest().get("fingerprint")
        self._graph: Mapping[int, Reaction] = {each.id: each for each in read_graph()} if known else {}

    @property
    def known(self) -> bool:
        """Whether the graph is the default one, so that every reaction can be drawn."""
        return bool(self._graph)

    def steps(self, route: Iterable[Any], found: Iterable[Hashable], state: str) -> list[Step]:
        """Return a route for a picture.

        Args:
            route: Ids of its reactions.
            found: Ids that the other side has, too: their boxes are not marked.
            state: What the others are: ``missing`` or ``extra``.
        """
        there = {*map(str, found)}
        return [self._step(number, "" if str(number) in there else state) for number in route]

    def gold(self, question: Question, values: Mapping[str, Values], most: int) -> list[Step]:
        """Return the reactions that a single-step question wants, those that are not right first."""
        steps = [_of_row(row, values) for row in question.gold]
        return sorted(steps, key=lambda step: not (step.missing or step.state))[:most]

    def _step(self, number: Any, state: str) -> Step:
        reaction = self._graph.get(number) if isinstance(number, int) else None
        if reaction is None:
            return Step(str(number), state=state)
        yields = [each for each in reaction.yields if each is not None]
        over = _over(reaction.agents, reaction.solvents, yields[0] if yields else None)
        return Step(str(number), reaction.reactants, reaction.products, over, state)


def _of_row(row: Mapping[str, Any], values: Mapping[str, Values]) -> Step:
    ids = values.get("id")
    known = ids is None or not ids.returned or row.get("id") in ids.returned
    lacking = frozenset(
        name
        for key in ("reactants", "products", "agents", "solvents")
        for name in _names(row, key)
        if key in values and name not in values[key].returned
    )
    return Step(
        id=str(row.get("id", "")),
        reactants=_names(row, "reactants"),
        products=_names(row, "products"),
        over=_over(_names(row, "agents"), _names(row, "solvents"), row.get("target_yield")),
        state="" if known else "missing",
        missing=lacking,
    )


def _names(row: Mapping[str, Any], key: str) -> list[str]:
    value = row.get(key)
    return [str(name) for name in value] if isinstance(value, list) else []


def _over(agents: Sequence[str], solvents: Sequence[str], yield_percent: Any) -> list[str]:
    names = [*agents, *solvents]
    more = [f"and {len(names) - _OVER} more"] if len(names) > _OVER else []
    return [
        *names[:_OVER],
        *more,
        *([f"{yield_percent:g} %"] if isinstance(yield_percent, int | float) else []),
    ]
