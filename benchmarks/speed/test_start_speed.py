"""How fast short commands start, relative to importing the libraries that they need."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.questions.reading import load_questions

AIM = 1.5
REPEATS = 10
MAIN = "from retrocypher.plugins.cli.main import main; main()"
LIBRARIES = "import click, numpy, scipy.special"
COMMANDS = {"gate": ("f1>=0.6",), "show": ("q-1",)}


def cpu_seconds(*arguments: str) -> float:
    """Return the processor time of a Python process, which other processes hardly disturb."""
    output = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    command = [sys.executable, "-c", *arguments]
    _, status, usage = os.wait4(os.posix_spawn(sys.executable, command, os.environ, file_actions=output), 0)
    assert status == 0, arguments
    return usage.ru_utime + usage.ru_stime


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of six cases: starting is measured, and not reading."""
    questions = [each for each in load_questions().questions if each.task == "precursors"][:6]
    plain = {"prompt": "P5", "shot": "ZS", "loop": "none", "model": "m", "rounds": [], "errors": []}
    outcome = {"execution": {"status": "ok"}, "scores": {"f1": 1.0}, "passed": True}
    records = []
    for number, question in enumerate(questions):
        asked = {name: getattr(question, name) for name in ("task", "setting", "steps")}
        case = {"schema_version": 1, "case_id": f"q-{number}", "question_id": question.id, **asked}
        rest = {"cypher": question.reference_cypher, "infrastructure_error": None}
        records.append({**case, **plain, **outcome, **rest})
    _write(tmp_path / "records.jsonl", records)
    _write(tmp_path / "questions.jsonl", [to_builtins(each) for each in questions])
    return tmp_path


def _write(file: Path, values: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(value) + "\n" for value in values))


@pytest.mark.parametrize("command", COMMANDS)
def test_start(
    benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str], run: Path, command: str
) -> None:
    """Measured in turn with the import of the libraries, so that both meet the same machine."""
    libraries: list[float] = []
    starts: list[float] = []

    def both() -> None:
        libraries.append(cpu_seconds(LIBRARIES))
        starts.append(cpu_seconds(MAIN, command, str(run), *COMMANDS[command]))

    benchmark.pedantic(both, rounds=REPEATS)
    ratio = min(starts) / min(libraries)
    benchmark.extra_info["ratio"] = ratio
    with capsys.disabled():
        print(
            f"\nretrocypher {command}: {min(starts):.2f} s, {ratio:.2f} times `{LIBRARIES}` "
            f"(aim: at most {AIM:g})",
            end="",
        )
