"""Whether single-step questions get whole reactions, and the right parts of them."""

from collections.abc import Iterator

from kg.reading import Call, Item, MapTerm, NodeTerm, Operation, Term, walk
from prompts.validation._case import Case, names
from prompts.validation._focus import Focus
from prompts.validation._model import Finding
from prompts.validation._roles import Held, Roles

_ASKED = {"precursors": ("reactants",), "co_products": ("co_products",)}
_BINDING = {"reactants": "({0}:{1})-[:{2}]->({3})", "other": "({3})-[:{2}]->({0}:{1})"}


class Columns:
    """The returned columns and what each holds."""

    def __init__(self, case: Case, roles: Roles) -> None:
        returned = case.returned
        self.items: tuple[Item, ...] = () if returned is None else returned.items
        self.held = {item: roles.held(item.term) for item in self.items}
        self.known = returned is not None and not case.reading.unread
        self.roles = {each.role for held in self.held.values() for each in held}

    def has_all(self, component: str) -> bool:
        """Whether a component is returned, all of it."""
        held = {each.role for found in self.held.values() for each in found if not each.partial}
        if component == "products":
            return "products" in held or {"target", "co_products"} <= held
        return component in held


def check_reaction(case: Case, focus: Focus) -> Iterator[Finding]:
    """What is wrong with the columns, and with what rows are lost on the way to them."""
    asked_names = [molecule.name for molecule in case.asked.molecules]
    roles = Roles(case.view, focus.reactions, focus.targets, asked_names)
    columns = Columns(case, roles)
    if columns.known and not columns.roles - {"target", "value", "path"}:
        yield _nothing(case, columns)
        return
    explained: set[str] = set()
    for component, finding in _wrong_columns(case, columns, roles):
        explained.add(component)
        yield finding
    if columns.known and "unknown" not in columns.roles:
        yield from _missing(case, columns, roles, focus, explained)
        yield from _identity(case, columns)
    yield from _lost(case, focus, roles)


def _nothing(case: Case, columns: Columns) -> Finding:
    returned = case.returned
    at = (0, 0) if returned is None else (returned.start, returned.stop)
    what = names([f"`{item.column}`" for item in columns.items]) if columns.items else "nothing"
    wanted = names(["id", *required(case)]) if case.full else "what the question asks for"
    return Finding(
        "return_shape",
        f"The RETURN gives {what}, which tells nothing of the reactions. Return {wanted}, one row a "
        "reaction.",
        *at,
    )


def required(case: Case) -> list[str]:
    """The components that have to be returned."""
    intent = case.asked.intent
    if case.full:
        more = {"co_products": ["co_products"], "best_yield": ["yield"]}
        return ["reactants", "products", "agents", "solvents", *more.get(intent or "", [])]
    if intent == "conditions":
        return sorted(case.asked.components)
    return list(_ASKED.get(intent or "", ()))


def _wrong_columns(case: Case, columns: Columns, roles: Roles) -> Iterator[tuple[str, Finding]]:
    """Columns that do not hold what they promise, each with the component that it is about."""
    yield from _target_among(case, columns)
    needed = set(required(case))
    for item, found in columns.held.items():
        at = item.start, item.stop
        hint = case.domain.hint(item.column)
        held = {each.role for each in found} & {*case.domain.components, "co_products"}
        counted = _counted(item, roles) & needed
        for component in sorted(counted - columns.roles):
            message = f"`{item.column}` counts the {component}. Collect their names instead."
            yield component, Finding("wrong_aggregation_or_order", message, *at)
        for component in sorted({each.role for each in found if each.partial} & needed):
            message = f"`{item.column}` keeps only some of the {component} of a reaction. Return all of them."
            yield component, Finding("wrong_aggregation_or_order", message, *at)
        if "foreign" in {each.role for each in found} and hint is not None:
            yield from ((hint, finding) for finding in _foreign(case, item, found))
        for each in found:
            if each.role == "mixed" and each.link is not None:
                yield from ((component, _mixed(case, item, each)) for component in sorted(needed))
        if isinstance(item.term, MapTerm):
            continue  # its entries have names of their own
        if len(held) > 1 and hint in held and not held <= {"products", "co_products"}:
            message = f"`{item.column}` holds the {names(sorted(held))} together. Keep only the {hint} there."
            yield hint, Finding(f"extra_component:{hint}", message, *at)
        elif _is_component(case, hint) and len(held) == 1 and not _keeps(str(hint), held):
            held_there = next(each for each in found if each.role in held)
            yield str(hint), _mislabelled(case, str(hint), item, held_there)


def _keeps(hint: str, held: set[str]) -> bool:
    """Whether what a column holds is what its name promises; co-products are products too.

    A target among its co-products is told elsewhere.
    """
    return hint in held or (hint.endswith("products") and bool(held & {"products", "co_products"}))


def _is_component(case: Case, hint: str | None) -> bool:
    return hint in case.domain.components or hint == "co_products"


def _counted(item: Item, roles: Roles) -> set[str]:
    """The components that a column only counts."""
    if not isinstance(item.term, Call) or item.term.name not in ("count", "size"):
        return set()
    return {each.role for argument in item.term.arguments for each in roles.held(argument)}


def _foreign(case: Case, item: Item, found: list[Held]) -> Iterator[Finding]:
    """A column of molecules that another reaction has, or that none has."""
    for each in found:
        if each.role == "foreign" and each.node is not None and case.view.is_molecule(each.node):
            yield Finding(
                "duplicate_or_incomplete",
                f"`{item.column}` does not come from the reactions that are asked about: "
                f"{case.view.name(each.node)} is bound to another node. Use the same reaction variable.",
                item.start,
                item.stop,
            )


def _mixed(case: Case, item: Item, held: Held) -> Finding:
    assert held.link is not None
    kinds = "|".join(sorted(held.link.types)) or "any relationship"
    return case.finding(
        "wrong_relationship",
        f"`{item.column}` mixes several components, since {case.pattern(held.link)} follows {kinds}. "
        "Match each component by its own type.",
        held.link.edge,
    )


def _mislabelled(case: Case, hint: str, item: Item, held: Held) -> Finding:
    meant = None if held.node is None else case.domain.hint(case.reading.nodes[held.node].variable)
    if meant == held.role or held.link is None:
        return Finding(
            "return_shape",
            f"The column `{item.column}` holds the {held.role}. Return the {hint} there.",
            item.start,
            item.stop,
        )
    return case.finding(
        "wrong_relationship",
        f"`{item.column}` holds the {held.role}, since {case.pattern(held.link)} follows "
        f"`{'|'.join(sorted(held.link.types))}`. The {hint} are found by "
        f"`{case.domain.components['products' if hint == 'co_products' else hint].type}`.",
        held.link.edge,
    )


def _target_among(case: Case, columns: Columns) -> Iterator[tuple[str, Finding]]:
    if case.asked.intent != "co_products" or "co_products" in columns.roles:
        return
    target = case.asked.molecules[0].name
    for item, held in columns.held.items():
        named = case.domain.hint(item.column)
        for each in held:
            variable = None if each.node is None else case.reading.nodes[each.node].variable
            if each.role == "products" and "co_products" in (named, case.domain.hint(variable)):
                message = (
                    f"`{item.column}` still holds {target} itself. Leave it out: WHERE "
                    f"{variable or 'co_product'}.{case.domain.molecule_name} <> the molecule asked about."
                )
                yield "co_products", Finding("extra_component:co_products", message, item.start, item.stop)
                return


def _missing(
    case: Case, columns: Columns, roles: Roles, focus: Focus, explained: set[str]
) -> Iterator[Finding]:
    returned = case.returned
    stop = len(case.text) if returned is None else returned.stop
    lacking: dict[str, str] = {}
    for component in required(case):
        if component in explained or columns.has_all(component) or component in columns.roles - {"products"}:
            continue
        if component != "yield":
            lacking[component] = _advice(case, component, roles, focus)
        elif "other_yield" not in columns.roles:
            lacking["target_yield"] = (
                f"The yield of the target is not returned: add `{case.domain.yield_name}` of its "
                f"`{case.domain.yield_type}` relationship to the RETURN."
            )
    if len(lacking) == 1:
        component, advice = lacking.popitem()
        yield Finding(f"missing_component:{component}", advice, stop, stop)
    elif lacking:
        yield Finding("missing_component", " ".join(lacking.values()), stop, stop)


def _advice(case: Case, component: str, roles: Roles, focus: Focus) -> str:
    type_of = "products" if component == "co_products" else component
    part = case.domain.components[type_of]
    singular = component.removesuffix("s")
    reaction = case.view.name(min(focus.reactions)).strip("`") if focus.reactions else "reaction"
    reaction = reaction if reaction.isidentifier() else "reaction"
    for node in case.reading.nodes:
        if {held.role for held in roles.held(NodeTerm(node.key))} == {component}:
            return (
                f"The {component} are matched as {case.view.name(node.key)} but not returned: add "
                f"collect(DISTINCT {node.variable or singular}.{case.domain.molecule_name}) AS {component}."
            )
    form = _BINDING["reactants" if part.into else "other"]
    pattern = form.format(singular, case.domain.molecule, part.type, reaction)
    filtered = " WHERE it is not the molecule asked about" if component == "co_products" else ""
    return (
        f"The {component} of the reactions are not returned: add OPTIONAL MATCH {pattern}{filtered}, and "
        "return "
        f"collect(DISTINCT {singular}.{case.domain.molecule_name}) AS {component}."
    )


def _identity(case: Case, columns: Columns) -> Iterator[Finding]:
    """Rows that cannot be told to belong to one reaction."""
    returned = case.returned
    if returned is None or not case.full or not (columns.roles & {*case.domain.components, "id"}):
        return
    keys = [item for item in columns.items if not _aggregated(item.term)]
    by_reaction = any(each.role in ("id", "yield") for item in keys for each in columns.held[item])
    if returned.grouped and not by_reaction:
        inner = [p for p in case.reading.projections if p is not returned and (p.grouped or p.limit)]
        nested = any(_holds_map(item.term) for item in columns.items)
        if not inner and not nested:
            yield Finding(
                "missing_component:id" if "id" not in columns.roles else "wrong_aggregation_or_order",
                f"The rows are not grouped by reaction, so all reactions flow into one row. Return "
                f"`{case.domain.reaction_id}` of the reaction beside the lists.",
                returned.start,
                returned.stop,
            )
    elif not returned.grouped and "id" not in columns.roles:
        raw = [i for i in columns.items if isinstance(_bare(i.term), NodeTerm) and columns.held[i]]
        if raw and not any(_aggregated(item.term) for item in columns.items):
            yield Finding(
                "missing_component:id",
                f"Nothing tells which reaction a row belongs to: return `{case.domain.reaction_id}` of the "
                "reaction.",
                returned.start,
                returned.stop,
            )


def _bare(term: Term) -> Term:
    return next((each for each in walk(term) if isinstance(each, NodeTerm)), term)


def _aggregated(term: Term) -> bool:
    return any(
        isinstance(each, Call) and each.name in ("collect", "count", "max", "min") for each in walk(term)
    )


def _holds_map(term: Term) -> bool:
    return any(isinstance(each, MapTerm) for each in walk(term))


def _lost(case: Case, focus: Focus, roles: Roles) -> Iterator[Finding]:
    """Reactions that are lost because they lack a component, or by a filter nobody asked for."""
    asked = set() if case.full else set(required(case))
    seen: set[str] = set()
    for link in case.view.links:
        ends = [(link.start, link.end), (link.end, link.start)]
        for reaction, molecule in ends:
            if reaction not in focus.reactions or molecule in focus.targets or link.status != "required":
                continue
            held = roles.held(NodeTerm(molecule))[0]
            if held.role in ("agents", "solvents", "co_products") and held.role not in asked | seen:
                seen.add(held.role)
                yield case.finding(
                    "duplicate_or_incomplete",
                    f"{case.pattern(link)} drops every reaction without {held.role}. Use OPTIONAL MATCH "
                    "there.",
                    link.edge,
                )
    yield from _filtered(case, roles, asked, seen)


def _filtered(case: Case, roles: Roles, asked: set[str], seen: set[str]) -> Iterator[Finding]:
    for condition in case.reading.conditions:
        if case.view.of(condition) != "required" or not isinstance(condition.term, Operation):
            continue
        for operand in condition.term.operands:
            counted = isinstance(operand, Call) and operand.name == "size"
            if (
                condition.term.operator not in ("is not null", "<>", "=", ">", ">=", "<", "in")
                and not counted
            ):
                continue
            inner = operand.arguments[0] if isinstance(operand, Call) and counted else operand
            found = _direct(case, roles, inner)
            if found is not None and found not in asked | seen:
                seen.add(found)
                yield Finding(
                    "duplicate_or_incomplete",
                    f"`{case.written(condition.start, condition.stop)}` drops every reaction without "
                    f"{found}.",
                    condition.start,
                    condition.stop,
                )


def _direct(case: Case, roles: Roles, term: Term) -> str | None:
    """The component that a filter speaks of, where not every reaction has one."""
    held = roles.held(term)
    if len(held) == 1 and held[0].role in ("agents", "solvents", "co_products"):
        return held[0].role
    return None
