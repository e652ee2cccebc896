"""Reactions that an answer loses."""

from collections.abc import Iterator

from kg.reading.model import Call, NodeTerm, Operation, Term
from prompts.validation._case import Case
from prompts.validation._columns import required
from prompts.validation._focus import Focus
from prompts.validation._model import Finding
from prompts.validation._roles import Roles


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
