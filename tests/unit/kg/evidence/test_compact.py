"""The evidence on disk, and as properties of relationships."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.compact import (
    DEFAULT_EVIDENCE,
    coverage,
    fact_properties,
    read_evidence,
    write_evidence,
)
from retrocypher.kg.evidence.confidence import ConfidenceModel, Counts, KindCounts
from retrocypher.kg.evidence.evidence import FACT_KINDS, SOURCES, Evidence, facts_of
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.reaction import Reaction, Source

REACTIONS = (
    Reaction(1, ("C", "O"), ("CO",), ("[Pd]",), (), (50.0,), Source("a.parquet", 4, "", "1976-01")),
    Reaction(2, ("CO",), ("CN",), (), ("O",), (None,)),
)
FACTS = [fact for reaction in REACTIONS for fact in facts_of(reaction)]
ABOUT = {"graph_fingerprint": fingerprint_of(REACTIONS)}
MODEL = ConfidenceModel({kind: KindCounts(Counts(2, 0)) for kind in FACT_KINDS})

VERDICTS = st.dictionaries(st.sampled_from(SOURCES), st.sampled_from(("agrees", "differs"))).map(
    lambda said: tuple((source, said[source]) for source in SOURCES if source in said)
)
SPANS = st.none() | st.tuples(st.integers(0, 99_999), st.integers(1, 999)).map(lambda s: (s[0], sum(s)))
EVIDENCE = st.tuples(*(st.builds(Evidence, st.just(fact), VERDICTS, SPANS) for fact in FACTS))


@given(EVIDENCE)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, evidence: tuple[Evidence, ...]
) -> None:
    folder = tmp_path_factory.mktemp("evidence")
    write_evidence(folder, evidence, ABOUT)
    assert read_evidence(folder, REACTIONS) == evidence
    counts = json.loads((folder / "manifest.json").read_text())["counts"]
    assert sum(each["facts"] for each in counts.values()) == len(FACTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_evidence(tmp_path, [Evidence(fact, (("text_name", "agrees"),)) for fact in FACTS], ABOUT)
    return tmp_path


def rewritten(text: str) -> Callable[[Path], None]:
    """Replace the file of evidence, and its hash in the manifest."""

    def rewrite(folder: Path) -> None:
        (folder / "evidence.csv").write_text(text)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["files"]["evidence.csv"] = sha256(text.encode()).hexdigest()
        (folder / "manifest.json").write_text(json.dumps(manifest))

    return rewrite


def with_manifest(text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "manifest.json").write_text(text)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "evidence.csv").unlink(), "cannot be read"),
        (
            lambda folder: (folder / "evidence.csv").write_text("x"),
            "not the file that manifest.json describes",
        ),
        (lambda folder: (folder / "manifest.json").unlink(), r"cannot be read.*manifest\.json"),
        (with_manifest("[]"), "cannot be read"),
        (with_manifest("[" * 100_000), "cannot be read"),
        (
            with_manifest('{"schema_version": 2, "graph_fingerprint": "", "files": {"evidence.csv": ""}}'),
            "form 2, this version reads form 1",
        ),
        (
            lambda folder: write_evidence(folder, [], {"graph_fingerprint": "abc"}),
            "belongs to the graph abc",
        ),
        (rewritten("reaction,evidence\n1,n n n n n\n"), "cannot be read"),
        (rewritten("reaction,evidence\n1,n n n n n\n3,n n n\n"), "reaction '3' stands where 2 is expected"),
        (rewritten("reaction,evidence\n1,n n n n n\n2,n n\n"), "cannot be read"),
        (rewritten("reaction,evidence\n1,n n n n n\n2,n n x\n"), "'x' of reaction 2 is no evidence"),
        (rewritten("reaction,evidence\n1,n n n n n\n2,n n n1\n"), "'n1' of reaction 2 is no evidence"),
        (rewritten("reaction,evidence\n1\n2,n n n\n"), "cannot be read"),
    ],
)
def test_damaged_files_are_one_message(folder: Path, damage: Callable[[Path], object], message: str) -> None:
    damage(folder)
    with pytest.raises(InputError, match=message):
        read_evidence(folder, REACTIONS)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        write_evidence(tmp_path / "file" / "folder", [], ABOUT)


def test_evidence_as_properties_of_relationships() -> None:
    evidence = [
        Evidence(fact, (("other_reading", "differs"), ("text_name", "agrees")), (3, 9))
        if place == 0
        else Evidence(fact, ())
        for place, fact in enumerate(FACTS)
    ]
    properties = fact_properties(REACTIONS, evidence, MODEL)
    record = {"confidence": 0.75, "sourceFile": "a.parquet", "sourceRow": 4, "grantMonth": "1976-01"}
    assert properties[1, "REACTS_IN", "C"] == {
        **record,
        "evidence": ["text_name"],
        "disputedBy": ["other_reading"],
        "span": "3-9",
    }
    assert properties[1, "PRODUCES", "CO"] == {**record, "yieldConfidence": 0.75}
    assert properties[2, "USES_SOLVENT", "O"] == {"confidence": 0.75}
    assert len(properties) == 7
    assert fingerprint_of(REACTIONS, properties) != fingerprint_of(REACTIONS)
    assert fingerprint_of(REACTIONS, {}) == fingerprint_of(REACTIONS)


def test_the_committed_evidence_is_of_the_default_graph() -> None:
    evidence = read_evidence()
    assert [each.fact for each in evidence] == [
        fact for reaction in read_graph() for fact in facts_of(reaction)
    ]
    manifest = json.loads((DEFAULT_EVIDENCE / "manifest.json").read_text())
    assert manifest["counts"] == msgspec.to_builtins(coverage(evidence))
    assert all(each.span is None or each.span[0] < each.span[1] for each in evidence)
