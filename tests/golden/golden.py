"""Makes outputs of a checkout of this project, and compares them with those of another checkout.

    golden.py make FOLDER --checkout CHECKOUT    run sessions and commands; write FOLDER/outputs
    golden.py compare OLD NEW                    print the differences; exit status 1 if there are any

The tool imports nothing of the project, so it runs unchanged against any version.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

from checkout import Checkout
from comparison import print_differences
from scenario import make

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run the command line and return the exit status."""
    arguments = parse_arguments()
    if arguments.command == "compare":
        return print_differences(arguments.old, arguments.new, HERE / "ignored_fields.txt", arguments.most)
    # Without this, SIGTERM would leave the server running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    make(
        Checkout(
            arguments.checkout.resolve(),
            arguments.folder.resolve(),
            arguments.cache.resolve(),
            python=arguments.python,
            quick=arguments.quick,
            jobs=arguments.jobs,
        )
    )
    return 0


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("--quick", action="store_true", help="make a small version, in some minutes")
    making.add_argument("--python", default=sys.executable, help="the Python that has the packages")
    making.add_argument("--checkout", type=Path, default=HERE.parents[1], help="the code to run")
    making.add_argument("--jobs", type=int, default=2, help="sessions and commands at once")
    usual = os.environ.get("RETROCYPHER_CACHE") or Path.home() / ".cache" / "retrocypher"
    making.add_argument("--cache", type=Path, default=Path(usual), help="folder with jars and databases")
    comparing = commands.add_parser("compare")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--most", type=int, default=20, help="differences to print of each output")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
