"""A pedant that judges a query by the checklist, point by point and to the letter.

It knows nothing of the schema validator. Where a point speaks of what is written, it looks at the text; where
it speaks of what is returned, it runs the query over small graphs and looks at the rows.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from retrocypher.kg.cypher.edits import string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.cypher.tokens import Node, tokens
from retrocypher.kg.graph.reaction import ROLES, Reaction
from retrocypher.kg.interpreter.graph import SmallGraph
from retrocypher.kg.interpreter.interpreter import interpret
from retrocypher.kg.interpreter.values import NotInterpretedError, QueryFailsError
from retrocypher.kg.questions.gold import ReactionNetwork, Walk, yield_of
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, setting_of
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.query_model import EdgeTerm, Element, NodeTerm, QueryModel
from retrocypher.kg.semantics.reader import read_query
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.scoring.small_graphs import small_graph, small_graphs
from retrocypher.prompts.validation.checklist import CheckItem, checklist_for
from retrocypher.prompts.validation.finding import Convention, QuestionIntent
from retrocypher.prompts.validation.question import read_question
from retrocypher.prompts.validation.reaction_graph import load_domain

_SCHEMA = default_schema()
_NAMES_OF_SCHEMA = {*_SCHEMA.labels, *_SCHEMA.types, *_SCHEMA.properties}
_WORD = re.compile(r"[a-z_]*")
_ROLE_WORDS = {
    "co_products": r"co_?prod|by_?prod|side_?prod|other_?prod|additional",
    "agents": "agent|catalyst",
    "solvents": "solv",
    "reactants": "reactant|precursor|substrate|educt|input",
    "products": "product|output|formed",
}
"""What a pedant takes a name for, the first that fits."""


def rejected_points(query: str, question: str, convention: Convention) -> list[str]:
    """Return the points of the checklist for a question, as `cove` picks it, that a query does not hold.

    Raises KeyError for a point that has no rule.
    """
    reader = LiteralReader(query, question, convention)
    return [item.text for item in reader.checklist if not RULES[item.text](reader)]


@dataclass(frozen=True, eq=False)
class Small:
    """A small graph, and what the question asks for there."""

    reactions: Mapping[int, Reaction]
    graph: SmallGraph
    molecules: frozenset[str]
    wanted: tuple[Reaction, ...]
    walks: tuple[Walk, ...]
    element_ids: Mapping[str, int]

    @property
    def routes(self) -> set[tuple[int, ...]]:
        """The ids of the reactions of each path, from its beginning to the target."""
        return {tuple(int(part) for part in walk[1::2]) for walk in self.walks}

    def made(self, names: Iterable[str]) -> set[int]:
        """The ids of the reactions that produce all of some molecules."""
        return {number for number, each in self.reactions.items() if set(names) <= set(each.products)}


@dataclass(frozen=True, eq=False)
class Run:
    """The rows of a query on a small graph."""

    small: Small
    columns: list[str]
    rows: list[list[Any]]

    @cached_property
    def ids(self) -> set[int]:
        """The ids of reactions that are returned, anywhere."""
        return set(self.ids_in(self.rows))

    @cached_property
    def names(self) -> set[str]:
        """The names of molecules that are returned, anywhere."""
        return set(self.names_in(self.rows))

    @cached_property
    def numbers(self) -> set[float]:
        """The yields that are returned, anywhere."""
        return {each for each in _leaves(self.rows) if isinstance(each, float)}

    @cached_property
    def groups(self) -> list[tuple[int | None, set[str]]]:
        """The names of molecules that stand together, each with the one reaction that they stand with."""
        return [group for row in self.rows for group in self._groups(row)]

    @cached_property
    def routes(self) -> set[tuple[int, ...]]:
        """The sequences of reactions that are returned, by their numbers where they have some."""
        if {"route", "step"} <= set(self.columns):  # one reaction a row
            route, step = self.columns.index("route"), self.columns.index("step")
            rows = sorted(self.rows, key=lambda row: (row[route], row[step]))
            by_route: dict[Any, list[int]] = {}
            for row in rows:
                by_route.setdefault(row[route], []).extend(self.ids_in(row))
            return set(map(tuple, by_route.values()))
        order = _numbers(self.columns) or range(len(self.columns))
        return {route for row in self.rows for route in self._routes([row[place] for place in order])}

    @cached_property
    def paths(self) -> list[dict[str, Any]]:
        """The paths that are returned as such."""
        return [each["$path"] for each in _dicts(self.rows) if "$path" in each]

    @cached_property
    def named(self) -> list[tuple[str, set[str], set[int]]]:
        """Role, molecules and reactions beside them, of each column or entry whose name tells one."""
        return [
            (role, set(self.names_in(value)), set(self.ids_in(row)))
            for row in self.rows
            for name, value in self._entries(row)
            if (role := _role(name)) is not None
        ]

    def ids_in(self, value: Any) -> Iterator[int]:
        """The ids of reactions in a value."""
        for each in _leaves(value):
            if isinstance(each, int) and each in self.small.reactions:
                yield each
            elif isinstance(each, str) and each in self.small.element_ids:
                yield self.small.element_ids[each]

    def names_in(self, value: Any) -> Iterator[str]:
        """The names of molecules in a value."""
        return (each for each in _leaves(value) if isinstance(each, str) and each in self.small.molecules)

    def _groups(self, value: Any) -> Iterator[tuple[int | None, set[str]]]:
        found = set(self.ids_in(value))
        parts = _parts(value)
        if len(found) < 2 or not parts:
            yield next(iter(found), None), set(self.names_in(value))
            return
        for part in parts:
            yield from self._groups(part)

    def _routes(self, value: Any) -> Iterator[tuple[int, ...]]:
        """The innermost sequences that hold several reactions; a lone one is a sequence of one."""
        if isinstance(value, dict) and "$path" in value:
            nodes = value["$path"]["nodes"]
            ids = [number for node in nodes for number in self.ids_in(node["properties"])]
            forward = not value["$path"]["relationships"] or (
                value["$path"]["relationships"][0]["start"] == nodes[0]["id"]
            )
            yield tuple(ids if forward else ids[::-1])
            return
        parts = _parts(value)
        # A sequence within: of reactions that are nodes, ids or maps about one of them each.
        alone = [list(dict.fromkeys(self.ids_in(part))) for part in parts]
        if any(len(each) > 1 or _is_sequence(part) for each, part in zip(alone, parts, strict=True) if each):
            for part, each in zip(parts, alone, strict=True):
                if each:
                    yield from self._routes(part)
            return
        sequence = tuple(number for each in alone for number in each)
        if sequence or not parts:
            yield sequence or tuple(self.ids_in(value))

    def _entries(self, row: list[Any]) -> Iterator[tuple[str, Any]]:
        for column, value in zip(self.columns, row, strict=True):
            if not isinstance(value, dict) or "$node" in value:
                yield column, value
            for each in _dicts(value):
                yield from ((key, part) for key, part in each.items() if not key.startswith("$"))
        # One molecule a row, beside a word that says what it is.
        for word in row:
            if isinstance(word, str) and word not in self.small.molecules and _role(word):
                yield word, [each for each in row if isinstance(each, str)]


class LiteralReader:
    """A query with its question, as the pedant sees them."""

    def __init__(self, query: str, question: str, convention: Convention) -> None:
        self.query, self.question, self.convention = query, question, convention
        self.asked = read_question(question)
        self.intent = self.asked.intent or ""
        self.parsed = parse(query)

    @property
    def checklist(self) -> tuple[CheckItem, ...]:
        """The points that hold for the question."""
        return checklist_for(setting_of(self.intent), self.asked.intent, self.convention)

    @property
    def asked_names(self) -> set[str]:
        """The molecules of the question."""
        return {molecule.name for molecule in self.asked.molecules}

    @cached_property
    def model(self) -> QueryModel:
        """What is read of the query."""
        return read_query(self.parsed, _SCHEMA)

    @cached_property
    def runs(self) -> list[Run]:
        """The query on the small graphs; none where it is not run."""
        found = []
        for small in _smalls(self.asked):
            try:
                result = interpret(self.parsed, small.graph)
            except (NotInterpretedError, QueryFailsError):
                return []
            found.append(Run(small, result.columns, result.rows))
        return found

    @property
    def literals(self) -> list[tuple[str, str]]:
        """The strings of the query that may be meant as molecules: value, and text between the quotes."""
        return [
            (each.value, each.raw[1:-1])
            for each in string_literals(self.query)
            if each.value not in _NAMES_OF_SCHEMA and (each.value in self.asked_names or _is_name(each.value))
        ]

    def every(self, rule: Callable[[Run], bool]) -> bool:
        """Whether something holds on each small graph."""
        return all(rule(run) for run in self.runs)


@lru_cache(maxsize=8)
def _smalls(asked: QuestionIntent) -> tuple[Small, ...]:
    graphs = [trial.reactions for trial in small_graphs(asked)]
    name = asked.molecules[0].name
    if asked.intent == "best_yield":
        graphs.append(
            (
                Reaction(900_001, ("a",), (name,), ("b",), ("c",), (70.5,)),
                Reaction(900_002, ("d",), (name, "e"), (), (), (70.5, 90.5)),
                Reaction(900_003, ("f",), (name,), (), ("g",), (20.5,)),
            )
        )
    return tuple(_small(reactions, asked) for reactions in graphs)


def _small(reactions: tuple[Reaction, ...], asked: QuestionIntent) -> Small:
    graph = small_graph(reactions, load_domain())
    network = ReactionNetwork.of(reactions)
    roles = {molecule.role: molecule.name for molecule in asked.molecules}
    names = [molecule.name for molecule in asked.molecules]
    wanted = tuple(each for each in reactions if set(names) <= set(each.products))
    walks: tuple[Walk, ...] = ()
    if asked.intent in MULTI_STEP_TASKS:
        walks = tuple(
            walk
            for walk in network.walks_to(roles["target"], asked.steps or 1)
            if roles.get("start") in (None, walk[0])
        )
    elif asked.intent == "best_yield":
        known = [each for each in wanted if yield_of(each, names[0]) is not None]
        best = max((yield_of(each, names[0]) or 0.0 for each in known), default=None)
        wanted = tuple(each for each in known if yield_of(each, names[0]) == best)
    return Small(
        {each.id: each for each in reactions},
        graph,
        frozenset(name for each in reactions for role in ROLES for name in getattr(each, role)),
        wanted,
        walks,
        {f"4:small:{node.id}": node.properties["id"] for node in graph.nodes if "id" in node.properties},
    )


def _leaves(value: Any) -> Iterator[Any]:
    parts = _parts(value)
    if not parts:
        yield value
    for part in parts:
        yield from _leaves(part)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict) and "$node" in value:
        return [value["$node"]["properties"]]
    if isinstance(value, dict) and "$relationship" in value:
        relation = value["$relationship"]
        return [relation["start"], relation["properties"], relation["end"]]
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in _parts(value):
        yield from _dicts(part)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and "$path" in value)


def _numbers(columns: list[str]) -> list[int] | None:
    """The places of columns by the numbers at the end of their names; None where not all have one."""
    found = [re.search(r"\d+$", column) for column in columns]
    if not all(found):
        return None
    return sorted(range(len(columns)), key=lambda place: int(found[place][0]))  # type: ignore[index]


def _role(name: str) -> str | None:
    return next((role for role, words in _ROLE_WORDS.items() if re.search(words, name.lower())), None)


def _is_name(text: str) -> bool:
    """Whether a string is none of the words by which queries tell parts apart, nor a separator."""
    return bool(re.search(r"[A-Za-z]", text)) and not _WORD.fullmatch(text)


# What is written.


def _complete(reader: LiteralReader) -> bool:
    if reader.parsed.errors or reader.parsed.unread:
        return False
    open_: list[str] = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for token in tokens(reader.query):
        if token.text in pairs.values():
            open_.append(token.text)
        elif token.text in pairs and (not open_ or open_.pop() != pairs[token.text]):
            return False
    query: Node | None = reader.parsed.root.nodes("statement")[-1].node("regularQuery")
    if open_ or query is None:
        return False
    return query.nodes("singleQuery")[-1].nodes("clause")[-1].node("returnClause") is not None


def _of_schema(reader: LiteralReader) -> bool:
    model = reader.model
    return (
        # `x:NAME` tests a label of a node, or a type of a relationship.
        all(_SCHEMA.has_label(use.name) or _SCHEMA.has_type(use.name) for use in model.labels)
        and all(_SCHEMA.has_type(use.name) for use in model.types)
        and all(
            _SCHEMA.has_property(use.name)
            for use in model.properties
            if isinstance(use.of, NodeTerm | EdgeTerm | Element)
        )
    )


def _arrows(reader: LiteralReader) -> bool:
    return not correct_directions(reader.parsed, _SCHEMA).turned


def _by_name(reader: LiteralReader) -> bool:
    return {value for value, _ in reader.literals} == reader.asked_names and reader.every(
        lambda run: bool(run.rows)
    )


def _to_the_letter(reader: LiteralReader) -> bool:
    return all(raw.replace("\\\\", "\\") in reader.asked_names for _, raw in reader.literals)


def _nothing_cut(reader: LiteralReader) -> bool:
    if not any(token.text.upper() in ("LIMIT", "SKIP", "OFFSET") for token in tokens(reader.query)):
        return True
    if reader.intent == "best_yield":
        return reader.every(lambda run: bool(run.rows))
    if reader.intent in MULTI_STEP_TASKS:
        return _no_path_left_out(reader)
    return reader.every(
        lambda run: (
            {each.id for each in run.small.wanted} <= run.ids
            if run.ids
            else _names_of(run.small.wanted, reader) <= run.names
        )
    )


# What is returned for questions of one step.


def _focus(reader: LiteralReader) -> tuple[str, ...]:
    match reader.intent:
        case "precursors":
            return ("reactants",)
        case "conditions":
            return tuple(reader.asked.components)
        case "co_products":
            return ("co_products",)
    return ()


def _names_of(reactions: Iterable[Reaction], reader: LiteralReader) -> set[str]:
    return {name for each in reactions for role in _focus(reader) for name in _of_role(each, role, reader)}


def _of_role(reaction: Reaction, role: str, reader: LiteralReader) -> set[str]:
    if role == "co_products":
        return set(reaction.products) - reader.asked_names
    return set(getattr(reaction, role))


def _roles_kept(reader: LiteralReader) -> bool:
    if reader.intent in MULTI_STEP_TASKS:
        return _steps_join(reader)

    def kept(run: Run) -> bool:
        others = {
            number
            for number, each in run.small.reactions.items()
            if reader.asked_names & {*each.reactants, *each.agents, *each.solvents}
        }
        return not others & run.ids and all(
            names
            <= {
                name
                for number in ids or (each.id for each in run.small.wanted)
                for name in _of_role(run.small.reactions[number], role, reader)
            }
            for role, names, ids in run.named
            if ids or reader.intent != "best_yield"
        )

    return reader.every(kept)


def _whole_reactions(reader: LiteralReader) -> bool:
    def whole(run: Run) -> bool:
        complete = [
            {name for role in ROLES for name in getattr(each, role)}
            <= {name for number, names in run.groups if number in (None, each.id) for name in names}
            for each in run.small.wanted
            if not run.ids or each.id in run.ids
        ]
        # Of reactions that share the highest yield, one is enough.
        best = reader.intent == "best_yield" and not run.ids
        return any(complete) if best else bool(complete) and all(complete)

    return reader.every(whole)


def _what_is_asked(reader: LiteralReader) -> bool:
    if not _focus(reader):
        return reader.every(
            lambda run: (
                bool({each.id for each in run.small.wanted} & run.ids)
                if reader.intent == "best_yield"
                else {each.id for each in run.small.wanted} <= run.ids
            )
        )
    return reader.every(lambda run: _names_of(run.small.wanted, reader) <= run.names)


def _bare_too(reader: LiteralReader) -> bool:
    def there(run: Run) -> bool:
        bare = [
            each
            for each in run.small.wanted
            if not (each.agents and each.solvents)
            # Nothing is said of reactions that have nothing of what is asked for.
            and (reader.intent != "co_products" or len(each.products) > 1)
        ]
        returned = [
            each.id in run.ids
            if run.ids
            else {name for role in ROLES for name in getattr(each, role)} <= run.names
            for each in bare
        ]
        # Of reactions that share the highest yield, one is enough.
        several = reader.intent == "best_yield" and len(run.small.wanted) > 1
        return several or all(returned)

    return reader.every(there)


def _own_reaction(reader: LiteralReader) -> bool:
    def own(run: Run) -> bool:
        return all(
            number is None
            or names <= {name for role in ROLES for name in getattr(run.small.reactions[number], role)}
            for number, names in run.groups
        )

    return reader.every(own)


def _only_makers(reader: LiteralReader) -> bool:
    return reader.every(
        lambda run: (
            run.ids <= run.small.made(reader.asked_names)
            and run.names
            <= {
                name
                for number in run.small.made(reader.asked_names)
                for role in ROLES
                for name in getattr(run.small.reactions[number], role)
            }
        )
    )


def _goes_in(reader: LiteralReader) -> bool:
    return _only_makers(reader) and reader.every(
        lambda run: all(
            names
            <= {
                name
                for number in ids or run.small.made(reader.asked_names)
                for name in run.small.reactions[number].reactants
            }
            for role, names, ids in run.named
            if role == "reactants"
        )
    )


def _yields(run: Run, reader: LiteralReader) -> dict[int, float | None]:
    (name,) = reader.asked_names
    return {
        number: yield_of(run.small.reactions[number], name)
        for number in run.ids & run.small.made(reader.asked_names)
    }


def _yield_known(reader: LiteralReader) -> bool:
    return reader.every(lambda run: None not in _yields(run, reader).values())


def _highest(reader: LiteralReader) -> bool:
    return reader.every(lambda run: not run.ids or bool(run.ids & {each.id for each in run.small.wanted}))


def _only_best(reader: LiteralReader) -> bool:
    return reader.every(lambda run: run.ids <= {each.id for each in run.small.wanted})


def _yield_too(reader: LiteralReader) -> bool:
    (name,) = reader.asked_names
    return reader.every(lambda run: {yield_of(each, name) for each in run.small.wanted} <= run.numbers)


def _all_named(reader: LiteralReader) -> bool:
    return reader.every(lambda run: run.ids <= run.small.made(reader.asked_names))


def _not_its_own(reader: LiteralReader) -> bool:
    return reader.every(
        lambda run: (
            not any(names & reader.asked_names for role, names, _ in run.named if role == "co_products")
        )
    )


def _beside(reader: LiteralReader) -> bool:
    return reader.every(
        lambda run: (
            {name for role, names, _ in run.named if role == "co_products" for name in names}
            >= {name for each in run.small.wanted for name in _of_role(each, "co_products", reader)}
        )
    )


def _conditions(reader: LiteralReader) -> bool:
    def fits(run: Run) -> bool:
        for role in ("agents", "solvents"):
            right = {
                name
                for number in run.small.made(reader.asked_names)
                for name in getattr(run.small.reactions[number], role)
            }
            if any(not names <= right for key, names, _ in run.named if key == role):
                return False
        return True

    return reader.every(fits)


# What is returned for questions of several steps.


def _to_target(reader: LiteralReader) -> bool:
    def leads(run: Run) -> bool:
        after = {
            number
            for number, each in run.small.reactions.items()
            if _target(reader) in {*each.reactants, *each.agents, *each.solvents}
        }
        return not after & run.ids

    return reader.every(leads)


def _target(reader: LiteralReader) -> str:
    return next(each.name for each in reader.asked.molecules if each.role == "target")


def _exact_length(reader: LiteralReader) -> bool:
    steps = reader.asked.steps or 1

    def exact(run: Run) -> bool:
        return all(len(route) == steps for route in run.routes) and all(
            len(path["relationships"]) == 2 * steps for path in run.paths
        )

    named = (path for path in reader.model.paths if path.variable)
    return reader.every(exact) and all(path.hops.exact in (None, 2 * steps) for path in named)


def _steps_join(reader: LiteralReader) -> bool:
    def joined(run: Run) -> bool:
        known = run.small.reactions
        return all(
            set(known[one].products) & set(known[next_].reactants)
            for route in run.routes
            for one, next_ in pairwise(route)
        ) and all(_target(reader) in known[route[-1]].products for route in run.routes if route)

    return reader.every(joined)


def _in_order(reader: LiteralReader) -> bool:
    return reader.every(lambda run: run.routes == run.small.routes)


def _no_path_left_out(reader: LiteralReader) -> bool:
    def complete(run: Run) -> bool:
        if run.ids or reader.intent in ("chains_to_target", "chains_between"):
            return run.small.routes <= run.routes
        return _asked_molecules(run, reader) <= run.names

    return reader.every(complete)


def _asked_molecules(run: Run, reader: LiteralReader) -> set[str]:
    part = slice(2, -1, 2) if reader.intent == "intermediates" else slice(0, 1)
    return {str(name) for walk in run.small.walks for name in walk[part]}


def _ends_at_target(reader: LiteralReader) -> bool:
    return reader.every(
        lambda run: (
            all(_target(reader) in run.small.reactions[route[-1]].products for route in run.routes if route)
            and {route[0] for route in run.small.routes} <= {route[0] for route in run.routes if route}
        )
    )


def _from_start(reader: LiteralReader) -> bool:
    start = next(each.name for each in reader.asked.molecules if each.role == "start")
    return reader.every(
        lambda run: all(
            start in run.small.reactions[route[0]].reactants
            and _target(reader) in run.small.reactions[route[-1]].products
            for route in run.routes
            if route
        )
    )


def _molecules_or_paths(reader: LiteralReader) -> bool:
    return reader.every(
        lambda run: (
            run.routes == run.small.routes or bool(run.paths) or run.names == _asked_molecules(run, reader)
        )
    )


RULES: dict[str, Callable[[LiteralReader], bool]] = {
    "The query is complete Cypher with balanced brackets and ends with a RETURN clause.": _complete,
    "Every label, relationship type and property of a node or relationship is one of the schema.": _of_schema,
    "Every arrow points the way the schema gives for its relationship type; it may be written from either "
    "side.": _arrows,
    "Agents, solvents, reactants and products are not taken for each other.": _roles_kept,
    "The query looks up all molecules of the question and no others, each by its name.": _by_name,
    "Every SMILES is copied from the question to the letter; only a backslash is written twice.": (
        _to_the_letter
    ),
    "A LIMIT or SKIP leaves out nothing that the question asks for.": _nothing_cut,
    "The query returns the reactants, products, agents and solvents of its reactions, by name or as nodes. "
    "Ids are not needed.": _whole_reactions,
    "The query returns what the question asks for. More may be returned but need not be.": _what_is_asked,
    "A reaction without an agent or a solvent is returned too.": _bare_too,
    "Molecules are returned with no other reaction than their own.": _own_reaction,
    "The reactions lead to the molecule to be made, not away from it.": _to_target,
    "Each path has exactly as many reactions as the question asks for steps, and so twice as many "
    "relationships.": _exact_length,
    "Each step leads from a reactant by REACTS_IN to a reaction, and from there by PRODUCES to a product.": (
        _steps_join
    ),
    "The query returns, for each path, its reactions in order or numbered, or the path itself.": _in_order,
    "No path is left out.": _no_path_left_out,
    "The molecule asked about is what the reactions produce, and the reactants are what goes in.": _goes_in,
    "The reactions are those that produce the molecule, not those that consume it.": _only_makers,
    "A reaction without a yield is not taken for the best one where another has a yield.": _yield_known,
    "The best reaction is the one with the highest yield of the molecule asked about, not of another "
    "product.": _highest,
    "No reaction but the best one is returned, or those that share the highest yield.": _only_best,
    "The yield of the best reaction is returned too.": _yield_too,
    "A reaction counts only if it produces all the molecules named, not just any of them.": _all_named,
    "The molecule asked about is not among its own co-products.": _not_its_own,
    "The co-products of each reaction are returned beside its components.": _beside,
    "Agents come from USES_AGENT and solvents from USES_SOLVENT.": _conditions,
    "A path may begin at any molecule, and ends at the target.": _ends_at_target,
    "Each path begins at the starting molecule and ends at the target.": _from_start,
    "The query returns the molecules between the beginning and the end of each path, or the paths or their "
    "reactions.": _molecules_or_paths,
    "The query returns the molecule at the beginning of each path, or the paths or their reactions.": (
        _molecules_or_paths
    ),
}
