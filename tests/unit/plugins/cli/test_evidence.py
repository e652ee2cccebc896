"""`retrocypher graph evidence`, and `graph up --evidence` with another graph."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.compact import DEFAULT_EVIDENCE, read_evidence
from retrocypher.kg.evidence.evidence import Evidence, Fact
from retrocypher.kg.graph.passages import graph_fingerprint
from retrocypher.plugins.cli import evidence
from retrocypher.plugins.cli.main import cli

BUILT: tuple[tuple[Evidence, ...], dict[str, object]] = (
    (
        Evidence(Fact(1, "REACTS_IN", "C"), (("other_reading", "agrees"), ("text_name", "agrees")), (3, 9)),
        Evidence(Fact(1, "REACTS_IN", "O"), (("other_reading", "differs"),)),
        Evidence(Fact(1, "PRODUCES", "CO"), ()),
    ),
    {"graph_fingerprint": "abc"},
)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[Path | None]:
    """The files of USPTO-MIT that the command asks the evidence to be built with."""
    asked: list[Path | None] = []

    def built(mapped: Path | None) -> object:
        asked.append(mapped)
        return BUILT

    monkeypatch.setattr(evidence, "build_evidence", built)
    return asked


def test_it_writes_the_evidence_and_prints_the_coverage(given: list[Path | None], tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("C>>C")
    command = ["graph", "evidence", "--out", str(tmp_path / "e"), "--uspto-mit", str(tmp_path / "m.txt")]
    done = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert given == [tmp_path / "m.txt"]
    assert [line.split() for line in done.output.splitlines()][:4] == [
        ["fact", "source", "agrees", "differs", "silent"],
        ["REACTS_IN", "2", "facts;", "1", "with", "a", "place", "in", "the", "text", "(50.0%)"],
        ["other_reading", "1", "1", "0"],
        ["text_name", "1", "0", "1"],
    ]
    printed = json.loads(CliRunner().invoke(cli, [*command, "--json"], catch_exceptions=False).stdout)
    assert printed["counts"]["PRODUCES"]["facts"] == 1
    assert (printed["changed"], printed["falls"]) == (None, [])
    assert (tmp_path / "e" / "evidence.csv").read_text() == "reaction,evidence\n1,ln3+6 L -\n"


@pytest.mark.usefixtures("given")
def test_without_a_source_the_committed_evidence_is_left_alone() -> None:
    done = CliRunner().invoke(cli, ["graph", "evidence"])
    assert isinstance(done.exception, InputError)
    assert "--out FOLDER" in str(done.exception)


def test_another_graph_has_no_evidence(tmp_path: Path) -> None:
    (tmp_path / "lab.csv").write_text("reactants,products\nC,CO\n")
    build = ["graph", "build", "--source", f"csv:{tmp_path / 'lab.csv'}", "--out", str(tmp_path / "g")]
    CliRunner().invoke(cli, build, catch_exceptions=False)
    done = CliRunner().invoke(cli, ["graph", "up", "--graph", str(tmp_path / "g"), "--evidence"])
    assert isinstance(done.exception, InputError)
    assert "Evidence is made for the default graph only" in str(done.exception)


def test_evidence_that_is_there_is_verified_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = shutil.copytree(DEFAULT_EVIDENCE, tmp_path / "e")
    found = list(read_evidence())
    place = next(
        at
        for at, each in enumerate(found)
        if each.fact.kind == "USES_SOLVENT" and ("other_reading", "agrees") in each.verdicts
    )
    found[place] = replace(found[place], verdicts=(("other_reading", "differs"),))
    about: dict[str, object] = {"graph_fingerprint": graph_fingerprint()}
    monkeypatch.setattr(evidence, "build_evidence", lambda _: (tuple(found), about))
    done = CliRunner().invoke(cli, ["graph", "evidence", "--out", str(folder)], catch_exceptions=False)
    assert "verified again: 1 confidence changed, 1 fell by more than 0.1" in done.output
    fact = found[place].fact
    assert f"reaction {fact.reaction}, USES_SOLVENT {fact.molecule}: 0.806 to 0.184" in done.output
    assert read_evidence(folder)[place].verdicts == (("other_reading", "differs"),)
