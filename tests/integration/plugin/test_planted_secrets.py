"""Keys and passwords are planted wherever a user may have them, and looked for in all that a run leaves."""

import base64
import json
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from support.suite import Suite

from retrocypher.kg.server.endpoint import Endpoint

KEY = "sk-planted/0123456789+abcdef"
PASSWORD = "planted-password-of-neo4j"
OF_ADDRESS = "planted-password-of-api"
BASIC = base64.b64encode(f"me:{OF_ADDRESS}".encode()).decode()
PLUGIN = """
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


@pytest.fixture
def api() -> Iterator[ThreadingHTTPServer]:
    """Repeats what it was sent: in an answer, in what it says of itself, in headers, and in errors."""

    class Repeats(BaseHTTPRequestHandler):
        asked = 0

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            Repeats.asked += 1
            said = f"{self.headers['authorization']} {KEY} {PASSWORD} {OF_ADDRESS}"
            if Repeats.asked % 3:
                message = {"role": "assistant", "content": f"With {said}:\n```\nRETURN '{KEY}' AS id\n```"}
                choice = {"index": 0, "finish_reason": "stop", "message": message}
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                reply = {
                    "id": "c",
                    "object": "chat.completion",
                    "created": 1,
                    "choices": [choice],
                    "usage": usage,
                }
                reply |= {"model": f"m-{KEY}", "system_fingerprint": f"fp-{OF_ADDRESS}"}
            else:
                reply = {"error": {"message": said, "code": said}}
            body = json.dumps(reply).encode()
            self.send_response(200 if Repeats.asked % 3 else 400)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.send_header("x-repeated", said)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Repeats)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_no_secret_is_left_anywhere(
    suite: Suite,
    endpoint: Endpoint,
    api: ThreadingHTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "careless.py").write_text(PLUGIN)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", ""))))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://me:{OF_ADDRESS}@127.0.0.1:{api.server_port}/v1")
    monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD)
    address = endpoint.uri.replace("://", f"://{endpoint.user}:{endpoint.password}@")
    log, junit = tmp_path / "log.txt", tmp_path / "junit.xml"
    monkeypatch.setenv("PYTEST_ADDOPTS", f"-p careless --graph={address} --log-file={log} --junitxml={junit}")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "job.md"))
    said = ("-o", "junit_logging=all", "--log-level=DEBUG", "-v", "-rA", "-l")
    cases = ("--model=m", "--loop=none,careless", "--sample=5", "--prompt=P5", "--shot=ZS")
    ran = suite("-n2", f"--cache={tmp_path / 'answers.sqlite'}", *said, *cases)
    assert ran.status == 16, ran.output
    assert {record["infrastructure_error"] is None for record in ran.records.values()} == {True, False}
    assert "raised ['***', '***'," in ran.output
    assert "logged ['***', '***'," in log.read_text()
    files = [path for path in (*ran.run.rglob("*"), *tmp_path.glob("*.*")) if path.is_file()]
    assert {log, junit, tmp_path / "job.md", tmp_path / "answers.sqlite"} <= set(files)
    assert any("allure-results" in str(path) for path in files)
    seen = {str(path): path.read_bytes() for path in files if path.suffix != ".py"}
    seen["terminal"] = ran.output.encode()
    planted = (KEY, PASSWORD, OF_ADDRESS, BASIC, endpoint.password)
    assert {(name, text) for name, held in seen.items() for text in planted if text.encode() in held} == set()
