"""The page of commands lists every command, and the fields that they print."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.calibrated import BANK
from support.commands import leaf_commands
from support.records import record_of, write_run
from support.suite import CHECKOUT

from retrocypher.plugins.cli.main import cli

PAGE = (CHECKOUT / "docs" / "commands.md").read_text(encoding="utf-8")
SCORES = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "unmatched_columns": []}


def told(name: str) -> str:
    """The section of a command."""
    section = re.search(rf"^### retrocypher {name}\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)
    return section[1] if section else ""


@pytest.mark.parametrize("name", [name for name, _ in leaf_commands()])
def test_every_command_is_told(name: str) -> None:
    assert told(name)


def fields(value: dict[str, Any]) -> set[str]:
    """The names of an object, and of the objects in its lists."""
    lists = [each for each in value.values() if isinstance(each, list)]
    return set(value).union(*(set(entry) for each in lists for entry in each if isinstance(entry, dict)))


@pytest.mark.parametrize(
    "arguments",
    [
        ["labels", "list"],
        ["bank", "show", "--bank", str(BANK)],
        ["summary", "RUN"],
        ["runs", "RUN"],
        ["show", "RUN", "c"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_every_field_is_told(arguments: list[str], tmp_path: Path) -> None:
    execution = {"status": "ok", "row_count": 1, "columns": [], "rows": [], "truncated": False, "time_s": 0.0}
    record = record_of("c", scores=SCORES, execution=execution, passed=True)
    run = write_run(tmp_path / "run", [record], manifest={"cases": 1, "graph": {}, "options": {}})
    given = [str(run) if each == "RUN" else each for each in arguments]
    done = CliRunner().invoke(cli, [*given, "--json"], catch_exceptions=False)
    name = " ".join(arguments[:2]) if arguments[0] in ("labels", "bank") else arguments[0]
    assert [each for each in fields(json.loads(done.stdout)) if f"`{each}`" not in told(name)] == []
