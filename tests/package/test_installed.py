"""The installed package, used from a folder without a checkout."""

import configparser
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.comparable import without_times
from support.installed import CHECKOUT, Installed

from retrocypher.plugins.session.run_key import code_sha256

pytestmark = pytest.mark.package

PAGE = (CHECKOUT / "docs" / "running.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Your own suite")[2].partition("\n## ")[0]
QUERY = "MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule) WHERE m.smiles = 'CCO' RETURN r"


def example(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", SECTION, re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def command_lines() -> list[list[str]]:
    lines = re.findall(r"^\$ (pytest .*)$", SECTION, re.MULTILINE)
    return [["python", "-m", *line.split()] for line in lines]


def records_of(run: Path) -> dict[str, dict[str, Any]]:
    lines = (run / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return without_times(json.loads(line) for line in lines)


@pytest.fixture(scope="module")
def run(installed: Installed, graph: str) -> Path:
    """A run of the documented command, in a repository that is not ours."""
    person = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), (*person, "commit", "-q", "--allow-empty", "-m", "Theirs")):
        subprocess.run(["git", *arguments], cwd=installed.folder, check=True)
    named, _ = command_lines()
    assert named[3:5] == ["-p", "retrocypher.pytest_plugin"]
    installed.run(*named)
    (made,) = (installed.folder / "reports").iterdir()
    return made


def test_a_run_is_the_same_as_in_a_checkout(installed: Installed, run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["exit_status"] == 0
    assert manifest["cases"] == len(records_of(run)) == 50
    assert len(list((run / "allure-results").glob("*-result.json"))) == 50
    code = "from retrocypher.plugins.session.run_key import code_sha256; print(code_sha256())"
    assert installed.run("python", "-c", code).strip() == code_sha256()


def test_somebody_else_s_commit_is_not_reported(installed: Installed, run: Path) -> None:
    assert json.loads((run / "manifest.json").read_text(encoding="utf-8"))["git"] is None


def test_a_complete_run_is_not_overwritten(installed: Installed, run: Path) -> None:
    named, _ = command_lines()
    again = installed.run(*named, "--run-dir", str(run), status=4)
    assert str(run) in again


def test_commands(installed: Installed, run: Path) -> None:
    assert "syntax_error" in installed.run("retrocypher", "labels", "list")
    queries = installed.folder / "queries.jsonl"
    queries.write_text(json.dumps({"question": "What makes CCO?", "cypher": QUERY}), encoding="utf-8")
    assert "queries.jsonl:1" in installed.run("retrocypher", "check", str(queries), status=1)
    assert "1.000" in installed.run("retrocypher", "summary", str(run))
    installed.run("retrocypher", "report", str(run))
    assert "<html" in (run / "report.html").read_text(encoding="utf-8")
    installed.run("retrocypher", "baseline", "save", str(run), "first")
    assert (installed.folder / "reports/baselines/first").is_dir()
    gate = ("retrocypher", "gate", str(run), "no-regression f1 margin=0.6", "--baseline", "first")
    assert "holds" in installed.run(*gate, "--gate-partial").lower()
    rescored = installed.run("retrocypher", "rescore", str(run), "--out", "again")
    assert "nothing changed" in rescored


def test_what_a_checkout_has_is_asked_for_in_one_line(installed: Installed, run: Path) -> None:
    gate = ("retrocypher", "gate", str(run), "no-regression f1 margin=0.02", "--baseline", "exemplar")
    assert "no such baseline" in installed.run(*gate, status=2)
    assert "--out" in installed.run("retrocypher", "questions", "build", status=2)
    assert "bank build" in installed.run("retrocypher", "bank", "show", status=2)


def test_questions_are_built(installed: Installed, graph: str) -> None:
    assert "Started." in graph
    installed.run("retrocypher", "questions", "build", "--out", "questions")
    for name in ("single_step.jsonl", "multi_step.jsonl"):
        shipped = CHECKOUT / "kg/data/questions/set-2" / name
        assert (installed.folder / "questions" / name).read_bytes() == shipped.read_bytes()


def test_the_documented_suite_runs_without_p(
    installed: Installed, graph: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Its settings switch off the plugins of other libraries; with them, the results are the same."""
    suite = tmp_path_factory.mktemp("suite")
    (suite / "conftest.py").write_text(example("python"), encoding="utf-8")
    _, own = command_lines()
    assert "-p" not in own
    everything = installed.run(*own, "-n2", "--run-dir=all", status=1, folder=suite)
    assert "rerunfailures" in everything

    (suite / "pytest.ini").write_text(example("ini"), encoding="utf-8")
    fewer = installed.run(*own, "--run-dir=few", status=1, folder=suite)
    assert "rerunfailures" not in fewer
    assert records_of(suite / "few") == records_of(suite / "all")
    by_loop = {loop: [] for loop in ("none", "no-limit")}
    for record in records_of(suite / "all").values():
        by_loop[record["loop"]].append(record["scores"]["f1"])
    assert min(by_loop["none"]) < 1
    assert set(by_loop["no-limit"]) == {1.0}


def test_the_documented_settings_switch_off_what_those_of_the_checkout_do() -> None:
    settings = configparser.ConfigParser()
    settings.read_string(example("ini"))
    with (CHECKOUT / "pyproject.toml").open("rb") as file:
        ours = tomllib.load(file)["tool"]["pytest"]["ini_options"]["addopts"]
    assert ours.startswith(settings["pytest"]["addopts"])


def test_its_declared_dependencies_are_enough(installed_in_full: Installed, graph: str) -> None:
    named, _ = command_lines()
    assert "syntax_error" in installed_in_full.run("retrocypher", "labels", "list")
    code = (
        "import importlib, pkgutil, retrocypher\n"
        "for each in pkgutil.walk_packages(retrocypher.__path__, 'retrocypher.'):\n"
        "    if not each.name.endswith('__main__'): importlib.import_module(each.name)"
    )
    installed_in_full.run("python", "-c", code)
    installed_in_full.run(*named)
