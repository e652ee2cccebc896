"""``retrocypher judge`` on what is no run says so, with a judge named or without."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.judge import judge_command


@pytest.mark.parametrize("judge", [(), ("--judge", "local")])
def test_what_is_no_run_is_told(tmp_path: Path, judge: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("{}")
    said = {"gone": "there is no such folder", "file": "this is a file", ".": "no manifest.json here"}
    for name, why in said.items():
        result = CliRunner().invoke(judge_command, [str(tmp_path / name), *judge])
        assert isinstance(result.exception, InputError)
        assert str(result.exception) == f"{tmp_path / name}: {why}; name the folder of a run"
