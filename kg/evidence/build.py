"""Building the evidence of the default graph from its sources."""

import importlib.metadata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from retrocypher.kg.evidence.evidence import SOURCES, Evidence, Fact, FactKind, Source, Verdict, facts_of
from retrocypher.kg.evidence.opsin import OPSIN_VERSION, structures
from retrocypher.kg.evidence.text import is_near, named_molecules, possible_names, stated_yield
from retrocypher.kg.graph.build import MappedSmiles
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.graph.orderly import orderly_wheel
from retrocypher.kg.graph.passages import graph_fingerprint, procedure_texts
from retrocypher.kg.graph.reaction import RELATIONSHIP_TYPES, Reaction, Record

Verdicts = dict[Fact, Verdict]
"""What one source says; it is silent about a fact that is not there."""

Spans = dict[Fact, tuple[int, int]]
"""Where a procedure text states facts: first character and the one after the last."""


def build_evidence(mapped: Path | None = None) -> tuple[tuple[Evidence, ...], Mapping[str, object]]:
    """Return the evidence of the facts of the default graph, and for the manifest sources and software.

    Takes some minutes. Raise InputError if a source cannot be read, ServerError if OPSIN cannot be run.

    Args:
        mapped: USPTO-MIT as mapped reaction SMILES, one a line; without it, that source is silent.
    """
    reactions, texts = read_graph(), procedure_texts()
    labelled = orderly_wheel(by_labels=True)
    said: dict[Source, Verdicts] = {
        "other_reading": other_reading(reactions, labelled.records()),
        "other_records": other_records(reactions, orderly_wheel().records()),
    }
    sources: dict[str, object] = {"other_reading": labelled.provenance()}
    if mapped is not None:
        lines = MappedSmiles(mapped)
        said["uspto_mit"] = uspto_mit(reactions, lines.records())
        sources["uspto_mit"] = lines.provenance()
    said["text_name"], named = text_names(reactions, texts)
    said["text_yield"], stated = text_yields(reactions, texts)
    spans = {**named, **stated}
    evidence = (
        Evidence(fact, tuple((s, said[s][fact]) for s in SOURCES if fact in said.get(s, ())), spans.get(fact))
        for reaction in reactions
        for fact in facts_of(reaction)
    )
    software = {"rdkit": importlib.metadata.version("rdkit"), "opsin": OPSIN_VERSION}
    about = {"graph_fingerprint": graph_fingerprint(), "sources": sources, "software": software}
    return tuple(evidence), about


def text_names(reactions: Iterable[Reaction], texts: Mapping[int, str]) -> tuple[Verdicts, Spans]:
    """Return which relationships a procedure text agrees with, as it names the molecule, and where.

    Names are understood by OPSIN and ``names.yaml``. A salt's name stands for each of its parts if the
    reaction has all of them, otherwise for the largest only: ``magnesium sulfate`` that dries an extract
    does not name the magnesium of a reagent. Of several names the first counts. Raise ServerError if OPSIN
    cannot be run.

    Args:
        texts: Procedure texts by reaction.
    """
    understood = structures(sorted({name for text in texts.values() for name in possible_names(text)}))
    said: Verdicts = {}
    spans: Spans = {}
    for reaction in reactions:
        places: dict[str, tuple[int, int]] = {}
        for name in named_molecules(texts.get(reaction.id, ""), understood):
            has_all = set(name.molecules) <= set(reaction.molecules)
            for molecule in name.molecules if has_all else (max(name.molecules, key=len),):
                places.setdefault(molecule, (name.start, name.stop))
        for fact in facts_of(reaction):
            if fact.kind != "yield" and fact.molecule in places:
                said[fact], spans[fact] = "agrees", places[fact.molecule]
    return said, spans


def text_yields(reactions: Iterable[Reaction], texts: Mapping[int, str]) -> tuple[Verdicts, Spans]:
    """Return what procedure texts say of yields, and where.

    Only those can be compared that `stated_yield` finds. They agree if they are within `NEAR_POINTS`.
    """
    said: Verdicts = {}
    spans: Spans = {}
    for reaction in reactions:
        if (stated := stated_yield(reaction, texts.get(reaction.id, ""))) is not None:
            ((product, value),) = reaction.known_yields.items()
            fact = Fact(reaction.id, "yield", product)
            said[fact] = "agrees" if is_near(stated.value, value) else "differs"
            spans[fact] = (stated.start, stated.stop)
    return said, spans


def _by_kind(record: Record) -> dict[FactKind, frozenset[str]]:
    """Return a record's molecules by role, as the graph writes them, without those that cannot be read."""
    written = (record.reactants, record.products, record.agents, record.solvents)
    names = (frozenset(filter(None, map(canonical_name, role))) for role in written)
    return dict(zip(RELATIONSHIP_TYPES, names, strict=True))


def other_reading(reactions: Iterable[Reaction], records: Iterable[Record]) -> Verdicts:
    """Return what the extraction by labels (`orderly_wheel`) says of the records that the graph has.

    It agrees if the molecule has the same role there, and differs if it has only other roles or is not there.
    Its agents are catalysts; reagents stand among its reactants, for want of a role of their own, so that it
    is silent about an agent that is a reactant there. A solvent that is a reactant there is a difference:
    that reading has a label for solvents. Yields are copied from the same field, so it is silent about
    them. A row whose reaction string is not that of the graph's record is left out.
    """
    by_record = {(s.file, s.row, s.original): each for each in reactions if (s := each.source)}
    said: Verdicts = {}
    for record in records:
        reaction = by_record.get((record.file, record.row, record.original))
        if reaction is None:
            continue
        by_kind = _by_kind(record)
        for fact in facts_of(reaction):
            if fact.molecule in by_kind.get(fact.kind, ()):
                said[fact] = "agrees"
            elif fact.kind in RELATIONSHIP_TYPES and not (
                fact.kind == "USES_AGENT" and fact.molecule in by_kind["REACTS_IN"]
            ):
                said[fact] = "differs"
    return said


def other_records(reactions: Iterable[Reaction], records: Iterable[Record]) -> Verdicts:
    """Return what records with the same molecules in every role say, of which the graph keeps one.

    They agree with every relationship. They agree with a yield if theirs are all within `NEAR_POINTS`,
    differ if one is not, and are silent about it if they have none.
    """
    by_roles = {tuple(map(frozenset, reaction.roles)): reaction for reaction in reactions}
    said: Verdicts = {}
    for record in records:
        reaction = by_roles.get(tuple(_by_kind(record).values()))
        own = reaction.source if reaction else None
        if reaction is None or own is None or (record.file, record.row) == (own.file, own.row):
            continue
        made = zip(map(canonical_name, record.products), record.yields, strict=False)
        theirs = {product: value for product, value in made if value is not None and 0 <= value <= 100}
        for fact in facts_of(reaction):
            if fact.kind != "yield":
                said[fact] = "agrees"
            elif (value := theirs.get(fact.molecule)) is not None:
                near = is_near(value, reaction.known_yields[fact.molecule])
                said[fact] = "agrees" if near and said.get(fact) != "differs" else "differs"
    return said


def uspto_mit(reactions: Sequence[Reaction], records: Iterable[Record]) -> Verdicts:
    """Return what mapped reactions say that make a product of a reaction from all its reactants.

    They agree with the product, and with a reactant that is mapped to the product. They differ from a
    reactant that is not mapped, and from an agent or a solvent that is. Otherwise they are silent about
    agents and solvents, which such data does not tell apart. Where they contradict each other, they agree.
    """
    makers: Mapping[str, list[Reaction]] = defaultdict(list)
    for reaction in reactions:
        for product in reaction.products:
            makers[product].append(reaction)
    said: Verdicts = {}
    for record in records:
        made = [name for product in record.products if (name := canonical_name(product)) in makers]
        # The other molecules are read only where they are needed: most records are of other reactions.
        by_kind = _by_kind(record) if made else {}
        for reaction in (reaction for product in made if product for reaction in makers[product]):
            if not by_kind["REACTS_IN"] | by_kind["USES_AGENT"] >= set(reaction.reactants):
                continue
            for fact in facts_of(reaction):
                is_mapped = fact.molecule in by_kind["REACTS_IN"]
                if fact.kind in ("PRODUCES", "REACTS_IN") and fact.molecule in by_kind[fact.kind]:
                    said[fact] = "agrees"
                elif fact.kind == "REACTS_IN" or (fact.kind in ("USES_AGENT", "USES_SOLVENT") and is_mapped):
                    said.setdefault(fact, "differs")
    return said
