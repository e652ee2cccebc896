"""The committed graph is what ``graph build`` makes, and larger graphs come from further sources."""

import importlib.metadata
from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.build import build_graph, open_source
from retrocypher.kg.graph.compact import DEFAULT_GRAPH, read_graph, read_manifest
from retrocypher.kg.graph.reaction import RecordSource

USPTO_MIT = Path(__file__).parents[4] / "shared" / "data" / "uspto_mit_40k_mapped.txt.gz"


@pytest.fixture(scope="module")
def wheel() -> RecordSource:
    """The default source; skips where the wheel is neither in the cache nor to be downloaded."""
    try:
        return open_source("orderly")
    except InputError as error:
        pytest.skip(f"the orderly wheel cannot be had: {error}")


def test_the_default_graph_is_made_again_byte_for_byte(wheel: RecordSource, tmp_path: Path) -> None:
    made_with = read_manifest()["software"]["rdkit"]
    if (installed := importlib.metadata.version("rdkit")) != made_with:
        pytest.skip(f"the graph was made with RDKit {made_with}; {installed} may write SMILES in another way")

    build_graph([wheel]).write(tmp_path)

    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    committed = {path.name: path.read_bytes() for path in DEFAULT_GRAPH.iterdir()}
    assert {name: text == committed.get(name) for name, text in written.items()} == dict.fromkeys(
        written, True
    )
    assert committed.keys() - written.keys() == {"LICENSE"}


@pytest.mark.scale
@pytest.mark.skipif(not USPTO_MIT.exists(), reason="the 40,000 USPTO-MIT reactions are not beside the clone")
def test_both_sources_together_make_the_large_graph(wheel: RecordSource, tmp_path: Path) -> None:
    built = build_graph([wheel, open_source(f"smiles:{USPTO_MIT}")])

    assert built.report.read == 53_501
    assert built.report.dropped() == {
        "unreadable_record": 0,
        "no_products": 201,
        "unreadable_smiles": 0,
        "no_reactants": 23,
        "over_four": 7_304,
        "product_is_reactant": 844,
        "duplicate": 1_114,
        "rare_molecule": 0,
        "not_sampled": 0,
    }
    assert len(built.reactions) == 44_015
    # The first source comes first: its reactions keep the identifiers they have in the default graph.
    assert built.reactions[:11_869] == read_graph()
