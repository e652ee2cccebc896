"""`retrocypher graph audit`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.plugins.cli.main import cli


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Two reactions: in one a reactant is also the solvent, and nothing has the bromine of the product."""
    table = tmp_path / "reactions.csv"
    table.write_text("reactants,products,solvents,yields\nCCO,CCBr,CCO,50\nC=C O,CCO,,80\n")
    folder = tmp_path / "graph"
    built = CliRunner().invoke(cli, ["graph", "build", "--source", f"csv:{table}", "--out", str(folder)])
    assert built.exit_code == 0, built.output
    return folder


def test_it_counts_and_shows_what_each_rule_finds(graph: Path) -> None:
    done = CliRunner().invoke(cli, ["graph", "audit", "--graph", str(graph)])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == "2 reactions, 0 procedure texts"
    at = next(place for place, line in enumerate(lines) if "two_roles (conflict, warning)" in line)
    assert lines[at].split()[0] == "1"
    assert lines[at + 1].strip() == "reaction 1: CCO among reactants and solvents"
    assert "reaction 1: Br of CCBr" in done.output


def test_json_has_all_findings(graph: Path) -> None:
    done = CliRunner().invoke(
        cli, ["graph", "audit", "--graph", str(graph), "--json", "--fail-on", "invalid>0"]
    )
    value = json.loads(done.stdout)
    by_rule = {each["rule"]: each for each in value["rules"]}
    assert by_rule["element_not_supplied"]["findings"] == [
        {"rule": "element_not_supplied", "reactions": [1], "detail": "Br of CCBr"}
    ]
    assert by_rule["record_yields"]["count"] == 0
    assert value["failed"] == []


@pytest.mark.parametrize(
    ("limit", "status"),
    [("conflict>0", 1), ("two_roles > 0", 1), ("conflict>1", 0), ("unbalanced>0", 1), ("invalid>0", 0)],
)
def test_more_than_is_accepted_sets_the_exit_status(graph: Path, limit: str, status: int) -> None:
    done = CliRunner().invoke(cli, ["graph", "audit", "--graph", str(graph), "--fail-on", limit])
    assert done.exit_code == status
    assert (f"failed: {limit}" in done.output) == bool(status)


@pytest.mark.parametrize("limit", ["colour>0", "conflict", "conflict>=1", "conflict>-1", ""])
def test_a_limit_of_another_form_is_refused(graph: Path, limit: str) -> None:
    done = CliRunner().invoke(cli, ["graph", "audit", "--graph", str(graph), "--fail-on", limit])
    assert done.exit_code != 0
    assert f"--fail-on {limit!r}: expected RULE>N, such as conflict>0, with one of conflict, " in str(
        done.exception or done.output
    )


@pytest.mark.parametrize("limit", ["source_differs>0", "evidence>0"])
def test_only_the_default_graph_has_rules_on_evidence(graph: Path, limit: str) -> None:
    done = CliRunner().invoke(cli, ["graph", "audit", "--graph", str(graph), "--fail-on", limit])
    assert "only the default graph has evidence" in str(done.exception)


def test_the_page_lists_the_findings_as_text(tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    table.write_text("reactants,products,agents\nCCO,CCBr,[Pd]\n")
    folder, page = tmp_path / "<b>graph", tmp_path / "audit.html"
    CliRunner().invoke(cli, ["graph", "build", "--source", f"csv:{table}", "--out", str(folder)])
    done = CliRunner().invoke(cli, ["graph", "audit", "--graph", str(folder), "--html", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text(encoding="utf-8")
    assert "Br of CCBr" in text
    assert "metal catalyst or reagent" in text
    assert "&lt;b&gt;graph" in text
    assert "<b>graph" not in text


def test_the_graph_of_a_suite_is_audited_by_what_it_declares() -> None:
    done = CliRunner().invoke(cli, ["graph", "audit", "--suite", "flights", "--json"])
    value = json.loads(done.stdout)
    assert value["nodes"] == 8595
    assert {each["rule"]: each["count"] for each in value["rules"]} == dict.fromkeys(
        ("several_values", "no_value", "not_entailed", "same_key"), 0
    )
    limited = CliRunner().invoke(cli, ["graph", "audit", "--suite", "flights", "--fail-on", "same_key>0"])
    assert limited.exit_code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--suite", "nowhere"), "no such suite"),
        (("--suite", "reactions"), "audit it with --graph DIR"),
        (("--suite", "flights", "--proposal", "p.yaml"), "leave out --graph and --proposal"),
        (
            ("--suite", "flights", "--fail-on", "two_roles>0"),
            "such as conflict>0, with one of conflict, duplicate",
        ),
        (("--keep-confidence", "0.5"), "goes with --proposal FILE"),
        (("--proposal", "p.yaml", "--keep-confidence", "nan"), "nan is not a number"),
    ],
)
def test_what_cannot_be_audited_is_refused(options: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(cli, ["graph", "audit", *options])
    assert done.exit_code != 0
    assert said in f"{done.exception}{done.output}"
