"""Waiting for an API, and calls in flight."""

import subprocess
import sys
import threading
import time
from email.utils import formatdate
from pathlib import Path

import pytest

from retrocypher.prompts.models.retries import RetryPolicy, Slots, retry_after_s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": formatdate(time.time() - 60, usegmt=True)}, 0.0),
    ],
)
def test_reads_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds
    later = retry_after_s({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert later is not None
    assert 90 < later <= 100


def test_waits_grow_and_never_undercut_what_was_asked() -> None:
    policy = RetryPolicy(first_wait_s=1.0, longest_wait_s=8.0)
    waits = [policy.wait_s(attempt, None) for attempt in (1, 2, 3, 9)]
    for wait, middle in zip(waits, (1.0, 2.0, 4.0, 8.0), strict=True):
        assert 0.75 * middle <= wait <= 1.25 * middle
    assert policy.wait_s(1, 30.0) >= 30.0
    assert policy.wait_s(4, 0.5) >= 0.75 * 8.0


HOLDER = """
import sys, time
from pathlib import Path
from retrocypher.prompts.models.retries import Slots
with Slots(Path(sys.argv[1]), "x", 1).hold():
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_process_that_dies_gives_its_slot_back(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    taken = threading.Event()

    def take() -> None:
        with Slots(tmp_path, "x", 1).hold():
            taken.set()

    thread = threading.Thread(target=take)
    thread.start()
    assert not taken.wait(0.3)
    process.kill()
    process.wait()
    process.stdout.close()
    assert taken.wait(30)
    thread.join()
    with Slots(tmp_path, "y", 1).hold(), Slots(tmp_path, "z", 1).hold():
        pass
