"""The jars of the pinned Neo4j release, fetched once and checked against a lock file.

Whoever moves the project to another release changes `NEO4J_VERSION` and writes the lock file anew with
``python -m retrocypher.kg.server.jars VERSION``.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from retrocypher.kg.errors import first_line
from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.settings import DATA, NEO4J_VERSION

DOWNLOADS = 8
"""Jars fetched at once."""

HEAD = """\
# The class path of org.neo4j:neo4j:{version} as Maven resolves it, in order: coordinate, SHA-256 of the jar.
# Written by `python -m retrocypher.kg.server.jars {version}`; not to be edited by hand.
"""


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of the lock file.

    Attributes:
        coordinate: ``group:artifact:version``, with ``:classifier`` where it has one.
        sha256: Of the file, in hexadecimal.
    """

    coordinate: str
    sha256: str

    @property
    def path(self) -> Path:
        """Where the jar stands in a Maven repository."""
        group, artifact, version, *classifier = self.coordinate.split(":")
        name = "-".join([artifact, version, *classifier]) + ".jar"
        return Path(*group.split("."), artifact, version, name)


def locked_jars() -> tuple[Jar, ...]:
    """Return the class path of the pinned Neo4j release, in order."""
    lines = (DATA / "jars.lock").read_text().splitlines()
    return tuple(Jar(*line.split()) for line in lines if line and not line.startswith("#"))


def class_path(announce: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the jars of the server, fetched into the cache where they are absent.

    Every jar fetched is compared with the hash in the lock file; one that differs is not kept.

    Raises:
        ServerError: A jar cannot be had, or is not the one expected.
    """
    # Resolved: a class archive is bound to the paths of its jars.
    repository = (cache_dir() / "jars").resolve()
    jars = locked_jars()
    paths = tuple(repository / jar.path for jar in jars)
    # A jar stands at its path only after its hash was right.
    if not all(path.exists() for path in paths):
        with FileLock(cache_dir() / "jars.lock"):
            absent = [jar for jar in jars if not (repository / jar.path).exists()]
            if absent:
                announce(f"Fetching Neo4j {NEO4J_VERSION}: {len(absent)} of {len(jars)} jars (138 MB in all)")
                _fetch(absent, repository)
    return paths


def _fetch(jars: Iterable[Jar], repository: Path) -> None:
    from jgo.config import GlobalSettings
    from jgo.constants import MAVEN_CENTRAL_URL
    from jgo.maven import MavenContext

    # Fetched beside their place and renamed, so that a killed download leaves no half jar.
    staging = repository / "incoming"
    # A mirror that the user named in jgo's own settings is asked too.
    repositories = {**GlobalSettings.load().repositories, "central": MAVEN_CENTRAL_URL}
    context = MavenContext(repo_cache=staging, remote_repos=repositories)

    def fetch(jar: Jar) -> None:
        group, artifact, version, *classifier = jar.coordinate.split(":")
        component = context.project(group, artifact).at_version(version)
        wanted = component.artifact(classifier[0] if classifier else "")
        (staging / jar.path).unlink(missing_ok=True)
        fetched = wanted.resolve()
        if hashlib.sha256(fetched.read_bytes()).hexdigest() != jar.sha256:
            raise ServerError(
                f"{jar.coordinate} as fetched is not the file that kg/data/server/jars.lock names; "
                "it was not kept. A proxy or mirror between here and Maven Central may have altered it."
            )
        place = repository / jar.path
        place.parent.mkdir(parents=True, exist_ok=True)
        fetched.replace(place)

    try:
        with ThreadPoolExecutor(DOWNLOADS) as pool:
            for _ in pool.map(fetch, jars):
                pass
    except ServerError:
        raise
    except (OSError, RuntimeError) as error:
        # jgo raises OSError (requests) where nothing answers and RuntimeError where no repository has it.
        raise ServerError(
            "Neo4j's jars cannot be fetched from Maven Central "
            f"({type(error).__name__}: {first_line(error)}). Connect to the network once "
            "(a mirror can be named in jgo's settings, ~/.config/jgo.conf), "
            f"copy a filled cache to {repository}, or give a running server with --graph bolt://HOST:PORT."
        ) from error


def write_lock(version: str) -> None:
    """Resolve a release by Maven's rules, fetch its jars, and write the lock file."""
    import jgo

    lines = []
    for artifact in jgo.resolve(f"org.neo4j:neo4j:{version}"):
        parts = [artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier]
        digest = hashlib.sha256(artifact.resolve().read_bytes()).hexdigest()
        lines.append(f"{':'.join(filter(None, parts))} {digest}\n")
    (DATA / "jars.lock").write_text(HEAD.format(version=version) + "".join(lines))


if __name__ == "__main__":
    write_lock(sys.argv[1])
