"""Files of lines: only whole lines, whatever ends the process that writes them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.suite import CHECKOUT

from retrocypher.plugins.runs.files import LineFile, truncate_partial_line

_LINES = st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=5)
_FILLS_UP = """
import pathlib, resource, sys
from retrocypher.plugins.runs.files import LineFile

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
file = LineFile(pathlib.Path(sys.argv[1]))
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
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, str]], cut: int
) -> None:
    file = tmp_path_factory.mktemp("cut") / "lines"
    written = [json.dumps(line).encode() for line in lines]
    content = b"".join(line + b"\n" for line in written)
    content = content[: cut % (len(content) + 1)]
    file.write_bytes(content)
    truncate_partial_line(file)
    whole = [line + b"\n" for line in content.split(b"\n") if line in written]
    assert file.read_bytes() == b"".join(whole)
    assert truncate_partial_line(file) == 0


@pytest.mark.parametrize("rest", [b'{"b": "' + b"x" * 200_000, bytes(512)], ids=["long", "zeros"])
def test_what_stands_after_the_last_whole_line_is_cut_off(tmp_path: Path, rest: bytes) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b'{"a": 1}\n' + rest)
    assert truncate_partial_line(file) == len(rest)
    assert file.read_bytes() == b'{"a": 1}\n'
    assert truncate_partial_line(tmp_path / "none") == 0


def test_a_line_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    done = subprocess.run(
        [sys.executable, "-c", _FILLS_UP, file], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    number, reason = done.stdout.split(maxsplit=1)
    assert reason.strip() == "File too large"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line.get("number") for line in lines] == [*range(int(number)), None]


def test_lines_are_added_to_what_is_there(tmp_path: Path) -> None:
    for text in ('{"a": 1}', '{"a": 2}'):
        file = LineFile(tmp_path / "lines")
        file.append(text)
        file.close()
        file.close()
    assert (tmp_path / "lines").read_text() == '{"a": 1}\n{"a": 2}\n'
