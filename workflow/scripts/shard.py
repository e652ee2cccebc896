"""Runs or resumes one shard of a sweep, and keeps the completions of its models.

The cache is a file on this machine's own disk, for SQLite's write-ahead log does not live on network file
systems; what goes to the sweep's folder is an export of it. A shard whose cases fail is a shard that is done.
"""

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
RETROCYPHER = str(Path(sys.executable).with_name("retrocypher"))
DONE = (0, 1)


def main() -> int:
    """Return the exit status: 0 for a shard that is done, else that of pytest."""
    asked, options = _arguments()
    run_dir, kept = asked.run_dir.absolute(), asked.kept.absolute()
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="retrocypher-cache-", dir=asked.scratch or None) as scratch:
        cache = Path(scratch) / "answers.sqlite"
        known = [str(file) for file in (kept, asked.known) if file is not None and file.is_file()]
        if known:
            subprocess.run([RETROCYPHER, "cache", "import", *known, "--cache", str(cache)], check=True)
        try:
            status = 0 if _is_complete(run_dir) else _run(_pytest(asked, options, run_dir, cache))
        finally:
            # What was paid for is kept also if the shard is interrupted, now or while it is kept.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _keep(cache, kept)
    return 0 if status in DONE else status


def _arguments() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shard", required=True, help="NUMBER/COUNT")
    parser.add_argument("--run-dir", required=True, type=Path)
    parser.add_argument("--graph", required=True)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--scratch", default="", help="folder on a disk of this machine; TMPDIR where empty")
    parser.add_argument("--kept", required=True, type=Path, help="file of the answers, over all attempts")
    parser.add_argument("--known", type=_file, help="answers that are there already")
    parser.add_argument("options", nargs="*", help="options of pytest benchmarks")
    asked = parser.parse_args()
    return asked, asked.options


def _file(text: str) -> Path | None:
    return Path(text) if text else None


def _pytest(asked: argparse.Namespace, options: list[str], run_dir: Path, cache: Path) -> list[str]:
    workers = ["-n", str(asked.workers)] if asked.workers else []
    given = [f"--shard={asked.shard}", f"--run-dir={run_dir}", f"--graph={asked.graph}", f"--cache={cache}"]
    return [sys.executable, "-m", "pytest", "benchmarks", "-q", "--no-summary", *workers, *options, *given]


def _run(command: list[str]) -> int:
    """Return the exit status of pytest, which Ctrl-C and a signal to end reach, too."""
    with subprocess.Popen(command, cwd=CHECKOUT) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.wait()
            raise


def _is_complete(run_dir: Path) -> bool:
    """Tell whether an attempt before this one ended well, and was lost before anybody heard of it."""
    from retrocypher.plugins.runs.log import RunLog
    from retrocypher.plugins.runs.resume import is_complete

    return is_complete(RunLog(run_dir))


def _keep(cache: Path, kept: Path) -> None:
    unfinished = kept.with_name(f".{kept.name}")
    unfinished.unlink(missing_ok=True)
    if cache.is_file():
        exported = cache.with_name("export.jsonl.gz")
        subprocess.run([RETROCYPHER, "cache", "export", str(exported), "--cache", str(cache)], check=True)
        shutil.copyfile(exported, unfinished)
    elif kept.is_file():
        # The run was complete, so this attempt asked nothing.
        return
    else:
        # A model that keeps no answers: an empty file says so.
        unfinished.touch()
    unfinished.replace(kept)


if __name__ == "__main__":
    sys.exit(main())
