"""The commands as a whole: all load, and asking for help loads none of them."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from support.commands import leaf_commands

from retrocypher.plugins.cli.main import cli

COMMANDS = dict(leaf_commands())
TOP = {name: command for name, command in COMMANDS.items() if " " not in name}


@pytest.mark.parametrize("name", TOP)
def test_help_says_of_a_command_what_it_says_of_itself(name: str) -> None:
    shown = CliRunner().invoke(cli, ["--help"], terminal_width=200).output.splitlines()
    said = next(line.split() for line in shown if line.split()[:1] == [name])
    assert said[1] == (TOP[name].help or "").split()[0]


def test_help_loads_no_command() -> None:
    code = (
        "import sys; from retrocypher.plugins.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    )
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
def test_every_command_speaks_json(name: str) -> None:
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
