"""Keys and passwords are planted wherever a user may have them, and looked for in all that a run leaves."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from support.roles_api import RolesApi, Said
from support.suite import Suite

from retrocypher.kg.server.endpoint import Endpoint

KEY = "sk-planted/0123456789+abcdef"
PASSWORD = "planted-password-of-neo4j"
OF_ADDRESS = "planted-password-of-api"
BASIC = base64.b64encode(f"me:{OF_ADDRESS}".encode()).decode()
CARELESS = """
import logging, os

class Careless:
    name = "careless"
    needs_model = False

    def run(self, case, tools):
        secrets = [os.environ["OPENAI_API_KEY"], os.environ["NEO4J_PASSWORD"], os.environ["OPENAI_BASE_URL"]]
        print("printed", *secrets)
        logging.getLogger("careless").error("logged %s", secrets)
        raise RuntimeError(f"raised {secrets}")

def pytest_retrocypher_loops(config):
    return [Careless()]
"""


def test_no_secret_is_left_anywhere(
    suite: Suite,
    endpoint: Endpoint,
    api: RolesApi,
    plugin: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def repeats(_: str) -> Said:
        """Repeat what was sent: in an answer, in what the API says of itself, in headers, and in errors."""
        sent = f"{api.keys[-1]} {KEY} {PASSWORD} {OF_ADDRESS}"
        return Said(
            f"With {sent}:\n```\nRETURN '{KEY}' AS id\n```",
            status=200 if len(api.asked) % 3 else 400,
            error={"message": sent, "code": sent},
            headers={"x-repeated": sent},
            parts={"model": f"m-{KEY}", "system_fingerprint": f"fp-{OF_ADDRESS}"},
        )

    api.roles["generator"] = repeats
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", api.address.replace("://", f"://me:{OF_ADDRESS}@"))
    monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD)
    address = endpoint.uri.replace("://", f"://{endpoint.user}:{endpoint.password}@")
    log, junit = tmp_path / "log.txt", tmp_path / "junit.xml"
    options = f"{plugin(CARELESS)} --graph={address} --log-file={log} --junitxml={junit}"
    monkeypatch.setenv("PYTEST_ADDOPTS", options)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "job.md"))
    said = ("-o", "junit_logging=all", "--log-level=DEBUG", "-v", "-rA", "-l")
    cases = ("--model=m", "--loop=none,careless", "--sample=5", "--prompt=P5", "--shot=ZS")
    ran = suite("-n1", f"--cache={tmp_path / 'answers.sqlite'}", *said, *cases)
    assert ran.status == 16, ran.output
    assert {record["infrastructure_error"] is None for record in ran.records.values()} == {True, False}
    assert "raised ['***', '***'," in ran.output
    assert "logged ['***', '***'," in log.read_text()
    files = [path for path in (*ran.run.rglob("*"), *tmp_path.glob("*.*")) if path.is_file()]
    assert {log, junit, tmp_path / "job.md", tmp_path / "answers.sqlite"} <= set(files)
    assert any("allure-results" in str(path) for path in files)
    seen = {str(path): path.read_bytes() for path in files}
    seen["terminal"] = ran.output.encode()
    planted = (KEY, PASSWORD, OF_ADDRESS, BASIC, endpoint.password)
    assert {(name, text) for name, held in seen.items() for text in planted if text.encode() in held} == set()
