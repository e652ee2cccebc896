"""Graphs on disk and their fingerprints, the default graph, and canonical SMILES."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.build import build_graph, open_source
from retrocypher.kg.graph.cleaning import Report
from retrocypher.kg.graph.compact import DEFAULT_GRAPH, read_disputed, read_graph, read_manifest, write_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of, node_line, relationship_line
from retrocypher.kg.graph.molecules import Canonicaliser
from retrocypher.kg.graph.reaction import Reaction, RecordYield, Source

names = st.text(alphabet="CNO()=#[]+-,\"' ", min_size=1).filter(lambda name: name.strip() == name)
role = st.lists(names, max_size=4, unique=True).map(tuple)
percent = st.none() | st.floats(0, 100)


@st.composite
def graphs(draw: st.DrawFn) -> list[Reaction]:
    reactions = []
    for number in range(1, draw(st.integers(0, 5)) + 1):
        products = draw(st.lists(names, min_size=1, max_size=4, unique=True))
        yields = tuple(draw(percent) for _ in products)
        source = Source(draw(names), number, draw(names), draw(st.none() | st.just("1995-11")))
        reactions.append(
            Reaction(number, draw(role), tuple(products), draw(role), draw(role), yields, source)
        )
    return reactions


@given(graphs())
def test_a_graph_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, reactions: list[Reaction]
) -> None:
    folder = tmp_path_factory.mktemp("graph")
    write_graph(folder, reactions, Report(), {})
    assert read_graph(folder) == tuple(reactions)
    assert read_manifest(folder)["fingerprint"] == fingerprint_of(reactions)


def test_a_built_graph_is_read_from_its_folder_with_what_was_dropped(tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    table.write_text("reactants,products,yields\nOC,C=O,70\nCO,C=O,\nCC,C(,\n")
    built = build_graph([open_source(f"csv:{table}")])

    built.write(tmp_path / "graph")

    (reaction,) = read_graph(tmp_path / "graph")
    assert reaction == Reaction(1, ("CO",), ("C=O",), (), (), (70.0,), Source("r.csv", 2, "OC>>C=O", None))
    assert (tmp_path / "graph" / "dropped.csv").read_text().splitlines() == [
        "rule,file,row,detail",
        "unreadable_smiles,r.csv,4,C(",
        "duplicate,r.csv,3,of r.csv row 2",
    ]
    manifest = read_manifest(tmp_path / "graph")
    assert manifest["records_read"] == 3
    assert manifest["dropped"]["duplicate"] == 1
    assert list(manifest["sources"][0]["files"]) == ["r.csv"]
    assert str(tmp_path) not in (tmp_path / "graph" / "manifest.json").read_text()


def test_the_yields_of_disputed_reactions_are_kept_with_their_records(tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    rows = ["OC,C=O,,", "CO,C=O,70,1995-11", "CC,C=C,5,", "OC,C=O,50,", "CC,C=C,5,"]
    table.write_text("\n".join(["reactants,products,yields,grant_date", *rows]))
    build_graph([open_source(f"csv:{table}")]).write(tmp_path / "graph")

    assert [each.yields_disputed for each in read_graph(tmp_path / "graph")] == [True, False]
    assert read_disputed(tmp_path / "graph") == {
        1: [
            RecordYield(1, "C=O", 70.0, "r.csv", 3, "1995-11"),
            RecordYield(1, "C=O", 50.0, "r.csv", 5, None),
        ]
    }


def test_a_graph_without_the_yields_of_records_is_still_read(tmp_path: Path) -> None:
    for path in DEFAULT_GRAPH.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "disputed.csv").write_text("id\n")
    with pytest.raises(InputError, match=r"disputed\.csv is not the file that its manifest describes"):
        read_disputed(tmp_path)
    (tmp_path / "disputed.csv").unlink()
    manifest = read_manifest()
    del manifest["files"]["disputed.csv"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert read_disputed(tmp_path) == {}
    assert read_graph(tmp_path) == read_graph()


def test_a_source_of_which_nothing_is_left_is_refused_with_the_reason(tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    table.write_text("reactants,products\nC,C(\nC,\n")
    with pytest.raises(
        InputError, match=r"of 2 records \(1 no_products, 1 unreadable_smiles\).*r\.csv row 2"
    ):
        build_graph([open_source(f"csv:{table}")])


def test_records_with_text_that_no_file_can_hold_are_dropped_and_the_rest_is_written(tmp_path: Path) -> None:
    lines = tmp_path / "r.jsonl"
    bad = [
        '{"reactants": ["\\ud800"], "products": "C"}',
        '{"reactants": "C", "products": "C", "yields": ["\\ud800"]}',
    ]
    bad += ["[" * 100_000, '{"reactants": "C", "products": "C", "yields": [NaN]}']
    lines.write_text("\n".join(['{"reactants": "C", "products": "CO", "\\udfff": 1}', *bad]))
    built = build_graph([open_source(f"jsonl:{lines}")])

    built.write(tmp_path / "graph")

    assert len(read_graph(tmp_path / "graph")) == 1
    dropped = (tmp_path / "graph" / "dropped.csv").read_text().splitlines()[1:]
    assert [line.split(",")[:3] for line in dropped] == [
        ["unreadable_record", "r.jsonl", str(row)] for row in (2, 3, 4, 5)
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("reactions.csv", "id", r"reactions\.csv is not the file that its manifest describes"),
        ("manifest.json", None, "manifest.json is missing"),
        ("molecules.txt", None, "molecules.txt is missing"),
        ("sources.csv", None, "sources.csv is missing"),
        ("manifest.json", "{", "is not the manifest of a graph"),
        ("manifest.json", "[]", "is not the manifest"),
        ("manifest.json", '{"schema_version": 9}', "form 9"),
    ],
)
def test_a_changed_or_missing_file_is_refused(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    for path in DEFAULT_GRAPH.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / name).unlink()
    if text:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_graph(tmp_path)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_graph(tmp_path / "file", [], Report(), {})


A = Reaction(1, ("C", "O"), ("CO", "N"), ("S",), ("F",), (50.0, None))
B = Reaction(2, ("CO",), ("CN",), (), (), (None,))


@given(st.permutations([A, B, replace(A, id=3), replace(B, id=4)]))
def test_the_order_of_reactions_does_not_matter(order: list[Reaction]) -> None:
    assert fingerprint_of(order) == fingerprint_of([A, B, replace(A, id=3), replace(B, id=4)])


def test_the_order_within_a_role_and_the_source_do_not_matter() -> None:
    turned = replace(
        A, reactants=("O", "C"), products=("N", "CO"), yields=(None, 50.0), source=Source("f", 1, "C>>C")
    )
    assert fingerprint_of([turned, B]) == fingerprint_of([A, B])


@pytest.mark.parametrize(
    "changed",
    [
        replace(A, id=9),
        replace(A, reactants=("C",)),
        replace(A, reactants=("C", "OC")),
        replace(A, agents=("F",), solvents=("S",)),
        replace(A, agents=(), solvents=("S", "F")),
        replace(A, agents=("C", "S")),
        replace(A, yields=(50.000001, None)),
        replace(A, yields=(None, 50.0)),
        replace(A, yields=(None, None)),
        replace(A, yields=(50.0, 0.0)),
    ],
)
def test_any_change_of_content_matters(changed: Reaction) -> None:
    assert fingerprint_of([changed, B]) != fingerprint_of([A, B])


def test_a_whole_number_is_the_same_yield_and_a_zero_has_no_sign() -> None:
    assert fingerprint_of([replace(A, yields=(50, None))]) == fingerprint_of([A])
    assert fingerprint_of([replace(A, yields=(-0.0, None))]) == fingerprint_of(
        [replace(A, yields=(0.0, None))]
    )
    assert relationship_line("a", "R", {"x": -0.0}, "b") == relationship_line("a", "R", {"x": 0.0}, "b")
    assert node_line(["L"], {"x": -0.0}) == node_line(["L"], {"x": 0.0})
    assert node_line(["L"], {"x": 0}) != node_line(["L"], {"x": 0.0})
    assert node_line(["L"], {"x": False}) != node_line(["L"], {"x": 0.0})


GRAPH = read_graph()
MANIFEST = read_manifest()


def test_its_size() -> None:
    molecules = {m for r in GRAPH for m in (*r.reactants, *r.products, *r.agents, *r.solvents)}
    yields = [value for r in GRAPH for value in r.yields if value is not None]
    assert [r.id for r in GRAPH] == list(range(1, 11_870))
    assert (
        MANIFEST["counts"] | {"reactions": 11_869, "molecules": 20_442, "yields": 4_863} == MANIFEST["counts"]
    )
    assert (len(molecules), len(yields)) == (20_442, 4_863)
    assert all(0 <= value <= 100 for value in yields)
    assert MANIFEST["fingerprint"] == fingerprint_of(GRAPH)


def test_its_disputed_yields_are_those_of_the_records() -> None:
    disputed = read_disputed()
    assert list(disputed) == MANIFEST["disputed_yields"]
    assert sum(map(len, disputed.values())) == 61
    for reaction in GRAPH:
        if reaction.yields_disputed:
            given = {(each.product, each.value) for each in disputed[reaction.id]}
            kept = {
                each for each in zip(reaction.products, reaction.yields, strict=True) if each[1] is not None
            }
            assert kept < given


def test_every_record_is_accounted_for() -> None:
    dropped = (DEFAULT_GRAPH / "dropped.csv").read_text().splitlines()[1:]

    assert MANIFEST["records_read"] == 13_501
    counted = {rule: count for rule, count in MANIFEST["dropped"].items() if count}
    assert counted == {"no_products": 201, "no_reactants": 23, "over_four": 397, "duplicate": 1_011}
    assert len(dropped) + len(GRAPH) == 13_501
    assert Counter(line.split(",")[0] for line in dropped) == counted


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("OCC", "CCO"),
        ("[CH3:1][CH2:2][OH:7]", "CCO"),
        ("C1=CC=CC=C1", "c1ccccc1"),
        ("[Na+].[Cl-]", "[Cl-].[Na+]"),
        ("[2H]C([2H])[2H]", "[2H]C([2H])[2H]"),
        ("[H:3][O:1][CH3:2]", "CO"),
        ("C/C=C\\C", "C/C=C\\C"),
        ("[CH3:1][C@H:2]([OH:3])[C:4]#[N:5]", "C[C@H](O)C#N"),
    ],
)
def test_canonical_form_has_no_atom_maps(written: str, canonical: str) -> None:
    found = Canonicaliser()(written)
    assert found is not None
    assert found.smiles == canonical
    assert found.valence_accepted


@pytest.mark.parametrize(
    "written", ["", "C(", "c1cc1c1", "CQ", "CC O", "CC\tname", "C\u00e9", "\ud800", "C>>C"]
)
def test_what_rdkit_cannot_read_is_none(written: str) -> None:
    assert Canonicaliser()(written) is None


def test_an_impossible_valence_is_kept_and_reported() -> None:
    found = Canonicaliser()("COC(=O)C(C)[CH2+]1CC2CCC1(C)C2(C)C")
    assert found is not None
    assert not found.valence_accepted
    assert Canonicaliser()(found.smiles) == found


@given(st.text(alphabet="CNOcno()[]=#@+-:1234Hl/\\. ", max_size=30))
def test_any_text_is_canonical_or_none_and_canonical_is_a_fixed_point(text: str) -> None:
    canonicalise = Canonicaliser()
    found = canonicalise(text)
    assert found is None or canonicalise(found.smiles) == found
