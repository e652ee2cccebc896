"""The server's jars: a locked class path, fetched from Maven once and kept."""

import hashlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from kg.paths import cache_dir
from kg.server._errors import ServerError
from kg.server._settings import DATA, NEO4J_VERSION

DOWNLOADS = 8
"""Jars fetched at once."""


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

    Args:
        announce: Is told when there is something to fetch.

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
    from jgo.maven import MavenContext

    # Fetched beside their place and renamed, so that a killed download leaves no half jar.
    staging = repository / "incoming"
    # A mirror that the user named in jgo's own settings is asked too.
    context = MavenContext(repo_cache=staging, remote_repos=_repositories(GlobalSettings.load().repositories))

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
            f"Neo4j's jars cannot be fetched from Maven Central ({_first_line(error)}). "
            "Connect to the network once (a mirror can be named in jgo's settings, ~/.config/jgo.conf), "
            f"copy a filled cache to {repository}, or give a running server with --graph bolt://HOST:PORT."
        ) from error


def _repositories(named: dict[str, str]) -> dict[str, str]:
    from jgo.constants import MAVEN_CENTRAL_URL

    return {**named, "central": MAVEN_CENTRAL_URL}


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
