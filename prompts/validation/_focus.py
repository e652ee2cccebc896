"""Which reactions a query is about, and where the question's molecules stand in them."""

from collections.abc import Iterator
from typing import NamedTuple

from prompts.validation._case import Case, names
from prompts.validation._model import Finding
from prompts.validation._view import Link


class Focus(NamedTuple):
    """What the query looks at.

    Attributes:
        targets: The nodes of the molecules that are made.
        reactions: The nodes of the reactions that make them.
        findings: What is wrong with where the molecules stand.
    """

    targets: set[int]
    reactions: set[int]
    findings: tuple[Finding, ...]


def find_focus(case: Case) -> Focus:
    """Find the reactions that make the question's molecules; where there are none, those nearest to it."""
    wanted = [molecule.name for molecule in case.asked.molecules]
    targets = {node for name in wanted for node in case.view.anchored(name)}
    making = {link.start for link in case.view.links if link.end in targets and _makes(case, link)}
    findings = tuple(_misplaced(case, targets, making))
    if not making:
        making = {node for link in case.view.links for node in _reactions_beside(case, link, targets)} or {
            node.key for node in case.reading.nodes if case.view.is_reaction(case.view.node(node.key))
        }
    return Focus(targets, making, findings)


def follows_path(case: Case) -> bool:
    """Whether the query leads to the target by a path of reactants and products in one, not by a reaction."""
    wanted = [molecule.name for molecule in case.asked.molecules]
    targets = {node for name in wanted for node in case.view.anchored(name)}
    made = {case.domain.components[name].type for name in ("reactants", "products")}
    leading = [link for link in case.view.links if link.end in targets and link.status == "required"]
    return bool(leading) and all(link.types == made and link.hops != (1, 1) for link in leading)


def _makes(case: Case, link: Link) -> bool:
    products = case.domain.components["products"].type
    return (
        link.types == {products}
        and link.hops == (1, 1)
        and link.status != "negated"
        and not case.view.is_molecule(link.start)
    )


def _binds(case: Case, link: Link) -> bool:
    """Whether an optional pattern is the one that finds the reaction, so that no other reaction is there."""
    return link.status == "optional" and case.reading.nodes[link.start].optional


def _reactions_beside(case: Case, link: Link, targets: set[int]) -> Iterator[int]:
    if link.start in targets and case.view.is_reaction(link.end):
        yield link.end
    if link.end in targets and case.view.is_reaction(link.start):
        yield link.start


def _misplaced(case: Case, targets: set[int], making: set[int]) -> Iterator[Finding]:
    """Molecules that no reaction of the query makes."""
    products = case.domain.components["products"].type
    for molecule in case.asked.molecules:
        nodes = case.view.anchored(molecule.name)
        if not nodes:
            continue
        made = [link for link in case.view.links if link.end in nodes and _makes(case, link)]
        if any(link.status in ("required", "unknown") or _binds(case, link) for link in made):
            continue
        touching = [link for link in case.view.links if nodes & {link.start, link.end}]
        if made:
            yield case.finding(
                "endpoint_anchoring" if case.asked.intent != "multi_product" else "set_logic",
                f"{molecule.name} is only an optional product in {case.pattern(made[0])}, so reactions "
                "that do "
                "not make it are returned too. Use MATCH there.",
                made[0].edge,
            )
        elif not touching and any(map(case.view.is_reaction, range(len(case.reading.nodes)))):
            yield case.apart(min(nodes))
        elif not touching and any(case.view.is_reaction(node.key) for node in case.reading.nodes):
            continue  # an unconnected pattern, which is told as such
        elif not touching:
            node = case.reading.nodes[min(nodes)]
            yield Finding(
                "return_shape",
                f"{case.view.name(min(nodes))} is matched without a reaction. Match "
                f"(:{case.domain.reaction})-[:{products}]->({node.variable or ''}).",
                node.start,
                node.stop,
            )
        else:
            yield _wrong_place(case, molecule.name, nodes, touching)


def _wrong_place(case: Case, name: str, nodes: set[int], touching: list[Link]) -> Finding:
    products = case.domain.components["products"].type
    link = min(touching, key=lambda each: each.status != "required")
    shown = case.pattern(link)
    types = link.types
    if link.hops != (1, 1) and (products in types or not types):
        return case.finding(
            "path_length",
            f"{shown} follows {_hops(link)}; the reaction that makes {name} directly is one `{products}` "
            "away.",
            link.edge,
        )
    if types == {products}:  # its start cannot be a reaction
        return case.finding(
            "schema_violation:edge", f"What makes {name} in {shown} is not a reaction.", link.edge
        )
    if link.start in nodes and types <= {case.domain.components["reactants"].type}:
        return case.finding(
            "endpoint_anchoring",
            f"{shown} takes {name} as a reactant; the question asks for what makes it. Match "
            f"(:{case.domain.reaction})-[:{products}]->({{{case.domain.molecule_name}: ...}}).",
            link.edge,
        )
    followed = f"`{names(sorted(types))}`" if types else "any relationship"
    return case.finding(
        "wrong_relationship",
        f"{shown} joins {name} to reactions by {followed}; a reaction makes it by `{products}`.",
        link.edge,
    )


def _hops(link: Link) -> str:
    least, most = link.hops
    if most is None:
        return f"{least} or more relationships"
    return f"{least} relationships" if least == most else f"{least} to {most} relationships"
