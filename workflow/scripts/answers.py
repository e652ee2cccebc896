"""Joins exported answers of models into one file: answers.py INTO FILE...

They go through a cache on this machine's own disk; a file without answers is passed over.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RETROCYPHER = str(Path(sys.executable).with_name("retrocypher"))


def main(into: Path, files: list[Path]) -> None:
    """Write the answers of files into one; an empty one where there are none."""
    some = [str(file) for file in files if file.stat().st_size]
    if not some:
        into.touch()
        return
    with tempfile.TemporaryDirectory(prefix="retrocypher-cache-") as scratch:
        cache, exported = Path(scratch) / "answers.sqlite", Path(scratch) / "answers.jsonl.gz"
        for command in (["import", *some], ["export", str(exported)]):
            subprocess.run([RETROCYPHER, "cache", *command, "--cache", str(cache)], check=True)
        shutil.copyfile(exported, into)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
