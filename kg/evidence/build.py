"""Building the evidence of the default graph from its sources."""

import importlib.metadata
from collections.abc import Iterable, Mapping
from pathlib import Path

from retrocypher.kg.evidence.evidence import SOURCES, Evidence, Fact, Source, facts_of
from retrocypher.kg.evidence.opsin import OPSIN_VERSION, structures
from retrocypher.kg.evidence.records import Verdicts, other_reading, other_records, uspto_mit
from retrocypher.kg.evidence.text import is_near, named_molecules, possible_names, stated_yield
from retrocypher.kg.graph.build import MappedSmiles
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.orderly import orderly_wheel
from retrocypher.kg.graph.passages import graph_fingerprint, procedure_texts
from retrocypher.kg.graph.reaction import Reaction

Spans = dict[Fact, tuple[int, int]]


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
