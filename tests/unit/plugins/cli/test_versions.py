"""`retrocypher graph audit --proposal`, `graph apply` and `graph revert`."""

import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.plugins.cli.main import cli


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["graph", *map(str, arguments)])


def run(*arguments: object) -> Result:
    done = invoke(*arguments)
    assert done.exit_code == 0, done.exception or done.output
    return done


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """One reaction with a disputed yield: two records against one; in another, a reactant is the solvent."""
    table = tmp_path / "reactions.csv"
    rows = ["CCO,CC=O,,50", "CCO,CC=O,,70", "CCO,CC=O,,70", "CCO,CCOCC,CCO,80"]
    table.write_text("\n".join(["reactants,products,solvents,yields", *rows]))
    run("build", "--source", f"csv:{table}", "--out", tmp_path / "graph")
    return tmp_path / "graph"


def test_a_proposal_is_applied_and_reverted(graph: Path, tmp_path: Path) -> None:
    proposal, first, second = tmp_path / "p.yaml", tmp_path / "v1", tmp_path / "v2"
    done = run("audit", "--graph", graph, "--proposal", proposal, "--keep-evidence", 1)
    assert f"2 decisions in {proposal}: 1 by most_evidence, 1 left for review" in done.output

    lines = run("apply", proposal, "--graph", graph, "--out", first).output.splitlines()
    parent, made = (read_manifest(each)["fingerprint"] for each in (graph, first))
    assert lines == [
        "version 1: 1 change; 1 conflict left for review",
        f"parent       {parent}",
        f"fingerprint  {made}",
        f"written to {first}",
    ]
    assert [each.yields for each in read_graph(first)] == [(70.0,), (80.0,)]

    lines = run("revert", first, "--out", second).output.splitlines()
    assert lines[0] == "version 2: 1 change; version 1 undone"
    assert lines[2] == f"fingerprint  {parent}"


def test_a_decision_for_what_the_graph_has_says_that_nothing_changed(graph: Path, tmp_path: Path) -> None:
    proposal = tmp_path / "p.yaml"
    run("audit", "--graph", graph, "--proposal", proposal)
    value = yaml.safe_load(proposal.read_text())
    (had,) = read_graph(graph)[0].yields
    next(each for each in value["conflicts"] if each["about"] == "yield")["decision"] = {"keep": had}
    proposal.write_text(yaml.safe_dump(value))
    done = run("apply", proposal, "--graph", graph, "--out", tmp_path / "v1")
    assert "1 conflict left for review; the content is as before" in done.output


def test_json(graph: Path, tmp_path: Path) -> None:
    proposal = tmp_path / "p.yaml"
    options = ("--temporal", "record_yields", "--json")
    audited = json.loads(run("audit", "--graph", graph, "--proposal", proposal, *options).stdout)
    assert audited["proposed"] == {"review": 2}
    value = yaml.safe_load(proposal.read_text())
    value["conflicts"][0]["decision"] = "drop"
    proposal.write_text(json.dumps(value))

    applied = json.loads(run("apply", proposal, "--graph", graph, "--out", tmp_path / "v1", "--json").stdout)
    fingerprints = [read_manifest(each)["fingerprint"] for each in (graph, tmp_path / "v1")]
    assert applied == {
        "folder": str(tmp_path / "v1"),
        "parent": fingerprints[0],
        "fingerprint": fingerprints[1],
        "version": 1,
        "changes": 1,
        "review": 1,
    }
    reverted = json.loads(run("revert", tmp_path / "v1", "--out", tmp_path / "v2", "--json").stdout)
    assert (reverted["undoes"], reverted["version"], reverted["fingerprint"]) == (1, 2, fingerprints[0])


def test_without_a_proposal_nothing_is_proposed(graph: Path) -> None:
    assert json.loads(run("audit", "--graph", graph, "--json").stdout)["proposed"] is None


def test_a_proposal_that_exists_is_not_overwritten(graph: Path, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("edited")
    done = invoke("audit", "--graph", graph, "--proposal", tmp_path / "p.yaml")
    assert done.exit_code != 0
    assert "p.yaml: exists already. Delete it, or name another file." in str(done.exception)
    assert (tmp_path / "p.yaml").read_text() == "edited"


def test_what_cannot_be_applied_is_refused(graph: Path, tmp_path: Path) -> None:
    run("audit", "--graph", graph, "--proposal", tmp_path / "p.yaml")
    for arguments, message in [
        (("apply", tmp_path / "p.yaml", "--out", tmp_path / "v1"), "is for the graph with fingerprint"),
        (("apply", tmp_path / "p.yaml", "--graph", graph, "--out", tmp_path / "v1"), "decides nothing"),
        (("apply", tmp_path / "p.yaml", "--graph", graph, "--out", graph), "in the folder of the graph"),
        (("revert", graph, "--out", tmp_path / "v1"), "has no change to revert"),
    ]:
        done = invoke(*arguments)
        assert done.exit_code != 0
        assert message in str(done.exception)
    assert not (tmp_path / "v1").exists()


def test_the_audit_of_a_version_does_not_find_again_what_is_settled(tmp_path: Path) -> None:
    table, graph, proposal = tmp_path / "r.csv", tmp_path / "graph", tmp_path / "p.yaml"
    table.write_text("reactants,products,yields\nCCO,CC=O O,80;30\n")
    run("build", "--source", f"csv:{table}", "--out", graph)
    run("audit", "--graph", graph, "--proposal", proposal)
    decided = re.sub(
        r"(- value: (\d+\.\d).*?)decision: review",
        r"\1decision: {keep: \2}",
        proposal.read_text(),
        flags=re.S,
    )
    assert "decision: review" not in decided
    proposal.write_text(decided)
    run("apply", proposal, "--graph", graph, "--out", tmp_path / "v1")
    run("revert", tmp_path / "v1", "--out", tmp_path / "v2")
    limit = ("--fail-on", "yields_over_100>0")
    statuses = [
        invoke("audit", "--graph", folder, *limit).exit_code
        for folder in (graph, tmp_path / "v1", tmp_path / "v2")
    ]
    assert statuses == [1, 0, 1]
