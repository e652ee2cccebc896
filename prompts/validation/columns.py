"""The columns of an answer about reactions, and those that do not hold what they promise."""

from collections.abc import Iterator

from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import Call, Item, MapTerm
from retrocypher.prompts.validation.finding import Case, Finding, names
from retrocypher.prompts.validation.roles import Held, Roles

_ASKED = {"precursors": ("reactants",), "co_products": ("co_products",)}


class Columns:
    """The returned columns and what each holds."""

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


def required(case: Case) -> list[str]:
    """The components that have to be returned."""
    intent = case.asked.intent
    if case.full:
        more = {"co_products": ["co_products"], "best_yield": ["yield"]}
        return ["reactants", "products", "agents", "solvents", *more.get(intent or "", [])]
    if intent == "conditions":
        return sorted(case.asked.components)
    return list(_ASKED.get(intent or "", ()))


def wrong_columns(case: Case, columns: Columns, roles: Roles) -> Iterator[tuple[str, Finding]]:
    """Columns that do not hold what they promise, each with the component that it is about."""
    yield from _target_among(case, columns)
    needed = set(required(case))
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
