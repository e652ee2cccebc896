"""`retrocypher questions confidence`."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import DEFAULT_QUESTIONS
from retrocypher.plugins.cli.main import cli


def test_each_task_has_a_line_and_json_has_each_question() -> None:
    done = CliRunner().invoke(cli, ["questions", "confidence"], catch_exceptions=False)
    lines = [line.split() for line in done.output.splitlines()]
    assert lines[0] == ["questions", "least", "whole", ">=", "0.7", "task"]
    assert next(line[-1] for line in lines[1:11]) == "precursors"
    assert (lines[11][0], lines[11][-1]) == ("2,400", "all")

    strict = CliRunner().invoke(cli, ["questions", "confidence", "--least", "0.8", "--json"])
    value = json.loads(strict.stdout)
    assert len(value["questions"]) == 2400
    for found in value["questions"].values():
        assert 0 <= found["whole"] <= found["least"] <= 1
    sure = sum(found["least"] >= 0.8 for found in value["questions"].values())
    assert value["tasks"][-1]["sure"] == sure < 2400


def test_questions_about_another_graph_are_refused(tmp_path: Path) -> None:
    folder = shutil.copytree(DEFAULT_QUESTIONS, tmp_path / "q")
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "graph_fingerprint": "0" * 64}))
    with pytest.raises(InputError, match="not about the default graph"):
        CliRunner().invoke(
            cli, ["questions", "confidence", "--questions", str(folder)], catch_exceptions=False
        )
