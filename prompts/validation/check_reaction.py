"""Single-step questions: whether whole reactions are returned, each part in the right column."""

from collections.abc import Iterator

from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Constant,
    Item,
    MapTerm,
    NodeTerm,
    Projection,
    Term,
)
from retrocypher.prompts.validation.finding import Case, Finding, names
from retrocypher.prompts.validation.graph_view import calls
from retrocypher.prompts.validation.roles import Focus, Held, Roles

_ASKED = {"precursors": ("reactants",), "co_products": ("co_products",)}
_BINDING = {"reactants": "({0}:{1})-[:{2}]->({3})", "other": "({3})-[:{2}]->({0}:{1})"}


class _Columns:
    def __init__(self, case: Case, roles: Roles) -> None:
        returned = case.returned
        self.items: tuple[Item, ...] = () if returned is None else returned.items
        self.held = {item: roles.held(item.term) for item in self.items}
        self._co_products = case.full and case.asked.intent == "co_products"
        self.known = returned is not None and not case.reading.unread
        self.roles = {each.role for held in self.held.values() for each in held}

    def has_all(self, component: str) -> bool:
        """Whether a component is returned, all of it."""
        held = {each.role for found in self.held.values() for each in found if not each.partial}
        if component == "products":
            # Where co-products are asked for, they are a part of their own and no products.
            split = {"target", "co_products"} <= held and not self._co_products
            return "products" in held or split
        return component in held


def check_lost(case: Case, focus: Focus, roles: Roles) -> Iterator[Finding]:
    """Reactions that are lost because they lack a component, or by a filter nobody asked for."""
    asked = set() if case.full else set(_required(case))
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
    yield from _further(case, focus)


def _further(case: Case, focus: Focus) -> Iterator[Finding]:
    """Other reactions that a molecule has to take part in, though one step is asked about."""
    if not focus.targets or not any(link.end in focus.targets for link in case.view.links):
        return
    for link in case.view.links:
        for reaction, molecule in ((link.start, link.end), (link.end, link.start)):
            other = case.view.is_reaction(reaction) and reaction not in focus.reactions
            if other and link.status == "required" and case.view.is_molecule(molecule):
                yield case.finding(
                    "duplicate_or_incomplete",
                    f"{case.pattern(link)} demands another reaction of {case.view.name(molecule)}, which "
                    "drops what has none. Leave it out: the question is about one step.",
                    link.edge,
                )
                return


def _filtered(case: Case, roles: Roles, asked: set[str], seen: set[str]) -> Iterator[Finding]:
    for condition, term in case.operations:
        if case.view.of(condition) != "required":
            continue
        for operand in term.operands:
            counted = isinstance(operand, Call) and operand.name == "size"
            if not counted and term.operator not in ("is not null", "<>", "=", ">", ">=", "<", "in"):
                continue
            inner = operand.arguments[0] if isinstance(operand, Call) and counted else operand
            found = _direct(roles, inner)
            if found is not None and found not in asked | seen:
                seen.add(found)
                yield Finding.at(
                    condition,
                    "duplicate_or_incomplete",
                    f"`{case.written(condition.start, condition.stop)}` drops every reaction without "
                    f"{found}.",
                )


def _direct(roles: Roles, term: Term) -> str | None:
    """The component that a filter speaks of, where not every reaction has one."""
    held = roles.held(term)
    if len(held) == 1 and held[0].role in ("agents", "solvents", "co_products"):
        return held[0].role
    return None


def check_reaction(case: Case, focus: Focus) -> Iterator[Finding]:
    """What is wrong with the columns, and with what rows are lost on the way to them."""
    asked_names = [molecule.name for molecule in case.asked.molecules]
    roles = Roles(case.view, focus.reactions, focus.targets, asked_names)
    columns = _Columns(case, roles)
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
    yield from check_lost(case, focus, roles)


def _nothing(case: Case, columns: _Columns) -> Finding:
    returned = case.returned
    at = (0, 0) if returned is None else (returned.start, returned.stop)
    what = names([f"`{item.column}`" for item in columns.items]) if columns.items else "nothing"
    wanted = names(["id", *_required(case)]) if case.full else "what the question asks for"
    return Finding(
        "return_shape",
        f"The RETURN gives {what}, which tells nothing of the reactions. Return {wanted}, one row a "
        "reaction.",
        *at,
    )


def _missing(
    case: Case, columns: _Columns, roles: Roles, focus: Focus, explained: set[str]
) -> Iterator[Finding]:
    returned = case.returned
    stop = len(case.text) if returned is None else returned.stop
    lacking: dict[str, str] = {}
    for component in _required(case):
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
        f"return collect(DISTINCT {singular}.{case.domain.molecule_name}) AS {component}."
    )


def _identity(case: Case, columns: _Columns) -> Iterator[Finding]:
    """Rows that cannot be told to belong to one reaction."""
    returned = case.returned
    if returned is None or not case.full or not (columns.roles & {*case.domain.components, "id"}):
        return
    keys = [item for item in columns.items if not _aggregated(item.term)]
    by_reaction = any(each.role in ("id", "yield") for item in keys for each in columns.held[item])
    if returned.grouped and not by_reaction:
        if _gathers(case, returned) and not any(_holds_map(item.term) for item in columns.items):
            yield Finding.at(
                returned,
                "missing_component:id" if "id" not in columns.roles else "wrong_aggregation_or_order",
                "The rows are not grouped by reaction, so all reactions flow into one row. Return "
                f"`{case.domain.reaction_id}` of the reaction beside the lists.",
            )
    elif not returned.grouped and "id" not in columns.roles:
        raw = [i for i in columns.items if isinstance(_bare(i.term), NodeTerm) and columns.held[i]]
        if raw and not any(_aggregated(item.term) for item in columns.items):
            yield Finding.at(
                returned,
                "missing_component:id",
                f"Nothing tells which reaction a row belongs to: return `{case.domain.reaction_id}` of the "
                "reaction.",
            )


def _gathers(case: Case, returned: Projection) -> bool:
    """Whether a RETURN collects over several reactions what no clause before it has collected."""
    before = [each for each in case.reading.projections if each.part < returned.part]
    if any(isinstance(each.limit, Constant) and each.limit.value == 1 for each in before):
        return False
    collected = [item.term for each in before for item in each.items]
    return any(
        _aggregated(item.term) and not any(item.term is term for term in collected) for item in returned.items
    )


def _bare(term: Term) -> Term:
    return next((each for each in walk(term) if isinstance(each, NodeTerm)), term)


def _aggregated(term: Term) -> bool:
    return calls(term, "collect", "count", "max", "min")


def _holds_map(term: Term) -> bool:
    return any(isinstance(each, MapTerm) for each in walk(term))


def _required(case: Case) -> list[str]:
    intent = case.asked.intent
    if case.full:
        more = {"co_products": ["co_products"], "best_yield": ["yield"]}
        return ["reactants", "products", "agents", "solvents", *more.get(intent or "", [])]
    if intent == "conditions":
        return sorted(case.asked.components)
    return list(_ASKED.get(intent or "", ()))


def _wrong_columns(case: Case, columns: _Columns, roles: Roles) -> Iterator[tuple[str, Finding]]:
    """_Columns that do not hold what they promise, each with the component that it is about."""
    yield from _target_among(case, columns)
    needed = set(_required(case))
    named = {
        each.role for item, found in columns.held.items() for each in found if case.domain.hint(item.column)
    }
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
        if any(isinstance(each, MapTerm) and len(each.entries) > 1 for each in walk(item.term)):
            continue  # its entries have names of their own
        if hint is None and case.full:
            for component in sorted(held & (needed - named)):
                message = f"Nothing tells what the column `{item.column}` holds. Add AS {component}."
                yield component, Finding("return_shape", message, *at)
        if len(held) > 1 and hint in held and not held <= {"products", "co_products"}:
            message = f"`{item.column}` holds the {names(sorted(held))} together. Keep only the {hint} there."
            yield hint, Finding(f"extra_component:{hint}", message, *at)
        elif _is_component(case, hint) and len(held) == 1 and not _keeps(str(hint), held):
            held_there = next(each for each in found if each.role in held)
            yield str(hint), _mislabelled(case, str(hint), item, held_there)


def _keeps(hint: str, held: set[str]) -> bool:
    """Whether what a column holds is what its name promises; co-products are products too.

    A target among its co-products is reported by another check.
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
            yield Finding.at(
                item,
                "duplicate_or_incomplete",
                f"`{item.column}` does not come from the reactions that are asked about: "
                f"{case.view.name(each.node)} is bound to another node. Use the same reaction variable.",
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
        return Finding.at(
            item,
            "return_shape",
            f"The column `{item.column}` holds the {held.role}. Return the {hint} there.",
        )
    return case.finding(
        "wrong_relationship",
        f"`{item.column}` holds the {held.role}, since {case.pattern(held.link)} follows "
        f"`{'|'.join(sorted(held.link.types))}`. The {hint} are found by "
        f"`{case.domain.components['products' if hint == 'co_products' else hint].type}`.",
        held.link.edge,
    )


def _target_among(case: Case, columns: _Columns) -> Iterator[tuple[str, Finding]]:
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
                yield "co_products", Finding.at(item, "extra_component:co_products", message)
                return
