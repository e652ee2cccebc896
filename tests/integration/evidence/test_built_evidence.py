"""The committed evidence is what ``graph evidence`` makes, with the real OPSIN."""

import json
from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.build import build_evidence, text_names
from retrocypher.kg.evidence.compact import DEFAULT_EVIDENCE, read_evidence, write_evidence
from retrocypher.kg.evidence.opsin import structures
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.passages import build_passages, open_passages
from retrocypher.kg.graph.reaction import Reaction

USPTO_MIT = Path(__file__).parents[4] / "shared" / "data" / "uspto_mit_40k_mapped.txt.gz"


def test_opsin_understands_names_line_by_line() -> None:
    names = ["4-nitrobenzoic acid", "the mixture", "sodium carbonate", "\u03b2-alanine", "-h", "ethanol"]
    assert structures(names) == {
        "4-nitrobenzoic acid": ("O=C(O)c1ccc([N+](=O)[O-])cc1",),
        "sodium carbonate": ("O=C([O-])[O-]", "[Na+]"),
        "\u03b2-alanine": ("NCCC(=O)O",),
        "ethanol": ("CCO",),
    }
    assert structures([]) == {}


def test_a_text_names_molecules_and_salts() -> None:
    text = (
        "4-Nitrobenzoic acid in ethanol was treated with potassium carbonate and iodoethane, "
        "dried over magnesium sulfate, to give ethyl 4-nitrobenzoate."
    )
    acid, ester = "O=C(O)c1ccc([N+](=O)[O-])cc1", "CCOC(=O)c1ccc([N+](=O)[O-])cc1"
    agents = ("[K+]", "O=C([O-])[O-]", "[Mg+2]")
    said, spans = text_names([Reaction(1, (acid, "CCI"), (ester,), agents, ("CCO",), (None,))], {1: text})
    assert set(said.values()) == {"agrees"}
    assert {fact.molecule: text[start:stop] for fact, (start, stop) in spans.items()} == {
        acid: "4-Nitrobenzoic acid",
        "CCI": "iodoethane",
        ester: "ethyl 4-nitrobenzoate",
        "[K+]": "potassium carbonate",
        "O=C([O-])[O-]": "potassium carbonate",
        "CCO": "ethanol",
    }


def test_names_of_two_hundred_reactions_are_where_the_committed_evidence_says() -> None:
    try:
        file = build_passages()
    except InputError as error:
        pytest.skip(f"the procedure texts cannot be had: {error}")
    reactions = read_graph()[:200]
    with open_passages(file) as passages:
        texts = {each.id: passages.of(each.id).text for each in reactions}
    said, spans = text_names(reactions, texts)
    committed = [each for each in read_evidence() if each.fact.reaction <= 200 and each.fact.kind != "yield"]
    assert {each.fact: each.span for each in committed if each.span} == spans
    assert {each.fact for each in committed if ("text_name", "agrees") in each.verdicts} == set(said)
    assert all(0 <= start < stop <= len(texts[fact.reaction]) for fact, (start, stop) in spans.items())


@pytest.mark.scale
@pytest.mark.skipif(not USPTO_MIT.exists(), reason="the 40,000 USPTO-MIT reactions are not beside the clone")
def test_the_committed_evidence_is_made_again_byte_for_byte(tmp_path: Path) -> None:
    evidence, about = build_evidence(USPTO_MIT)
    made_with = json.loads((DEFAULT_EVIDENCE / "manifest.json").read_text())["software"]
    if about["software"] != made_with:
        pytest.skip(f"the evidence was made with {made_with}, which may write SMILES in another way")
    write_evidence(tmp_path, evidence, about)
    for name in ("evidence.csv", "manifest.json"):
        assert (tmp_path / name).read_bytes() == (DEFAULT_EVIDENCE / name).read_bytes()
