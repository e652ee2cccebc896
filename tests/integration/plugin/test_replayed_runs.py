"""A run repeated from its own folder: no graph, no model, no cache, no Java, no other machine."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.comparable import without_times
from support.roles_api import RolesApi, always
from support.suite import Suite

from retrocypher.kg.questions.question import select
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.operations.rescore import rescore
from retrocypher.plugins.runs.log import RunLog

PROMPTS = ("--prompt=P5,P8", "--shot=ZS", "--query-timeout=3")
LOOPS = (
    "--loop=none,cove,self-review,guarded,guarded-limit",
    "--validator=both",
    "--loop-model=gpt-4.1-mini",
)
ODD = (
    "UNWIND range(1, 12000) AS n RETURN n",
    "MATCH (a), (b), (c) WHERE a.name + b.name = c.name RETURN count(*)",
    "MATCH (m:Molecule RETURN m",
    "MATCH (m:Molecule) DETACH DELETE m",
    "RETURN 1 / 0 AS n",
    "// I would not know",
    None,
)
WATCHES = """
import os, sys

def look(event, arguments):
    if event == "subprocess.Popen":
        line = f"{event} {os.path.basename(os.fspath(arguments[0]))}"
    elif event == "socket.connect":
        line = f"{event} {arguments[1]}"
    else:
        return
    with open(os.environ["WATCHED"], "a") as file:
        file.write(line + "\\n")

sys.addaudithook(look)
"""


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """A model whose queries end in every way there is."""
    asked = select(list(load_questions().questions), tasks=None, sample=7, seed=0)
    file = tmp_path / "odd.jsonl"
    lines = (
        {"question_id": question.id, "cypher": ODD[number % len(ODD)]}
        for number, question in enumerate(sorted(asked, key=lambda each: each.id))
    )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"--model=odd=file:{file}"


def test_a_run_is_all_that_it_takes_to_repeat_it(
    live: Suite,
    suite: Suite,
    api: RolesApi,
    odd: str,
    plugin: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A validator and a reviewer that are never content.
    api.roles["validator"] = always('{"valid": false, "errors": [{"item": 1, "problem": "not so"}]}')
    api.roles["reviewer"] = always('{"accepted": false, "issues": ["It is too long."]}')
    models = ("--model=gpt-4.1-mini", odd, *PROMPTS, *LOOPS)
    with monkeypatch.context() as there:
        there.setenv("OPENAI_BASE_URL", api.address)
        there.setenv("OPENAI_API_KEY", "any")
        first = live("-n2", "-p", "no:allure_pytest", *models, "--sample=7")
    assert first.status == 1, first.output
    seen = {record["execution"]["status"] for record in first.records.values()}
    assert seen >= {"ok", "timeout", "syntax_error", "refused", "runtime_error", "no_query"}
    assert any(record["execution"]["truncated"] for record in first.records.values())
    asked = len(api.asked)
    api.stop()
    # However its queries ended and whatever its loops did, its scores come out the same from its records.
    found = rescore(RunLog(first.run), out=tmp_path / "rescored")
    assert (found.changed, found.results_left) == (0, 0)
    assert (tmp_path / "rescored" / "summary.json").read_bytes() == (first.run / "summary.json").read_bytes()

    monkeypatch.setenv("WATCHED", str(tmp_path / "watched"))
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere")
    replay = ("-n0", plugin(WATCHES), "-p", "no:allure_pytest", "--offline", "--graph=none")
    again = suite(*replay, f"--replay={first.run}", *models, "--sample=7")
    assert again.status == first.status, again.output
    assert len(api.asked) == asked
    assert without_times(again.records.values()) == without_times(first.records.values())
    assert {**again.summary, "ledger": None} == {**first.summary, "ledger": None}
    assert again.manifest["graph"]["kind"] == "none"
    assert again.manifest["answers"]["asked"] == 0
    assert f"(none, rows of {first.run})" in again.output
    watched = (tmp_path / "watched").read_text().splitlines()
    assert not [line for line in watched if line.startswith("socket.connect (")]
    started = {line.removeprefix("subprocess.Popen ") for line in watched if line.startswith("subprocess")}
    assert started
    assert not started & {"java", "docker"}
