"""Whether single-step questions get whole reactions, and the right parts of them."""

from collections.abc import Iterator

from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Constant,
    MapTerm,
    NodeTerm,
    Operation,
    Projection,
    Term,
)
from retrocypher.prompts.validation.columns import Columns, required, wrong_columns
from retrocypher.prompts.validation.finding import Case, Finding, names
from retrocypher.prompts.validation.roles import Focus, Roles


def check_lost(case: Case, focus: Focus, roles: Roles) -> Iterator[Finding]:
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
                    "drops what "
                    "has none. Leave it out: the question is about one step.",
                    link.edge,
                )
                return


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


_BINDING = {"reactants": "({0}:{1})-[:{2}]->({3})", "other": "({3})-[:{2}]->({0}:{1})"}


def check_reaction(case: Case, focus: Focus) -> Iterator[Finding]:
    """What is wrong with the columns, and with what rows are lost on the way to them."""
    asked_names = [molecule.name for molecule in case.asked.molecules]
    roles = Roles(case.view, focus.reactions, focus.targets, asked_names)
    columns = Columns(case, roles)
    if columns.known and not columns.roles - {"target", "value", "path"}:
        yield _nothing(case, columns)
        return
    explained: set[str] = set()
    for component, finding in wrong_columns(case, columns, roles):
        explained.add(component)
        yield finding
    if columns.known and "unknown" not in columns.roles:
        yield from _missing(case, columns, roles, focus, explained)
        yield from _identity(case, columns)
    yield from check_lost(case, focus, roles)


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
        if _gathers(case, returned) and not any(_holds_map(item.term) for item in columns.items):
            yield Finding(
                "missing_component:id" if "id" not in columns.roles else "wrong_aggregation_or_order",
                "The rows are not grouped by reaction, so all reactions flow into one row. Return "
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
    return any(
        isinstance(each, Call) and each.name in ("collect", "count", "max", "min") for each in walk(term)
    )


def _holds_map(term: Term) -> bool:
    return any(isinstance(each, MapTerm) for each in walk(term))
