"""The way of a case is short, and docs/architecture.md lists its files."""

import json
import os
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from support.suite import CHECKOUT, Suite

PAGE = CHECKOUT / "docs" / "architecture.md"
APART = ("kg/cypher/", "kg/execution/")
MOST = 15
RECORD = ("plugins/session", "plugins/runs")
"""The packages of the record, to which each step adds its result."""


def test_a_case_passes_few_files_in_the_order_of_the_page(
    live: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "trace.json"
    monkeypatch.setenv("TRACE_FILE", str(file))
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT / "tests"), prepend=os.pathsep)
    ran = live("-p", "support.traced", "--model=oracle", "--sample=8", "--prompt=P5", "--alluredir=")
    assert ran.status == 0, ran.output
    assert not list(CHECKOUT.glob("*-result.json")), "an empty --alluredir must write no results"
    trace: dict[str, Any] = json.loads(file.read_text())

    files = [name for name in trace["files"] if not name.startswith(APART)]
    way = PAGE.read_text("utf-8").partition("## The path of one case")[2].partition("\n## ")[0]
    assert re.findall(r"^\d+\. `([\w/.]+)`", way, re.MULTILINE) == files
    assert len(files) <= MOST

    entered = [name for name, _ in groupby(each for each in trace["packages"] if each not in RECORD)]
    assert len(entered) == len(set(entered)), "a package is left and entered again"
