"""Ten reactions of a table are enough to build a graph and questions, and to run them."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from support.suite import Session

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli

TABLE = """reactants,products,agents,solvents,yields
OC(=O)c1ccccc1 CO,COC(=O)c1ccccc1,OS(=O)(=O)O,CO,85%
O=C(Cl)c1ccccc1 CO,COC(=O)c1ccccc1,CCN(CC)CC,ClCCl,92 %
COC(=O)c1ccccc1 N,NC(=O)c1ccccc1,,CO,>99
NC(=O)c1ccccc1,N#Cc1ccccc1,O=P(Cl)(Cl)Cl,,78
N#Cc1ccccc1,NCc1ccccc1,[Li+].[AlH4-],C1CCOC1,81.5
O=Cc1ccccc1 N,NCc1ccccc1,[BH3-]C#N.[Na+],CO,66%
NCc1ccccc1 CC(=O)Cl,CC(=O)NCc1ccccc1 Cl,CCN(CC)CC,ClCCl,90;-
NCc1ccccc1 O=C(Cl)c1ccccc1,O=C(NCc1ccccc1)c1ccccc1,[OH-].[Na+],O,88
CC(=O)NCc1ccccc1,CCNCc1ccccc1,[Li+].[AlH4-],C1CCOC1,-5
CCNCc1ccccc1 CI,CCN(C)Cc1ccccc1,,CC#N,71
"""
BARE = "".join(",".join(line.split(",")[:2]) + "\n" for line in TABLE.splitlines())


@pytest.mark.parametrize(
    ("table", "counts", "made"),
    [
        pytest.param(TABLE, (), 109, id="whole plan", marks=pytest.mark.scale),
        pytest.param(
            *(BARE, ("--counts", "precursors=3,best_yield=2,chains_to_target=4"), 7),
            id="without yields and conditions",
        ),
    ],
)
def test_ten_reactions_are_built_and_run(
    tmp_path: Path, table: str, counts: tuple[str, ...], made: int
) -> None:
    source, graph, questions = tmp_path / "lab.csv", tmp_path / "graph", tmp_path / "questions"
    source.write_text(table)
    for command in (
        ("graph", "build", "--source", f"csv:{source}", "--out", graph),
        ("questions", "build", "--graph", graph, "--out", questions, "--server", "local", *counts),
    ):
        done = CliRunner().invoke(cli, [str(each) for each in command])
        assert done.exit_code == 0, done.output
    manifest = load_questions(questions).manifest
    assert manifest["questions"] == made
    assert manifest["not_as_planned"]["best_yield"]["made"] == (0 if counts else 6)
    ran = Session(
        ("--graph", str(graph), "--questions", str(questions), "--model=oracle", "-n0", "--cache=none"),
        tmp_path / "run",
    ).whole()
    assert ran.status == 0, ran.output
    assert ran.summary["passed"] == made
