"""The commands as a whole: help, wrong names, the page of commands, and what they print for programs."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from support.calibrated import BANK
from support.records import record_of, write_run
from support.suite import CHECKOUT

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.cli.console import table_console
from retrocypher.plugins.cli.main import LazyCommand, cli, main


def leaf_commands(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that does something, with its name as a user types it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, LazyCommand):
            command = command.load()
        assert command is not None, name
        if isinstance(command, click.Group):
            yield from leaf_commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


COMMANDS = dict(leaf_commands(cli))
TOP = {name: command for name, command in COMMANDS.items() if " " not in name}
PAGE = (CHECKOUT / "docs" / "commands.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    """Return what the page says of a command."""
    found = re.search(rf"^### retrocypher {name}\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)
    return found[1] if found else ""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    execution = {"status": "ok", "row_count": 1}
    record = record_of(scores={"precision": 1.0, "recall": 1.0, "f1": 1.0}, execution=execution, passed=True)
    manifest = {"cases": 2, "exit_status": 2, "graph": {}, "options": {}}
    return write_run(tmp_path / "run", [record], manifest=manifest)


def asked(*arguments: object) -> Any:
    done = CliRunner().invoke(cli, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", TOP)
def test_help_says_of_a_command_what_it_says_of_itself(name: str) -> None:
    shown = CliRunner().invoke(cli, ["--help"], terminal_width=200).output.splitlines()
    said = next(line.split() for line in shown if line.split()[:1] == [name])
    assert said[1] == (TOP[name].help or "").split()[0]


def test_help_loads_no_command() -> None:
    imported = "import sys; from retrocypher.plugins.cli.main import main"
    code = f"{imported}\ntry: main()\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "retrocypher.plugins.cli.main" in loaded
    assert not {"rich", "numpy", "rdkit", "retrocypher.prompts", "retrocypher.plugins.runs"} & loaded


def test_a_wrong_name_is_wrong_usage_with_the_near_one_named() -> None:
    for wrong, meant in (["sumary"], "summary"), (["graph", "upp"], "up"):
        done = CliRunner().invoke(cli, wrong)
        assert done.exit_code == 2
        assert done.output.count(f"Did you mean {meant}?") == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_speaks_json_and_is_on_the_page(name: str) -> None:
    assert section(name)
    option = next((each for each in COMMANDS[name].params if "--json" in each.opts), None)
    assert isinstance(option, click.Option)
    assert option.is_flag


@pytest.mark.parametrize("name", ["runs", "graph status"])
def test_a_command_that_ctrl_c_ends_has_a_status_of_its_own(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(COMMANDS[name], "invoke", interrupted)
    done = CliRunner().invoke(cli, [*name.split(), "--json"])
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "interrupted\n")


def fields(value: dict[str, Any]) -> set[str]:
    """Return the names of an object, and of the objects in its lists."""
    lists = [each for each in value.values() if isinstance(each, list)]
    return set(value).union(*(set(entry) for each in lists for entry in each if isinstance(entry, dict)))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("labels list", []),
        ("bank show", ["--bank", BANK]),
        ("summary", ["RUN"]),
        ("runs", ["RUN"]),
        ("show", ["RUN", "c"]),
    ],
)
def test_every_field_is_on_the_page(name: str, arguments: list[object], run: Path) -> None:
    output = asked(*name.split(), *(run if each == "RUN" else each for each in arguments))
    assert [each for each in fields(output) if f"`{each}`" not in section(name)] == []


def test_labels() -> None:
    assert [each["name"] for each in asked("labels", "list")["labels"]] == list(LABELS)
    printed = CliRunner().invoke(cli, ["labels", "list"]).output
    assert all(f" {label} " in printed for label in LABELS)


def test_a_wrong_input_is_a_line_on_stderr_with_json_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["retrocypher", "summary", str(tmp_path), "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(("columns", "width"), [("72", 72), ("", 240)])
def test_a_pipe_is_wide_unless_it_is_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert table_console().width == width
