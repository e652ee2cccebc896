"""The rules of the audit, each over the reactions of a graph."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, partial
from itertools import combinations

from rdkit import Chem, rdBase
from rdkit.Chem import rdChemReactions, rdMolHash
from rdkit.Chem.MolStandardize import rdMolStandardize

from retrocypher.kg.audit.finding import AUDIT_RULES, EVIDENCE_RULES, Finding, GraphAudit, by_rule
from retrocypher.kg.audit.suggestions import suggestions
from retrocypher.kg.evidence.evidence import Evidence
from retrocypher.kg.evidence.text import is_near, stated_yield
from retrocypher.kg.graph.molecules import molecule_of
from retrocypher.kg.graph.reaction import ROLES, Reaction, RecordYield, place_of

_SHOWN = 5


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


def audit_reactions(
    reactions: Sequence[Reaction],
    texts: Mapping[int, str],
    records: Mapping[int, Sequence[RecordYield]],
    evidence: Sequence[Evidence] | None,
    settled: Set[tuple[str, int]] = frozenset(),
) -> GraphAudit:
    """Audit a graph of reactions.

    Args:
        evidence: Of the default graph; None for another one.
        settled: Rules and reactions of conflicts that a person has decided; they are not found again.
    """
    findings = audit(reactions, texts, records)
    left = (each for each in findings if not all((each.rule, n) in settled for n in each.reactions))
    found = by_rule(AUDIT_RULES, left)
    if evidence is not None:
        found += by_rule(EVIDENCE_RULES, audit_evidence(evidence))
    size = {"reactions": len(reactions), "texts": sum(each.id in texts for each in reactions)}
    return GraphAudit(size, found, list(suggestions(reactions, texts)))


def audit_evidence(evidence: Iterable[Evidence]) -> Iterator[Finding]:
    """Yield the facts to verify again: those that a source contradicts, and those that none has checked.

    They come in the order of the default graph, whose oldest records are first.
    """
    for each in evidence:
        detail = f"{each.fact.kind} {each.fact.molecule}"
        if against := [source for source, verdict in each.verdicts if verdict == "differs"]:
            yield Finding("source_differs", (each.fact.reaction,), f"{detail}: {', '.join(against)}")
        elif not each.verdicts:
            yield Finding("never_checked", (each.fact.reaction,), detail)


def _record_yields(reaction: Reaction, records: Iterable[RecordYield]) -> Iterator[Finding]:
    if reaction.yields_disputed:
        kept = ", ".join(f"{value:g} %" for value in reaction.yields if value is not None)
        given = "".join(f"; {each.value:g} % in {place_of(each)}" for each in records)
        yield Finding("record_yields", (reaction.id,), f"kept: {kept or 'none'}{given}")


def _text_yield(reaction: Reaction, text: str) -> Iterator[Finding]:
    stated = stated_yield(reaction, text)
    for value in reaction.yields:
        if stated is not None and value is not None and not is_near(stated.value, value):
            yield Finding("text_yield", (reaction.id,), f"record: {value:g} %, text: {stated.value:g} %")


def _roles(reaction: Reaction) -> Iterator[Finding]:
    for (one, first), (other, second) in combinations(reaction.by_role.items(), 2):
        for name in sorted(set(first) & set(second)):
            rule = "product_is_reactant" if {one, other} == {"reactants", "products"} else "two_roles"
            yield Finding(rule, (reaction.id,), f"{name} among {one} and {other}")


def _balance(reaction: Reaction) -> Iterator[Finding]:
    supplied = _together({*reaction.reactants, *reaction.agents, *reaction.solvents})
    for name in reaction.products:
        needed = _elements(name)
        short = sorted(needed - supplied)
        if missing := [element for element in short if not supplied[element]]:
            yield Finding("element_not_supplied", (reaction.id,), f"{', '.join(missing)} of {name}")
        elif short:
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
    for group in _alike(reactions, _without_salts):
        yield _same("same_but_salt", group)
    for group in _alike(reactions, partial(_in_form, _flat)):
        yield _same("same_but_stereo", group)
    # Finding the canonical tautomer takes long, so only molecules that bind the same atoms are compared.
    for similar in _alike(reactions, partial(_in_form, _skeleton)):
        for group in _alike(similar, partial(_in_form, _tautomer)):
            yield _same("same_but_tautomer", group)


_Forms = tuple[frozenset[str], ...]
"""The molecules of each role in some form, by which reactions are compared."""


def _in_form(form: Callable[[str], str], reaction: Reaction) -> Iterator[_Forms]:
    yield tuple(frozenset(map(form, members)) for members in reaction.roles)


def _alike(
    reactions: Iterable[Reaction], forms: Callable[[Reaction], Iterable[_Forms]]
) -> Iterator[list[Reaction]]:
    """Yield the groups of reactions that have a form in common.

    It must be the first form of one of them: two that are alike only without a molecule each make no group. A
    reaction can be in several groups.
    """
    groups: dict[_Forms, list[Reaction]] = defaultdict(list)
    first = set[_Forms]()
    for reaction in reactions:
        found = list(dict.fromkeys(forms(reaction)))
        first.add(found[0])
        for each in found:
            groups[each].append(reaction)
    # Equal reactions are one in a graph, so the members of a group differ in what the form leaves out.
    of_ids = {tuple(each.id for each in group): group for form, group in groups.items() if form in first}
    yield from (group for group in of_ids.values() if len(group) > 1)


def _same(rule: str, group: Sequence[Reaction]) -> Finding:
    molecules = [{name for members in each.roles for name in members} for each in group]
    common = set.intersection(*molecules)
    differing = " | ".join(".".join(sorted(each - common)) or "nothing" for each in molecules[:_SHOWN])
    others = f" and {len(group) - _SHOWN} more" if len(group) > _SHOWN else ""
    product = ".".join(group[0].products)
    return Finding(rule, tuple(each.id for each in group), f"{product}, differing in {differing}{others}")


@cache
def _elements(name: str) -> Counter[str]:
    """How many atoms of each element a molecule has, hydrogen aside."""
    atoms = Chem.MolFromSmiles(name, sanitize=False).GetAtoms()
    return Counter(atom.GetSymbol() for atom in atoms if atom.GetAtomicNum() > 1)


def _together(names: Iterable[str]) -> Counter[str]:
    return sum(map(_elements, names), Counter[str]())


@cache
def _problem(name: str) -> str:
    """What RDKit does not accept of a molecule; empty if it does."""
    with rdBase.BlockLogs():
        problems = Chem.DetectChemistryProblems(Chem.MolFromSmiles(name, sanitize=False))
    return problems[0].Message() if problems else ""


def _without_salts(reaction: Reaction) -> Iterator[_Forms]:
    """Yield the neutral molecules without simple ions, then also without each that may make a salt."""
    parts = [
        frozenset().union(*(_neutral_parts(each, role in _WITH_SALTS) for each in members))
        for role, members in reaction.by_role.items()
    ]
    whole = tuple(frozenset(name for name, _ in each) for each in parts)
    yield whole
    lack = _lack(whole)
    for place in (ROLES.index(role) for role in _WITH_SALTS):
        for part in parts[place]:
            left = frozenset(name for name, _ in parts[place] - {part})
            others = (*whole[:place], left, *whole[place + 1 :])
            # What gives atoms to a product is no mere part of a salt.
            if part[1] and left and _lack(others) <= lack:
                yield others


def _lack(roles: _Forms) -> int:
    """How many atoms of products, hydrogen aside, the molecules of the other roles do not supply."""
    reactants, products, agents, solvents = roles
    supplied = _together((*reactants, *agents, *solvents))
    return sum((_elements(each) - supplied).total() for each in products)


@cache
def _neutral_parts(name: str, acids: bool) -> frozenset[tuple[str, bool]]:
    """The neutral parts of a molecule, and whether each makes salts: an ion, an acid, an amine or water.

    Simple ions are left out, and hydrogen halides if `acids` says so.
    """
    simple = [_pattern(_IONS), *([_pattern(_ACIDS)] if acids else [])]
    return frozenset(
        (
            Chem.MolToSmiles(rdMolStandardize.Uncharger().uncharge(part)),
            Chem.GetFormalCharge(part) != 0 or part.HasSubstructMatch(_pattern(_SALT_FORMERS)),
        )
        for part in Chem.GetMolFrags(_molecule(name), asMols=True, sanitizeFrags=False)
        if not any(map(part.HasSubstructMatch, simple))
    )


_IONS = "[Li+,Na+,K+,Rb+,Cs+,Mg+2,Ca+2,Ba+2,F-,Cl-,Br-,I-,NH4+;D0]"
# An acid such as HCl is part of a salt among reactants and products, and a reagent elsewhere.
_ACIDS = "[F,Cl,Br,I;H1;D0]"
_SALT_FORMERS = (
    "[$([OX2H1][C,S,P,Cl,N]=O),$([OX2H1][Cl+3]),$([OX2H1]c:c[N+](=O)[O-]),$([NX3;!$(N*=[!#6])]),$([OH2;D0])]"
)
_WITH_SALTS = ("reactants", "products")
_pattern = cache(Chem.MolFromSmarts)


@cache
def _flat(name: str) -> str:
    # Without stereochemistry, and with isotopes, which `isomericSmiles=False` would leave out as well.
    molecule = Chem.Mol(_molecule(name))
    Chem.RemoveStereochemistry(molecule)
    return str(Chem.MolToSmiles(molecule))


@cache
def _skeleton(name: str) -> str:
    """What tautomers have in common: the atoms other than hydrogen, and which of them are bound."""
    return str(rdMolHash.MolHash(_molecule(name), rdMolHash.HashFunction.ElementGraph))


@cache
def _tautomer(name: str) -> str:
    """The canonical tautomer by RDKit's rules, which leave azo compounds, here hydrazones, as they are.

    The molecule itself where there are too many.
    """
    molecule = _molecule(name)
    with rdBase.BlockLogs():
        while products := _hydrazones().RunReactants((molecule,)):
            changed = products[0][0]
            for atom in changed.GetAtoms():
                # Hydrogen atoms that were written out, as at a stereocentre, would stay.
                if atom.HasProp("old_mapno"):
                    atom.SetNoImplicit(False)
                    atom.SetNumExplicitHs(0)
            if Chem.SanitizeMol(changed, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
                break
            molecule = changed
        return str(Chem.MolToSmiles(rdMolStandardize.TautomerEnumerator().Canonicalize(molecule)))


@cache
def _hydrazones() -> rdChemReactions.ChemicalReaction:
    return rdChemReactions.ReactionFromSmarts("[CX4;!H0:1][NX2;+0:2]=[NX2;+0:3]>>[C:1]=[N:2][N:3]")


_molecule = cache(molecule_of)
