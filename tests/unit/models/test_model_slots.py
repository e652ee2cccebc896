import subprocess
import sys
import threading
import time
from pathlib import Path

from retrocypher.prompts.models.retries import Slots

HOLDER = """
import sys, time
from pathlib import Path
from retrocypher.prompts.models.retries import Slots
with Slots(Path(sys.argv[1]), "x", 1).hold():
    print("held", flush=True)
    time.sleep(600)
"""


def test_never_more_at_once_than_places(tmp_path: Path) -> None:
    under_way, most = [0], [0]
    guard = threading.Lock()

    def work() -> None:
        # Each thread opens the places for itself, as each process does.
        slots = Slots(tmp_path, "x", 2)
        for _ in range(3):
            with slots.hold():
                with guard:
                    under_way[0] += 1
                    most[0] = max(most[0], under_way[0])
                time.sleep(0.01)
                with guard:
                    under_way[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [2]


def test_a_process_that_dies_gives_its_place_back(tmp_path: Path) -> None:
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


def test_other_names_are_other_places(tmp_path: Path) -> None:
    with Slots(tmp_path, "x", 1).hold(), Slots(tmp_path, "y", 1).hold():
        assert len(list(tmp_path.iterdir())) == 2
