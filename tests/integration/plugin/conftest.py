"""Runs the suite as a user does: a pytest of its own, in the checkout."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kg.server import Endpoint

CHECKOUT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Ran:
    """A session that ended."""

    status: int
    output: str
    run: Path

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """Records by case."""
        lines = (self.run / "records.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        assert len({record["case_id"] for record in records}) == len(records)
        return {record["case_id"]: record for record in records}

    @property
    def summary(self) -> dict[str, Any]:
        """The summary."""
        found: dict[str, Any] = json.loads((self.run / "summary.json").read_text())
        return found


Suite = Callable[..., Ran]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Suite:
    """Run ``pytest benchmarks`` with arguments, without a key in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    count = iter(range(100))

    def run(*arguments: str, where: str = "benchmarks", run_dir: Path | None = None) -> Ran:
        folder = run_dir or tmp_path / f"run{next(count)}"
        result = pytester.runpytest_subprocess(
            str(CHECKOUT / where),
            f"--rootdir={CHECKOUT}",
            f"--confcutdir={CHECKOUT}",
            "-c",
            str(CHECKOUT / "pyproject.toml"),
            f"--run-dir={folder}",
            *arguments,
            timeout=300,
        )
        output = "\n".join((*result.outlines, *result.errlines))
        return Ran(int(result.ret), output, folder)

    return run


@pytest.fixture
def live(suite: Suite, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Run the suite against the tests' own server, given as a URI."""
    monkeypatch.setenv("NEO4J_USER", endpoint.user)
    monkeypatch.setenv("NEO4J_PASSWORD", endpoint.password)

    def run(*arguments: str, **keywords: Any) -> Ran:
        return suite(f"--graph={endpoint.uri}", *arguments, **keywords)

    return run
