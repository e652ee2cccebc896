"""`retrocypher graph build`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.compact import read_graph
from retrocypher.plugins.cli.graph import build_command


def run(*arguments: str) -> str:
    result = CliRunner().invoke(build_command, arguments, catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "reactions.csv"
    path.write_text("reactants,products,yields\nC,CO,50\nC,CO,\nC,CN,\nC,C(,\nCO,CN,120\n")
    return path


def test_it_writes_the_graph_and_says_what_each_rule_dropped(table: Path, tmp_path: Path) -> None:
    output = run("--source", f"csv:{table}", "--out", str(tmp_path / "graph"))

    assert len(read_graph(tmp_path / "graph")) == 3
    lines = dict(line.rsplit(maxsplit=1) for line in output.splitlines()[:-3])
    assert lines["records read"] == "5"
    assert lines["dropped: duplicate"] == "1"
    assert lines["dropped: unreadable_smiles"] == "1"
    assert lines["changed: yield_out_of_range"] == "1"
    assert lines["reactions kept"] == "3"
    assert "3 reactions, 3 molecules, 1 yield" in output


def test_it_names_the_columns_that_were_not_read(tmp_path: Path) -> None:
    table, lines = tmp_path / "r.csv", tmp_path / "r.jsonl"
    table.write_text("reactants,products,yield,journal\nC,CO,50,x\n")
    lines.write_text('{"reactants": "C", "products": "CN", "\\ud800": 1}\n')

    output = run("--source", f"csv:{table}", "--source", f"jsonl:{lines}", "--out", str(tmp_path / "graph"))

    assert "ignored columns of r.csv: 'journal', 'yield'\n" in output
    assert "ignored columns of r.jsonl: '\\ud800'\n" in output


def test_rules_and_several_sources(table: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.txt"
    more.write_text("[CH3:1]O>>[CH3:1]S\n")
    arguments = ["--source", f"csv:{table}", "--source", f"smiles:{more}"]

    run(*arguments, "--out", str(tmp_path / "all"))
    run(*arguments, "--out", str(tmp_path / "two"), "--sample", "2", "--seed", "3")
    run(*arguments, "--out", str(tmp_path / "common"), "--min-count", "2")

    assert len(read_graph(tmp_path / "all")) == 4
    assert len(read_graph(tmp_path / "two")) == 2
    assert [r.products for r in read_graph(tmp_path / "common")] == [("CO",), ("CN",), ("CN",)]


@pytest.mark.parametrize("arguments", [["--sample", "5"], ["--min-count", "2"], ["--source", "smiles:x"]])
def test_the_committed_graph_is_only_replaced_by_the_default(arguments: list[str]) -> None:
    with pytest.raises(InputError, match="with --out"):
        run(*arguments)


def test_a_bad_source_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'xml:f' is not a source"):
        run("--source", "xml:f", "--out", str(tmp_path))
