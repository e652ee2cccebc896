"""The rules of the audit, each over the reactions of a graph."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

from rdkit import Chem, rdBase
from rdkit.Chem import rdMolHash
from rdkit.Chem.MolStandardize import rdMolStandardize

from retrocypher.kg.audit.finding import Finding
from retrocypher.kg.graph.molecules import molecule_of
from retrocypher.kg.graph.reaction import ROLES, Reaction, RecordYield, place_of

_SHOWN = 5
_NEAR = 1.0
"""Percentage points by which a yield of a text may differ from that of the record."""
_TEXT_YIELD = re.compile(
    r"yield[^.;%\d]{0,25}(?P<after>\d{1,3}(?:\.\d+)?)\s?(?:%|percent)"
    r"|(?P<before>\d{1,3}(?:\.\d+)?)\s?(?:%|percent)[\s-]{0,2}(?:of theory|overall yield|yield)",
    re.IGNORECASE,
)


def audit(
    reactions: Sequence[Reaction],
    texts: Mapping[int, str] | None = None,
    records: Mapping[int, Sequence[RecordYield]] | None = None,
) -> Iterator[Finding]:
    """Yield what the rules find in the reactions of a graph, reaction by reaction, then duplicates.

    Args:
        texts: Procedure texts by reaction; without them, `text_yield` finds nothing.
        records: The yields of the records of disputed reactions; without them, details lack the values.
    """
    for reaction in reactions:
        yield from _record_yields(reaction, (records or {}).get(reaction.id, ()))
        yield from _text_yield(reaction, (texts or {}).get(reaction.id, ""))
        yield from _roles(reaction)
        yield from _balance(reaction)
        yield from _yields(reaction)
        yield from _valence(reaction)
    yield from _duplicates(reactions)


def _record_yields(reaction: Reaction, records: Iterable[RecordYield]) -> Iterator[Finding]:
    if reaction.yields_disputed:
        kept = ", ".join(f"{value:g} %" for value in reaction.yields if value is not None)
        given = "".join(f"; {each.value:g} % in {place_of(each)}" for each in records)
        yield Finding("record_yields", (reaction.id,), f"kept: {kept or 'none'}{given}")


def text_yields(text: str) -> set[float]:
    """Return the yields in percent that a procedure text states in plain words: ``yield: 81 %``."""
    found = (match["after"] or match["before"] for match in _TEXT_YIELD.finditer(text))
    return {float(each) for each in found}


def stated_yield(reaction: Reaction, text: str) -> float | None:
    """Return the yield that a text states for the only product of a reaction with a known yield."""
    stated = text_yields(text)
    # With several, it is not clear which step or product each belongs to.
    if len(stated) == 1 and sum(value is not None for value in reaction.yields) == 1:
        return stated.pop()
    return None


def is_near(one: float, other: float) -> bool:
    """Return whether the yield of a text is that of a record: texts round."""
    return abs(one - other) <= _NEAR


def _text_yield(reaction: Reaction, text: str) -> Iterator[Finding]:
    stated = stated_yield(reaction, text)
    for value in reaction.yields:
        if stated is not None and value is not None and not is_near(stated, value):
            yield Finding("text_yield", (reaction.id,), f"record: {value:g} %, text: {stated:g} %")


def _roles(reaction: Reaction) -> Iterator[Finding]:
    for (one, first), (other, second) in combinations(zip(ROLES, reaction.roles, strict=True), 2):
        for name in sorted(set(first) & set(second)):
            rule = "product_is_reactant" if {one, other} == {"reactants", "products"} else "two_roles"
            yield Finding(rule, (reaction.id,), f"{name} among {one} and {other}")


def _balance(reaction: Reaction) -> Iterator[Finding]:
    supplied: Counter[str] = Counter()
    for name in {*reaction.reactants, *reaction.agents, *reaction.solvents}:
        supplied.update(_elements(name))
    for name in reaction.products:
        needed = _elements(name)
        missing = sorted(element for element in needed if not supplied[element])
        if missing:
            yield Finding("element_not_supplied", (reaction.id,), f"{', '.join(missing)} of {name}")
            continue
        short = sorted(element for element in needed if needed[element] > supplied[element])
        if short:
            counts = ", ".join(f"{needed[each]} {each}, {supplied[each]} supplied" for each in short)
            yield Finding("atoms_not_supplied", (reaction.id,), f"{counts}: {name}")


def _yields(reaction: Reaction) -> Iterator[Finding]:
    known = [value for value in reaction.yields if value is not None]
    for value in known:
        if not 0 <= value <= 100:
            yield Finding("yield_out_of_range", (reaction.id,), f"{value:g} %")
    if len(known) > 1 and sum(known) > 100:
        shown = " + ".join(f"{value:g}" for value in known)
        yield Finding("yields_over_100", (reaction.id,), f"{shown} = {sum(known):g} %")


def _valence(reaction: Reaction) -> Iterator[Finding]:
    for name in reaction.molecules:
        if problem := _problem(name):
            yield Finding("impossible_valence", (reaction.id,), f"{name}: {problem}")


def _duplicates(reactions: Sequence[Reaction]) -> Iterator[Finding]:
    forms: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("same_but_salt", _without_salt),
        ("same_but_stereo", _without_stereo),
        ("same_but_tautomer", _without_tautomer),
    )
    for rule, form in forms:
        groups: dict[tuple[tuple[str, ...], ...], list[Reaction]] = defaultdict(list)
        for reaction in reactions:
            groups[tuple(_changed(role, form) for role in reaction.roles)].append(reaction)
        for group in groups.values():
            # Equal reactions are one in a graph, so the members of a group differ in the form.
            if len(group) > 1 and not (rule == "same_but_tautomer" and _differ_in_stereo(group)):
                others = f" and {len(group) - _SHOWN} more" if len(group) > _SHOWN else ""
                products = "; ".join(".".join(each.products) for each in group[:_SHOWN])
                yield Finding(rule, tuple(each.id for each in group), f"{products}{others}")


def _differ_in_stereo(group: Sequence[Reaction]) -> bool:
    """Whether stereo is all that sets reactions apart: the hash of tautomers ignores some of it."""
    plain = {tuple(_changed(role, _without_stereo) for role in each.roles) for each in group}
    return len(plain) == 1


def _changed(role: Iterable[str], form: Callable[[str], str]) -> tuple[str, ...]:
    # What a form leaves nothing of, such as a counter-ion, is left out.
    return tuple(sorted({changed for name in role if (changed := form(name))}))


@cache
def _elements(name: str) -> Counter[str]:
    molecule = _molecule(name)
    return Counter(atom.GetSymbol() for atom in molecule.GetAtoms() if atom.GetAtomicNum() > 1)


@cache
def _problem(name: str) -> str:
    """What RDKit does not accept of a molecule; empty if it does."""
    with rdBase.BlockLogs():
        problems = Chem.DetectChemistryProblems(Chem.MolFromSmiles(name, sanitize=False))
    return problems[0].Message() if problems else ""


@cache
def _without_salt(name: str) -> str:
    """Neutral, and without simple ions: the graph holds the ions of a salt apart."""
    molecule = _molecule(name)
    if molecule.GetNumHeavyAtoms() <= 1 and Chem.GetFormalCharge(molecule):
        return ""
    return str(Chem.MolToSmiles(rdMolStandardize.Uncharger().uncharge(molecule)))


@cache
def _without_stereo(name: str) -> str:
    return str(Chem.MolToSmiles(_molecule(name), isomericSmiles=False))


@cache
def _without_tautomer(name: str) -> str:
    """A hash that is equal for tautomers (hydrogens moved between hetero atoms; stereo is kept apart)."""
    return str(rdMolHash.MolHash(_molecule(name), rdMolHash.HashFunction.HetAtomTautomer))


_molecule = cache(molecule_of)
