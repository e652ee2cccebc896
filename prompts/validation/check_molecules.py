"""Molecules of the question: whether the query looks them up, letter by letter, and combines them rightly."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from retrocypher.kg.cypher.edits import StringLiteral, string_literals
from retrocypher.kg.graph.molecules import canonical_smiles
from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Comprehension,
    Condition,
    Constant,
    Element,
    ListTerm,
    NodeTerm,
    Operation,
    QueryModel,
    Subquery,
    Term,
    Unknown,
)
from retrocypher.prompts.validation.check_rows import mentioned
from retrocypher.prompts.validation.finding import Case, Finding
from retrocypher.prompts.validation.roles import Focus

_STEREO = str.maketrans("", "", "@/\\")
_CHARGED_ATOM = re.compile(r"\[([A-Za-z]+?)H?\d*(?:[+-]+\d*)?\]")
_ALIKE = 0.8
_CLOSE_ENOUGH = 0.6
_SHORTEST = 4


class Spellings:
    """The molecules of a question and what the query writes for them."""

    def __init__(self, reading: QueryModel, asked: Sequence[str]) -> None:
        literals = string_literals(reading.parsed.text)
        written = {literal.value for literal in literals}
        self.missing = [name for name in asked if name not in written]
        others = [each for each in literals if each.value not in asked]
        self.pairs: dict[str, tuple[StringLiteral, bool]] = {}
        for name in self.missing:
            used = {literal.start for literal, _ in self.pairs.values()}
            found = _nearest(name, [each for each in others if each.start not in used])
            if found is not None:
                self.pairs[name] = found

    @property
    def renamed(self) -> dict[str, str]:
        """What the query writes in place of a molecule, with the molecule that is meant."""
        return {literal.value: name for name, (literal, _) in self.pairs.items()}

    def findings(self) -> Iterator[Finding]:
        """The molecules that are missing, and what stands in their place."""
        for name in self.missing:
            if name not in self.pairs:
                yield Finding(
                    "wrong_entity", f"The query does not look up {name}, which the question names.", 0, 0
                )
                continue
            literal, altered = self.pairs[name]
            if altered:
                yield Finding.at(
                    literal,
                    "altered_smiles",
                    f"{literal.raw} is not the question's {name}: {_difference(literal.value, name)} "
                    "Copy the SMILES character by character, with each backslash doubled.",
                )
            else:
                yield Finding.at(
                    literal,
                    "wrong_entity",
                    f"{literal.raw} is another molecule than the question names; look up {name}.",
                )


def check_anchors(case: Case) -> Iterator[Finding]:
    """Molecules of the question that are matched loosely, and others that the question does not name."""
    asked = {molecule.name for molecule in case.asked.molecules}
    yield from _unused(case)
    for anchor in case.view.anchors:
        at = anchor.condition.start, anchor.condition.stop
        shown = case.written(*at)
        if anchor.kind == "like":
            yield Finding(
                "wrong_entity",
                f"`{shown}` also fits other molecules. Compare the whole name with `=`.",
                *at,
            )
        elif anchor.kind == "spelled":
            yield Finding(
                "altered_smiles",
                f"`{shown}` changes the case of letters, which gives another SMILES. Compare the name as "
                "it is.",
                *at,
            )
        elif anchor.status == "required":
            for value in anchor.values:
                if value not in asked:
                    yield Finding("wrong_entity", f"The question does not name {value}; leave it out.", *at)


def _unused(case: Case) -> Iterator[Finding]:
    """Molecules that the query writes down but does not look up."""
    anchored = {value for anchor in case.view.anchors for value in anchor.values}
    terms = [(each, each.term) for each in case.reading.conditions]
    for molecule in case.asked.molecules:
        name = molecule.name
        if name in anchored or case.reading.unread:
            continue
        using = [(condition, term) for condition, term in terms if name in case.view.texts(term)]
        if not using:
            yield Finding(
                "wrong_entity", f"{name} is written in the query, but nothing is compared with it.", 0, 0
            )
        elif all(isinstance(term, Operation) and term.operator in ("<>", "not") for _, term in using):
            at = using[0][0].start, using[0][0].stop
            yield Finding(
                "wrong_entity",
                f"`{case.written(*at)}` leaves {name} out, but it is the molecule that is asked about. Use "
                "`=`.",
                *at,
            )
        elif all(_open(term) for _, term in using):
            at = using[0][0].start, using[0][0].stop
            yield Finding(
                "wrong_entity",
                f"`{case.written(*at)}` also holds where the molecule is not {name}. Leave the alternative "
                "out.",
                *at,
            )


def _open(term: Term) -> bool:
    """Whether a condition holds, too, by an alternative that speaks of no molecule of the question."""
    if not isinstance(term, Operation) or term.operator != "or":
        return False
    return any(
        not any(isinstance(part, Subquery | Unknown | Element) for part in walk(each))
        and not any(isinstance(part, Constant) and isinstance(part.value, str) for part in walk(each))
        for each in term.operands
    )


def _nearest(name: str, literals: list[StringLiteral]) -> tuple[StringLiteral, bool] | None:
    """The literal that stands in a molecule's place, and whether it is that molecule spelled otherwise."""
    scored = [(_likeness(name, each.value), each) for each in literals if _could_be_molecule(each.value)]
    if not scored:
        return None
    best, literal = max(scored, key=lambda pair: (pair[0], -pair[1].start))
    return literal, best >= _ALIKE


def _flat(smiles: str) -> str:
    """A SMILES without the marks of stereochemistry, which are the first to get lost."""
    return smiles.translate(_STEREO)


def _uncharged(smiles: str) -> str:
    """A SMILES without charges and written hydrogens; all that tells an ion such as `[Cl-]` from `Cl`."""
    return _CHARGED_ATOM.sub(r"\1", _flat(smiles))


_LONGEST_COMPARED = 1_000
"""Characters of a text that is compared with the name of a molecule; those of the graph are shorter."""


def _could_be_molecule(value: str) -> bool:
    return bool(value) and not any(character.isspace() for character in value.strip())


def _likeness(name: str, value: str) -> float:
    """1.0 for the same molecule; else how much the two texts have in common."""
    if value.strip().lower() == name.lower() or _uncharged(value) == _uncharged(name):
        return 1.0
    same = canonical_smiles(name)
    if same is not None and same == canonical_smiles(value):
        return 1.0
    if len(value) > _LONGEST_COMPARED:
        return 0.0
    ratio = SequenceMatcher(None, name, value, autojunk=False).ratio()
    if canonical_smiles(value) is None and ratio >= _CLOSE_ENOUGH:
        # No molecule at all, so one that was meant to be this one.
        return max(ratio, _ALIKE)
    if min(len(name), len(value)) < _SHORTEST:
        return min(ratio, _ALIKE - 0.01)
    changed = round((1 - ratio) * (len(name) + len(value)) / 2)
    return (
        max(ratio, _ALIKE) if changed <= 1 and ratio >= _CLOSE_ENOUGH else min(ratio, _stay(ratio, changed))
    )


def _stay(ratio: float, changed: int) -> float:
    """A few characters changed in a long SMILES are a slip; more are another molecule."""
    return ratio if changed <= 3 else _ALIKE - 0.01


def _difference(written: str, name: str) -> str:
    same = canonical_smiles(name)
    if same is not None and same == canonical_smiles(written):
        return "it is the same molecule spelled otherwise, and names are compared as texts."
    if written.lower() == name.lower():
        return "upper and lower case differ."
    if _flat(written) == _flat(name):
        return "marks of stereochemistry (@, / or a backslash) differ."
    if _uncharged(written) == _uncharged(name):
        return "charges or the brackets around an atom differ."
    for place, (left, right) in enumerate(zip(written, name, strict=False)):
        if left != right:
            return f"they differ from character {place + 1} on."
    return "one of them is the beginning of the other."


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
        yield Finding.at(
            case.reading.conditions[-1],
            "set_logic",
            "The products are bound to different reactions. Use one reaction variable for all of them.",
        )
    elif verdict is not None or _tested(case, asked, "any") or _choices(case, asked):
        condition = _place(case, asked)
        how = "" if verdict is None else f" The count that is tested is not {len(asked)}."
        yield Finding.at(
            condition,
            "set_logic",
            f"A reaction that makes only some of the {len(asked)} products is returned too.{how} Demand all "
            f"of them: count the distinct products that match and keep reactions with {len(asked)}, or give "
            "each product a MATCH of its own.",
        )


def _clash(case: Case) -> Finding | None:
    """One molecule that would have to have two names."""
    held: dict[int, str] = {}
    for anchor in case.view.anchors:
        if anchor.kind == "is" and anchor.status == "required":
            first = held.setdefault(anchor.node, anchor.values[0])
            if first != anchor.values[0]:
                return Finding.at(
                    anchor.condition,
                    "set_logic",
                    f"{case.view.name(anchor.node)} cannot be two molecules at once. Bind each product to a "
                    "variable of its own.",
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
    for condition, term in case.operations:
        if len(term.operands) != 2 or condition.optional:
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
    return any(term.operator == "or" and asked <= mentioned(case, term) for _, term in case.operations)


def _element_test(term: Term) -> bool:
    return any(
        isinstance(each, Comprehension) and each.kind in ("all", "single", "none") for each in walk(term)
    )


def _place(case: Case, asked: set[str]) -> Condition:
    for condition in case.reading.conditions:
        if asked & mentioned(case, condition.term):
            return condition
    return case.reading.conditions[-1]
