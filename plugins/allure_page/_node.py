"""Node, which draws the report; nothing else of the project needs it."""

import re
import shutil
import subprocess
from dataclasses import dataclass

from kg.errors import InputError

OLDEST = (20, 19)
"""What the packages in ``package-lock.json`` ask for."""

_REMEDY = (
    "the Allure page is drawn by Node {}.{} or newer with npm; install it, or open the results "
    "with an Allure of your own"
).format(*OLDEST)


@dataclass(frozen=True, slots=True)
class Node:
    """The programs.

    Attributes:
        node: Path of ``node``.
        npm: Path of ``npm``.
    """

    node: str
    npm: str


def find_node() -> Node:
    """Return the Node of this machine.

    Raises:
        InputError: If there is none, it is too old, or it has no npm.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        raise InputError(f"no node on the PATH: {_REMEDY}")
    told = _version(node)
    found = re.match(r"v(\d+)\.(\d+)", told)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        raise InputError(f"{node} is {told or 'no Node'}: {_REMEDY}")
    if npm is None:
        raise InputError(f"no npm on the PATH: {_REMEDY}")
    return Node(node, npm)


def _version(node: str) -> str:
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
