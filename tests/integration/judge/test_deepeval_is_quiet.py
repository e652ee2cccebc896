"""DeepEval keeps to itself: no file, no setting from one, no word, no connection, no second import."""

import json
import os
import subprocess
import sys
from pathlib import Path

from support.suite import CHECKOUT

_JUDGES = """
import json, os, socket, sys, threading
connected = []
sys.addaudithook(lambda event, told: connected.append(told[1]) if event == "socket.connect" else None)
from retrocypher.plugins.judge.judge import Judge
from retrocypher.plugins.judge.criteria import JudgeCase
from retrocypher.plugins.judge.criteria import load_criteria
from retrocypher.prompts.models.interface import Completion

class Says:
    label = "says"
    def answer(self, request):
        return Completion('{"reason": "right", "score": 9}')
    def close(self): ...

assert not [name for name in sys.modules if name.startswith("deepeval")]
judge = Judge(Says(), load_criteria())
found = judge.judge(JudgeCase("c", "q", "s", "RETURN 1", "RETURN 2"), "with_reference")
told = {
    "score": found.score,
    "connected": connected,
    "planted": os.environ.get("PLANTED"),
    "threads": [each.name for each in threading.enumerate() if not each.daemon],
}
print(json.dumps(told))
"""


def test_nothing_is_left_read_said_or_sent(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    for folder in (work, home):
        folder.mkdir()
    (work / ".env").write_text("PLANTED=1\nDEEPEVAL_VERBOSE_MODE=1\n")
    loud = {"DEEPEVAL_VERBOSE_MODE": "1", "DEEPEVAL_TELEMETRY_OPT_OUT": "0", "CONFIDENT_API_KEY": "planted"}
    done = subprocess.run(
        [sys.executable, "-c", _JUDGES],
        cwd=work,
        env={**os.environ, **loud, "HOME": str(home), "PYTHONPATH": str(CHECKOUT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert told == {"score": 0.9, "connected": [], "planted": None, "threads": ["MainThread"]}
    assert done.stderr == ""
    assert [file.name for file in work.iterdir()] == [".env"]
    assert [file for file in home.rglob("*") if "deepeval" in file.name.lower()] == []
