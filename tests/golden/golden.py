"""Shows that a restructuring changes no behaviour: makes outputs of a checkout, and compares them.

    golden.py make DIR [--quick]     run everything, and write what came of it to DIR/outputs
    golden.py compare A B            print what is not the same in two such folders
    golden.py digest DIR FILE        write hashes of DIR, small enough to be committed
    golden.py check DIR FILE         compare DIR with such hashes

The script imports nothing of the project, so it runs unchanged against any version of it. Texts for people,
which may be reworded, are named in display_texts.txt; they are compared with --display alone.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

from differences import Difference, DisplayTexts, differences, digest_differences, write_digest
from scenario import make
from workshop import Workshop

HERE = Path(__file__).resolve().parent
LONGEST = 160


def main() -> int:
    """Do what the command line says, and return the exit status."""
    arguments = parser().parse_args()
    if arguments.what == "make":
        workshop = Workshop(
            arguments.folder,
            arguments.checkout,
            arguments.python,
            arguments.command,
            arguments.cache,
            arguments.quick,
            arguments.jobs,
        )
        # A server is left behind by a process that is ended without a word.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        make(workshop)
        return 0
    display = DisplayTexts(arguments.display_texts)
    if arguments.what == "compare":
        return told(differences(arguments.old, arguments.new), display, arguments.display, arguments.most)
    if arguments.what == "digest":
        write_digest(arguments.folder, arguments.file, display)
        return 0
    found = digest_differences(arguments.folder, arguments.file, display)
    return told(found, display, True, arguments.most)


def told(found: Iterable[Difference], display: DisplayTexts, with_display: bool, most: int) -> int:
    """Print differences and how many there are; return 1 where there are any.

    Args:
        found: The differences.
        display: Which of them are in texts for people.
        with_display: Whether those count.
        most: How many of a section are printed.
    """
    counts: dict[str, int] = {}
    passed_over = 0
    for each in found:
        if not with_display and (display.holds(each.place) or display.holds(f"{each.section}:{each.entry}")):
            passed_over += 1
            continue
        counts[each.section] = counts.get(each.section, 0) + 1
        if counts[each.section] <= most:
            print(each.line(LONGEST))
    for section, count in counts.items():
        print(f"{section}: {count} differences")
    print(f"{sum(counts.values())} differences, {passed_over} in texts for people passed over")
    return 1 if counts else 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--display-texts", type=Path, default=HERE / "display_texts.txt", metavar="FILE")
    verbs = found.add_subparsers(dest="what", required=True)
    made = verbs.add_parser("make")
    made.add_argument("folder", type=Path)
    made.add_argument("--quick", action="store_true", help="a small version, of some minutes")
    made.add_argument("--python", default=sys.executable, help="the Python that has the packages")
    made.add_argument("--checkout", type=Path, default=HERE.parents[1], help="the code that is run")
    made.add_argument("--command", help="module:function of the command (default: by pyproject.toml)")
    made.add_argument("--jobs", type=int, default=2, help="sessions and commands at once")
    usual = os.environ.get("RETROCYPHER_CACHE") or Path.home() / ".cache" / "retrocypher"
    made.add_argument("--cache", type=Path, default=Path(usual), help="folder of jars and stores to share")
    compared = verbs.add_parser("compare")
    compared.add_argument("old", type=Path)
    compared.add_argument("new", type=Path)
    compared.add_argument("--display", action="store_true", help="count texts for people, too")
    digested = verbs.add_parser("digest")
    checked = verbs.add_parser("check")
    for each in (digested, checked):
        each.add_argument("folder", type=Path)
        each.add_argument("file", type=Path)
    for each in (compared, checked):
        each.add_argument("--most", type=int, default=20, help="differences of a section to print")
    return found


if __name__ == "__main__":
    sys.exit(main())
