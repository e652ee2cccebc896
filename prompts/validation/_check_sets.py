"""Whether one reaction has to make all of the products asked for."""

from collections.abc import Iterator

from kg.reading.model import (
    Call,
    Comprehension,
    Condition,
    Constant,
    Element,
    ListTerm,
    NodeTerm,
    Operation,
    Subquery,
    Term,
)
from kg.reading.simplify import walk
from prompts.validation._case import Case
from prompts.validation._check_rows import mentioned
from prompts.validation._focus import Focus
from prompts.validation._model import Finding


def check_sets(case: Case, focus: Focus) -> Iterator[Finding]:
    """All-of against any-of, for a question about several products of one reaction."""
    asked = {molecule.name for molecule in case.asked.molecules}
    fixed = {anchor.node: anchor.values[0] for anchor in case.view.anchors if anchor.kind == "is"}
    clash = _clash(case)
    if clash is not None:
        yield clash
        return
    for reaction in sorted(focus.reactions) or [-1]:
        wanted = {
            fixed[link.end]
            for link in case.view.links
            if link.start == reaction and link.end in fixed and link.status == "required"
        }
        if asked <= wanted:
            return
    demanded = {name for condition in case.reading.conditions for name in _demanded(case, condition)}
    together = demanded | {
        fixed[link.end] for link in case.view.links if link.end in fixed and link.status == "required"
    }
    verdict = _counted(case, len(asked))
    if asked <= demanded or verdict == "all" or _tested(case, asked, "all"):
        return
    if asked <= together and len(focus.reactions) > 1:
        yield _finding(
            case,
            "The products are bound to different reactions. Use one reaction variable for all of them.",
            case.reading.conditions[-1],
        )
    elif verdict is not None or _tested(case, asked, "any") or _choices(case, asked):
        condition = _place(case, asked)
        how = "" if verdict is None else f" The count that is tested is not {len(asked)}."
        yield _finding(
            case,
            f"A reaction that makes only some of the {len(asked)} products is returned too.{how} Demand "
            "all of "
            f"them: count the distinct products that match and keep reactions with {len(asked)}, or give "
            "each "
            "product a MATCH of its own.",
            condition,
        )


def _clash(case: Case) -> Finding | None:
    """One molecule that would have to have two names."""
    held: dict[int, str] = {}
    for anchor in case.view.anchors:
        if anchor.kind == "is" and anchor.status == "required":
            first = held.setdefault(anchor.node, anchor.values[0])
            if first != anchor.values[0]:
                return _finding(
                    case,
                    f"{case.view.name(anchor.node)} cannot be two molecules at once. Bind each product to a "
                    "variable of its own.",
                    anchor.condition,
                )
    return None


def _demanded(case: Case, condition: Condition) -> Iterator[str]:
    """Names that a condition demands among the products: ``'X' IN products``."""
    if case.view.of(condition) != "required":
        return
    term = condition.term
    if isinstance(term, Operation) and term.operator == "in":
        left, right = term.operands
        if isinstance(left, Constant) and isinstance(left.value, str) and not isinstance(right, ListTerm):
            yield left.value


def _counted(case: Case, wanted: int) -> str | None:
    """``all`` where a count of matches has to be the number of products, ``other`` for another number."""
    verdict: str | None = None
    for condition in case.reading.conditions:
        term = condition.term
        if not isinstance(term, Operation) or len(term.operands) != 2 or condition.optional:
            continue
        left, right = term.operands
        operator = term.operator
        if _number(left) is not None:
            left, right = right, left
            operator = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
        number = _number(right)
        if number is None or not _is_count(left):
            continue
        fits = (operator in ("=", ">=") and number == wanted) or (operator == ">" and number == wanted - 1)
        if fits:
            return "all"
        verdict = "other"
    return verdict


def _number(term: Term) -> int | None:
    match term:
        case Constant(int() as value):
            return value
        case Call("size", (ListTerm(items),)):
            return len(items)
    return None


def _is_count(term: Term) -> bool:
    match term:
        case Call("count", (inner,)):
            return _about_node(inner)
        case Call("count", ()):
            return True
        case Call("size", (inner,)):
            return not isinstance(inner, ListTerm) and _about_node(inner)
        case Subquery("count", _, _):
            return True
    return False


def _about_node(term: Term) -> bool:
    return any(isinstance(each, NodeTerm | Subquery) for each in walk(term))


def _tested(case: Case, asked: set[str], kind: str) -> bool:
    """Whether a test goes through a list of all the products."""
    for condition in case.reading.conditions:
        if condition.optional:
            continue
        for each in walk(condition.term):
            if isinstance(each, Comprehension) and each.kind == kind and asked <= _listed(each.element):
                return True
    return False


def _listed(element: Element) -> set[str]:
    if isinstance(element.of, ListTerm):
        return {
            item.value
            for item in element.of.items
            if isinstance(item, Constant) and isinstance(item.value, str)
        }
    return set()


def _choices(case: Case, asked: set[str]) -> bool:
    """Whether the products stand as alternatives, and nothing else is unclear."""
    if case.reading.unread:
        return False
    if any(anchor.kind == "one_of" and len(asked & set(anchor.values)) > 1 for anchor in case.view.anchors):
        return not any(_element_test(condition.term) for condition in case.reading.conditions)
    for condition in case.reading.conditions:
        term = condition.term
        if isinstance(term, Operation) and term.operator == "or" and asked <= mentioned(case, term):
            return True
    return False


def _element_test(term: Term) -> bool:
    return any(
        isinstance(each, Comprehension) and each.kind in ("all", "single", "none") for each in walk(term)
    )


def _place(case: Case, asked: set[str]) -> Condition:
    for condition in case.reading.conditions:
        if asked & mentioned(case, condition.term):
            return condition
    return case.reading.conditions[-1]


def _finding(case: Case, message: str, at: Condition) -> Finding:
    return Finding("set_logic", message, at.start, at.stop)
