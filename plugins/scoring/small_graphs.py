"""The small graphs on which a query is tried, made for the molecules of its question.

Each graph holds reactions that belong to the answer and others that resemble them. What tells a reaction from
the right ones is its note, in words that complete "a reaction that ...".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.interpreter.graph import GraphNode, GraphRelationship, SmallGraph
from retrocypher.kg.questions.gold import ReactionNetwork
from retrocypher.prompts.validation.finding import QuestionIntent
from retrocypher.prompts.validation.reaction_graph import Domain

_ENDS: Final = "endpoint_anchoring"
TYPE: Final = "wrong_relationship"
LENGTH: Final = "path_length"
_NAME: Final = "wrong_entity"
SET: Final = "set_logic"
_TURNED: Final = "traversal_direction"
_NULL: Final = "missing_null_check"
APART: Final = "duplicate_or_incomplete"
"""What has nothing to do with a molecule is returned where nothing joins it to the rest of a query."""


@dataclass(frozen=True, slots=True)
class Note:
    """What is special about a reaction, and the error label of a query that wrongly returns it."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A small graph: its reactions, and what is special about each by its id."""

    reactions: tuple[Reaction, ...]
    notes: Mapping[int, Note]

    @property
    def network(self) -> ReactionNetwork:
        """The reactions, indexed by their products."""
        return ReactionNetwork.of(self.reactions)

    def graph(self, domain: Domain) -> SmallGraph:
        """The property graph, with the names of the schema."""
        return small_graph(self.reactions, domain)


class _Reactions:
    """Reactions in the making.

    The ids do not follow the order of routes or yields, and are of all sizes: wherever a condition draws a
    line between ids, reactions of the answer are on both sides.
    """

    def __init__(self) -> None:
        self._made: list[Reaction] = []
        self._notes: dict[int, Note] = {}

    def add(
        self,
        note: str,
        reactants: Sequence[str],
        products: Sequence[str],
        *,
        agents: Sequence[str] = (),
        solvents: Sequence[str] = (),
        yields: Sequence[float | None] = (),
        error: str = "",
    ) -> None:
        """Add a reaction; yields that are not given are unknown.

        Args:
            error: The label of a query that wrongly returns it.
        """
        place = (len(self._made) * 37 + 11) % 211
        # Above 100, since a number of steps or a yield must not look like an id.
        number = 100 + place + round(1.07**place)
        known = (*yields, *[None] * (len(products) - len(yields)))
        self._made.append(
            Reaction(number, tuple(reactants), tuple(products), tuple(agents), tuple(solvents), known)
        )
        self._notes[number] = Note(note, error)

    def trial(self) -> Trial:
        """The graph that they make."""
        return Trial(tuple(self._made), self._notes)


MOST_STEPS: Final = 12
MOST_PRODUCTS: Final = 6
"""Beyond these, the graphs would not be small."""


def small_graphs(asked: QuestionIntent) -> tuple[Trial, ...]:
    """Return the small graphs for a question.

    There are none where it is not understood, leaves the steps open, or asks about more than `MOST_STEPS` or
    `MOST_PRODUCTS`.
    """
    names = [molecule.name for molecule in asked.molecules]
    roles = {molecule.role: molecule.name for molecule in asked.molecules}
    if (asked.steps or 0) > MOST_STEPS or len(names) > MOST_PRODUCTS:
        return ()
    match asked.intent:
        case "multi_product" if names:
            return (_several_products(names), _many(names))
        case "chains_to_target" | "intermediates" | "multi_step_precursors" if asked.steps:
            return _route_graphs(roles["target"], None, asked.steps)
        case "chains_between" if asked.steps:
            return _route_graphs(roles["target"], roles["start"], asked.steps)
        case "precursors" | "producing_reactions" | "best_yield" | "co_products" | "conditions" if names:
            return (_one_target(names[0]), _many(names[:1]))
    return ()


def _one_target(target: str) -> Trial:
    made = _Reactions()
    made.add("makes the target", ["a", "b"], [target], agents=["c1"], solvents=["d1"], yields=[61.5])
    made.add(
        "makes the target beside another product", ["e"], [target, "co1"], solvents=["f"], yields=[48.25]
    )
    made.add(
        "makes the target, with no known yield and without a solvent",
        ["g"],
        [target],
        agents=["h", "i"],
        error=_NULL,
    )
    # No reaction has many of several components: their combinations would be too many rows.
    made.add(
        "makes the target beside products with higher yields",
        ["j", "b"],
        ["co1", target, "co3", "co4", "co5"],
        agents="c",
        solvents=["d", "l"],
        yields=[88.75, 72.5, 90.25],
    )
    made.add(
        "makes the target from many reactants, with many agents",
        ["j", "j2", "j3", "j4", "j5"],
        [target],
        agents=["c", "k", "k2", "k3", "k4"],
        solvents="d",
        yields=[33.0],
    )
    made.add(
        "makes the target in many solvents",
        ["j", "j2"],
        [target],
        agents=["k", "k2"],
        solvents=["d", "l", "l2", "l3", "l4"],
        yields=[41.5],
    )
    made.add("makes the target, without an agent and a solvent", ["m"], [target], yields=[9.75])
    made.add(
        "has nothing to do with the target",
        ["a", "t"],
        ["u"],
        agents="c",
        solvents="d",
        yields=[99.5],
        error=APART,
    )
    made.add(
        "takes the target as a reactant",
        [target, "n"],
        ["o"],
        agents="c",
        solvents="d",
        yields=[95.5],
        error=_ENDS,
    )
    made.add(
        "uses the target as an agent", ["p"], ["q"], agents=[target], solvents="d", yields=[96.5], error=TYPE
    )
    made.add(
        "uses the target as a solvent",
        ["r"],
        ["s"],
        agents="c",
        solvents=[target],
        yields=[97.5],
        error=TYPE,
    )
    made.add(
        "makes a reactant of its reactions",
        ["v"],
        ["a"],
        agents=["w"],
        solvents=["x"],
        yields=[98.5],
        error=LENGTH,
    )
    made.add("takes another product of its reactions", ["co1"], ["y"], yields=[94.5], error=_ENDS)
    _alike(made, [target], ["a"])
    return made.trial()


def _many(products: Sequence[str]) -> Trial:
    """Many reactions that make some molecules, so that a LIMIT shows, with yields of all sizes.

    The best one has no conditions.
    """
    made = _Reactions()
    for number in range(40):
        known = 2.5 * (number * 17 % 40) + 2.25
        conditions = () if number in (20, 30) or known == 99.75 else ("c",)
        made.add(
            "makes what is asked for",
            [f"r{number}"],
            [*products, f"co{number}"],
            agents=conditions,
            solvents=conditions,
            yields=[known],
        )
    return made.trial()


def _several_products(products: Sequence[str]) -> Trial:
    made = _Reactions()
    made.add(
        "makes all of them", ["a", "b"], products, agents=["c1", "c2"], solvents=["d1", "d2"], yields=[61.5]
    )
    made.add("makes all of them and another product", ["e"], [*products[::-1], "co1"], solvents=["f"])
    made.add("makes all of them, without a solvent", ["g"], products, agents=["h", "i"], yields=[None, 20.0])
    for count in range(1, len(products)):
        for some in combinations(products, count):
            made.add("makes only some of them", ["a", "j"], some, agents="c", solvents="d", error=SET)
            made.add(
                "makes only some of them and another product", ["k"], [*some, "co2"], agents=["l"], error=SET
            )
    for taken in products:
        left = [each for each in products if each != taken]
        made.add(
            "takes one of them and makes the others", [taken], left, agents="c", solvents="d", error=_ENDS
        )
        made.add("uses one of them as an agent", ["m"], left, agents=[taken], solvents="d", error=TYPE)
        made.add("uses one of them as a solvent", ["m"], left, agents="c", solvents=[taken], error=TYPE)
    made.add("takes all of them", products, ["n"], agents="c", solvents="d", error=_ENDS)
    made.add("has nothing to do with them", ["a"], ["o"], agents="c", solvents="d", error=APART)
    _alike(made, products, ["a"])
    return made.trial()


def _route_graphs(target: str, start: str | None, steps: int) -> tuple[Trial, ...]:
    make = (_turned_routes, _routes, _followed_routes, _many_routes)
    return tuple(each(target, start, steps) for each in make)


def _turned_routes(target: str, start: str | None, steps: int) -> Trial:
    """A route, and paths against the arrows: few, since there are many ways without direction."""
    made = _Reactions()
    begin = start or "a0"
    _route(made, "a", begin, target, steps, "is part of a route")
    for place in range(1, steps):
        _false_route(made, begin, target, steps, place, "reactants")
    return made.trial()


def _routes(target: str, start: str | None, steps: int) -> Trial:
    """Routes of the number of steps, shorter and longer ones, and other ways through the graph."""
    made = _Reactions()
    begin = start or "a0"
    main = _route(made, "a", begin, target, steps, "is part of a route")
    if start is None:
        _route(made, "b", "b0", target, steps, "is part of a route", "first")
    else:
        _route(made, "b", begin, target, steps, "is part of a route", "first")
        _route(made, "e", "e0", target, steps, "is part of a route from elsewhere", error=APART)
    for length in range(1, steps):
        # Nothing leads to its first molecule, so that it is no part of a longer route.
        first = start or f"short{length}_0"
        _route(made, f"short{length}_", first, target, length, "is part of a shorter route", error=LENGTH)
    for length in dict.fromkeys((steps + 1, 2 * steps)):
        _route(made, f"long{length}_", begin, target, length, "is part of a longer route", error=LENGTH)
    made.add("comes before the route", ["before"], [begin], agents="c", solvents="d", error=LENGTH)
    made.add("comes after the route", [target], ["after"], agents="c", solvents="d", error=_ENDS)
    made.add("takes the target in place of making it", [main[-2], target], ["after"], agents="c", error=_ENDS)
    made.add("only uses the target as an agent", [main[-2]], ["o"], agents=[target], solvents="d", error=TYPE)
    made.add(
        "only uses the target as a solvent", [main[-2]], ["p"], agents="c", solvents=[target], error=TYPE
    )
    for role in ("agents", "solvents"):
        for place in sorted({1, steps - 1} - {0}):
            _false_route(made, begin, target, steps, place, role)
    if steps > 1:
        made.add("joins the route from elsewhere", ["other"], [main[1]], agents="c", solvents="d")
        made.add(
            "only uses an intermediate as an agent",
            ["x"],
            [target],
            agents=[main[1]],
            solvents="d",
            error=TYPE,
        )
        made.add(
            "only uses an intermediate as a solvent",
            ["y"],
            [target],
            agents="c",
            solvents=[main[-2]],
            error=TYPE,
        )
        twins = ["twin1", "twin2"]
        made.add("makes two molecules that go on together", [begin], twins, agents="c", solvents="d")
        _route(made, "t", "twin1", target, steps - 1, "takes two molecules of one reaction", "twin2")
    made.add("only uses the start as an agent", ["z"], [main[1]], agents=[begin], error=TYPE)
    _route(made, "else", start or "else0", "elsewhere", steps, "leads to another molecule", error=APART)
    _alike(made, [target], [main[-2]])
    for other in [] if start is None else _resembling(start):
        if other and other not in main:
            made.add(
                "takes another molecule with a similar name", [other], [main[1]], agents="c", error=_NAME
            )
    return made.trial()


def _followed_routes(target: str, start: str | None, steps: int) -> Trial:
    """A route, and one that begins where it ends."""
    made = _Reactions()
    _route(made, "a", start or "a0", target, steps, "is part of a route")
    _route(made, "after", target, start or "after0", steps, "is part of a route from the target", error=_ENDS)
    return made.trial()


def _many_routes(target: str, start: str | None, steps: int) -> Trial:
    """Many routes, so that a LIMIT shows; they differ in their first step."""
    made = _Reactions()
    rest = _route(made, "m", "m0", target, steps - 1, "is part of the routes") if steps > 1 else [target]
    for number in range(40):
        made.add(f"is the first step of route {number + 1}", [start or f"r{number // 2}"], [rest[0]])
    return made.trial()


def _route(
    made: _Reactions,
    name: str,
    first: str,
    last: str,
    steps: int,
    note: str,
    beside: str | None = None,
    error: str = "",
) -> list[str]:
    """Add a route from one molecule to another, with a second reactant at its first step; its molecules."""
    molecules = [first, *(f"{name}{place}" for place in range(1, steps)), last]
    for place in range(steps):
        second = beside if place == 0 else f"{name}with{place}"
        made.add(
            note,
            [molecules[place], *([] if second is None else [second])],
            [molecules[place + 1], f"{name}co{place}"],
            # Only the main route has them, so that a query that demands them loses the others.
            agents=[f"agent{place}"] if name == "a" else (),
            solvents=["d"] if name == "a" else (),
            # Another route has the best yields, so that a condition on them does not look like one on agents.
            yields=[{"a": 30.0, "b": 80.0}.get(name, 20.0) + place],
            error=error,
        )
    return molecules


def _false_route(made: _Reactions, first: str, last: str, steps: int, link: int, role: str) -> None:
    """Add reactions of which one hands on another component instead of a product."""
    molecules = [first, *(f"{role}{link}_{place}" for place in range(1, steps)), last]
    for place in range(steps):
        handed = molecules[place + 1]
        others = {role: [handed]} if place + 1 == link else {}
        made.add(
            f"goes on with a molecule that is only among the {role} of the step before",
            [molecules[place], *others.get("reactants", ())],
            [f"{role}{link}_aside"] if others else [handed],
            agents=others.get("agents", ()),
            solvents=others.get("solvents", ()),
            error=_TURNED if role == "reactants" else TYPE,
        )


def _alike(made: _Reactions, names: Sequence[str], reactants: Sequence[str]) -> None:
    """Add reactions that make molecules whose names resemble those of the question."""
    for name in names:
        for other in _resembling(name):
            if other and other not in names:
                made.add(
                    "makes another molecule with a similar name", reactants, [other], agents="c", error=_NAME
                )


def _resembling(text: str) -> Iterator[str]:
    yield from dict.fromkeys((f"{text}C", f"C{text}", text[:-1], text[1:], text.swapcase(), f"{text[:-1]}*"))


def small_graph(reactions: Sequence[Reaction], domain: Domain) -> SmallGraph:
    """Return the property graph of some reactions, with the names of the schema."""
    molecules: dict[str, GraphNode] = {}
    nodes: list[GraphNode] = []
    edges: list[GraphRelationship] = []

    def node(label: str, name: str, value: str | int) -> GraphNode:
        nodes.append(GraphNode(len(nodes), frozenset({label}), {name: value}))
        return nodes[-1]

    for each in reactions:
        made = node(domain.reaction, domain.reaction_id, each.id)
        for role, component in domain.components.items():
            for place, name in enumerate(getattr(each, role)):
                if name not in molecules:
                    molecules[name] = node(domain.molecule, domain.molecule_name, name)
                start, end = (molecules[name], made) if component.into else (made, molecules[name])
                known = each.yields[place] if component.type == domain.yield_type else None
                properties = {} if known is None else {domain.yield_name: known}
                edges.append(GraphRelationship(len(edges), component.type, start, end, properties))
    return SmallGraph(nodes, edges)
