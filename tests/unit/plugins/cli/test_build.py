"""`retrocypher graph build`, `questions build`, `passages build` and `vectors build`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from support.passages import Letters, Shelf

from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.plugins.cli import build
from retrocypher.plugins.cli.main import cli
from retrocypher.prompts.templates import encoder


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(cli, [str(each) for each in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "reactions.csv"
    path.write_text("reactants,products,yields,journal\nC,CO,50,x\nC,CO,,\nC,CN,,\nC,C(,,\nCO,CN,120,\n")
    return path


def test_it_writes_the_graph_and_says_what_each_rule_dropped(table: Path, tmp_path: Path) -> None:
    more = tmp_path / "r.jsonl"
    more.write_text('{"reactants": "C", "products": "CF", "\\ud800": 1}\n')
    sources = ("--source", f"csv:{table}", "--source", f"jsonl:{more}")
    output = run("graph", "build", *sources, "--out", tmp_path / "graph").output

    assert len(read_graph(tmp_path / "graph")) == 4
    counts = dict(line.rsplit(maxsplit=1) for line in output.splitlines() if line[:1].islower())
    assert counts["records read"] == "6"
    assert counts["dropped: duplicate"] == "1"
    assert counts["dropped: unreadable_smiles"] == "1"
    assert counts["changed: yield_out_of_range"] == "1"
    assert counts["reactions kept"] == "4"
    assert "4 reactions, 4 molecules, 1 yield" in output
    assert "ignored columns of reactions.csv: 'journal'\n" in output
    assert "ignored columns of r.jsonl: '\\ud800'\n" in output


def test_changed_yields_are_counted_and_fractions_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "lab.csv"
    path.write_text("reactants,products,yields\nC,CO,0.85\nC,CN,0.9%\nC,CF,>99\n")
    printed = json.loads(
        run("graph", "build", "--source", f"csv:{path}", "--out", tmp_path / "g", "--json").stdout
    )
    assert (printed["changed"]["percent_sign"], printed["changed"]["yield_bound"]) == (1, 1)
    assert read_manifest(tmp_path / "g")["changed"] == printed["changed"]
    assert printed["warnings"][0].startswith("lab.csv: ")
    shown = run("graph", "build", "--source", f"csv:{path}", "--out", tmp_path / "g").output
    assert f"warning: {printed['warnings'][0]}" in shown


def test_rules_and_several_sources(table: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.txt"
    more.write_text("[CH3:1]O>>[CH3:1]S\n")
    sources = ("--source", f"csv:{table}", "--source", f"smiles:{more}")
    graphs = []
    for options in ((), ("--sample", 2, "--seed", 3), ("--min-count", 2)):
        run("graph", "build", *sources, "--out", tmp_path / "graph", *options)
        graphs.append(read_graph(tmp_path / "graph"))
    assert [len(graph) for graph in graphs] == [4, 2, 3]
    assert [reaction.products for reaction in graphs[2]] == [("CO",), ("CN",), ("CN",)]


def test_tasks_that_the_graph_lacks_are_said_before_a_server_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_server(*_: object, **__: object) -> None:
        raise GraphError("no server")

    monkeypatch.setattr(build, "open_server", no_server)
    (tmp_path / "lab.csv").write_text("reactants,products\nOC(=O)c1ccccc1 CO,COC(=O)c1ccccc1\n")
    run("graph", "build", "--source", f"csv:{tmp_path / 'lab.csv'}", "--out", tmp_path / "g")
    (tmp_path / "plan.yaml").write_text("- {task: precursors, count: 5}\n- {task: best_yield, count: 2}\n")

    def printed_by(*options: str) -> str:
        folders = ["--graph", str(tmp_path / "g"), "--out", str(tmp_path / "q")]
        done = CliRunner().invoke(cli, ["questions", "build", *folders, *options])
        assert isinstance(done.exception, GraphError)
        assert not (tmp_path / "q").exists()
        return done.output

    said = printed_by("--plan", str(tmp_path / "plan.yaml"))
    assert "Skipped, because the graph has no such question: best_yield\n" in said
    assert "Fewer questions than planned, because the graph has no more: precursors (1 of 5)\n" in said
    assert printed_by("--counts", "precursors=1") == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["graph", "build", "--sample", "5"], "with --out"),
        (["graph", "build", "--min-count", "2"], "with --out"),
        (["graph", "build", "--source", "smiles:x"], "with --out"),
        (["graph", "build", "--source", "xml:f", "--out", "x"], "'xml:f' is not a source"),
        (["questions", "build", "--seed", "7"], "--out FOLDER"),
        (["questions", "build", "--graph", "elsewhere"], "--out FOLDER"),
        (["questions", "build", "--counts", "precursors=5"], "--out FOLDER"),
        (["questions", "build", "--counts", "precursors", "--out", "x"], "'precursors' is not TASK=N"),
        # Before a server starts.
        (["questions", "build", "--graph", "/absent", "--out", "x", "--server", "nonsense"], "/absent"),
    ],
)
def test_what_cannot_be_built_is_said_before_any_work(arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(*arguments)


@pytest.fixture
def passages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    file = tmp_path / "p.sqlite"

    @contextmanager
    def opened(file: Path) -> Iterator[list[Any]]:
        yield [*Shelf("It was stirred.", "It was dried.")]

    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setattr(build, "build_passages", lambda: file)
    monkeypatch.setattr(build, "open_passages", opened)
    return file


def test_passages_without_vectors(passages: Path) -> None:
    output = json.loads(run("passages", "build", "--json").stdout)
    assert output == {"passages": 2, "file": str(passages), "encoder": None, "vectors": None}
    assert run("passages", "build").stdout.splitlines() == [f"2 passages in {passages}"]


def test_vectors_of_passages(passages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "load_encoder", Letters)
    done = run("passages", "build", "--vectors", "--encoder", "tiny", "--json")
    output = json.loads(done.stdout)
    assert output["encoder"] == "tiny"
    assert np.load(output["vectors"])["vectors"].shape == (2, 2)
    assert "2 of 2 vectors" in done.stderr


def test_vectors_need_the_extra(passages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrocypher.prompts.templates.encoder.extra_installed", lambda: False)
    with pytest.raises(InputError, match=r"pip install -e '.\[semantic\]'"):
        run("passages", "build", "--vectors")


def test_vectors_are_built_of_the_texts_that_are_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "SentenceEncoder", Letters)
    output = json.loads(run("vectors", "build", "--out", tmp_path / "made.jsonl", "--json").stdout)
    name = output["encoder"]
    shipped = Path(encoder.__file__).parent / "vectors" / f"{name}.jsonl"
    made = encoder.read_vectors(tmp_path / "made.jsonl", name)
    assert made.keys() == encoder.read_vectors(shipped, name).keys()
    assert output["vectors"] == len(made)


def test_a_former_option_still_works_with_a_note(tmp_path: Path) -> None:
    target = tmp_path / "bank"
    done = run("bank", "sample", "--bank", "tests/data/bank", "--to", target, "--json")
    assert json.loads(done.stdout)["folder"] == str(target)
    assert "note: --to is now called --out" in done.stderr
    assert "--to " not in run("bank", "sample", "--help").stdout


@pytest.mark.parametrize("command", ["graph load", "check FILE"])
def test_a_server_is_named_in_the_same_way_in_all_commands(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text('{"question": "Which?", "cypher": "RETURN 1"}\n')
    words = [str(file) if each == "FILE" else each for each in command.split()]
    with pytest.raises(InputError, match="--server nowhere: expected an address"):
        cli([*words, "--uri", "nowhere"], standalone_mode=False)
    assert "note: --uri is now called --server" in capsys.readouterr().err
    assert "--uri " not in run(*words, "--help").stdout
