"""What other records say of the facts of a graph: another reading, duplicates, and USPTO-MIT."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from retrocypher.kg.evidence.evidence import Fact, FactKind, Verdict, facts_of
from retrocypher.kg.evidence.text import is_near
from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.graph.reaction import RELATIONSHIP_TYPES, Reaction, Record

Verdicts = dict[Fact, Verdict]
"""What one source says; it is silent about a fact that is not there."""


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
