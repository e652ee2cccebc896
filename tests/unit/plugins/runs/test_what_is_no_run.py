"""What is named as a run and is none, or not whole, is told in one clear line by each command."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.manifests import manifest_of
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.runs.listing import read_entry
from retrocypher.plugins.runs.log import RunLog

COMMANDS = ("report", "allure", "rescore", "summary")


def said(*arguments: str | Path) -> str:
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    assert isinstance(done.exception, InputError), done.exception
    return str(done.exception)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_is_not_there_and_a_file(command: str, tmp_path: Path) -> None:
    absent, file = tmp_path / "absent", tmp_path / "file"
    file.touch()
    assert said(command, absent) == f"{absent}: there is no such folder; name the folder of a run"
    assert said(command, file) == f"{file}: this is a file; name the folder of a run"
    assert re.fullmatch(
        rf"{tmp_path}: no \w+\.jsonl? here; name the folder of a run", said(command, tmp_path)
    )


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"cases": "many"}, "cases: expected `int`, got `str`"),
        ({"cases": 1, "means": {"f1": "high"}}, "means[...]: expected `float | null`, got `str`"),
        ({"cases": 1, "means": "high"}, "means: expected `object`, got `str`"),
        ({"cases": 1, "cells": ["high"]}, "cells[0]: expected `object`, got `str`"),
        ({"cases": 1, "cells": [{"scored": []}]}, "cells[0].scored: expected `int`, got `array`"),
    ],
)
def test_a_summary_that_was_edited_by_hand(tmp_path: Path, part: dict[str, object], told: str) -> None:
    (tmp_path / "summary.json").write_text(json.dumps({"schema_version": 1, **part}))
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'summary.json'}: {told}; ")):
        RunLog(tmp_path).summary  # noqa: B018


def test_a_list_of_runs_says_where_summary_and_records_do_not_fit(tmp_path: Path) -> None:
    summary = {"cases": 2, "means": {"f1": 0.5}}
    run = write_run(tmp_path / "run", [record_of("a"), record_of("b")], (), manifest_of(), summary)
    assert read_entry(RunLog(run)).reason is None
    lines = (run / "records.jsonl").read_text().splitlines(keepends=True)
    for kept, left in ((lines[0], 1), (lines[0] + lines[1][:50], 1), ("", 0), (None, 0)):
        if kept is None:
            (run / "records.jsonl").unlink()
        else:
            (run / "records.jsonl").write_text(kept)
        told = f"{run}: summary.json tells 2 cases, and records.jsonl has {left}; "
        assert (read_entry(RunLog(run)).reason or "").startswith(told)
