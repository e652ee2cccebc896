"""`retrocypher questions build`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.build import questions_build_command


@pytest.mark.parametrize("options", [["--seed", "7"], ["--graph", "elsewhere"]])
def test_only_the_default_set_may_replace_the_shipped_one(options: list[str]) -> None:
    result = CliRunner().invoke(questions_build_command, options)
    assert isinstance(result.exception, InputError)
    assert "--out FOLDER" in str(result.exception)


def test_a_graph_that_is_not_there_is_named_before_a_server_starts(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    result = CliRunner().invoke(
        questions_build_command, ["--graph", str(absent), "--out", str(tmp_path), "--server", "nonsense"]
    )
    assert isinstance(result.exception, InputError)
    assert str(absent) in str(result.exception)
