"""Files of lines: only whole lines, whatever ends the process that writes them."""

import json
import resource
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.suite import CHECKOUT

from retrocypher.plugins.runs.files import LineFile, truncate_partial_line

_LINES = st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=5)
_FILLS_UP = """
import resource, sys
from retrocypher.plugins.runs.files import LineFile

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
file = LineFile(__import__("pathlib").Path(sys.argv[1]))
for number in range(100):
    try:
        file.append('{"number": %d, "text": "%s"}' % (number, "x" * 100))
    except OSError as error:
        print(number, error.strerror)
        break
file.append("{}")
"""


@given(lines=_LINES, cut=st.integers(min_value=0))
def test_a_file_cut_anywhere_keeps_its_whole_lines(
    tmp_path_factory: object, lines: list[dict[str, str]], cut: int
) -> None:
    file = tmp_path_factory.mktemp("cut") / "lines"  # type: ignore[attr-defined]
    written = [json.dumps(line).encode() + b"\n" for line in lines]
    content = b"".join(written)
    content = content[: cut % (len(content) + 1)]
    file.write_bytes(content)
    truncate_partial_line(file)
    whole = [line for line in content.splitlines(keepends=True) if line.rstrip(b"\n") in _stripped(written)]
    assert file.read_bytes() == b"".join(line.rstrip(b"\n") + b"\n" for line in whole)
    assert truncate_partial_line(file) == 0


def _stripped(lines: list[bytes]) -> list[bytes]:
    return [line.rstrip(b"\n") for line in lines]


def test_what_stands_after_a_long_last_line_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b'{"a": 1}\n{"b": "' + b"x" * 200_000)
    assert truncate_partial_line(file) == 200_007
    assert file.read_bytes() == b'{"a": 1}\n'


def test_zeros_that_a_failed_machine_leaves_are_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b'{"a": 1}\n' + bytes(512))
    truncate_partial_line(file)
    assert file.read_bytes() == b'{"a": 1}\n'


def test_no_file_needs_no_mending(tmp_path: Path) -> None:
    assert truncate_partial_line(tmp_path / "none") == 0
    assert not (tmp_path / "none").exists()


def test_a_line_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    done = subprocess.run(
        [sys.executable, "-c", _FILLS_UP, file], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    number, reason = done.stdout.split(maxsplit=1)
    assert reason.strip() == "File too large"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line.get("number") for line in lines] == [*range(int(number)), None]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_lines_are_added_to_what_is_there(tmp_path: Path) -> None:
    for text in ('{"a": 1}', '{"a": 2}'):
        file = LineFile(tmp_path / "lines")
        file.append(text)
        file.close()
        file.close()
    assert (tmp_path / "lines").read_text() == '{"a": 1}\n{"a": 2}\n'
