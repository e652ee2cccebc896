"""``retrocypher report`` says what it wrote, to a person and to a program."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.reported import a_run
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.report import report_command


def test_it_says_what_it_wrote(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    result = CliRunner().invoke(report_command, [str(run), "--cases", "2"])
    assert result.exit_code == 0, result.output
    assert "120 cases, 40 failed, 0 not run" in result.output
    assert str(run / "report.html") in result.output
    assert (run / "report.html").is_file()
    options = ["--cases", "2", "--json", "--out", str(tmp_path / "x.html")]
    result = CliRunner().invoke(report_command, [str(run), *options])
    told = json.loads(result.output)
    page = (CHECKOUT / "docs" / "commands.md").read_text("utf-8")
    paragraph = page.split("### retrocypher report")[1].split("\n###")[0]
    assert all(f"`{name}`" in paragraph for name in told)
    assert (told["failed"], told["listed"]) == (40, 2)
    assert told["bytes"] == Path(told["page"]).stat().st_size < 5_000_000
    assert told["pages"] == len([*Path(told["folder"]).glob("*.html")])
    assert told["pages_bytes"] == sum(each.stat().st_size for each in Path(told["folder"]).glob("*.html"))


@pytest.mark.parametrize("name", ["", "typo"])
def test_what_is_no_run_is_an_error_for_the_user(tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(report_command, [str(tmp_path / name)])
    assert isinstance(result.exception, InputError)
    assert "name the folder of a run" in str(result.exception)
    assert not [*tmp_path.iterdir()]
