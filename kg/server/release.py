"""The pinned Neo4j release: its settings, the memory it may use, and its jars.

The jars are fetched once and checked against a lock file. Whoever moves the project to another release
changes `NEO4J_VERSION` and writes the lock file with ``python -m retrocypher.kg.server.release VERSION``.
"""

import hashlib
import logging
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from retrocypher.kg.errors import first_line
from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.endpoint import ServerError

_logger = logging.getLogger(__name__)

NEO4J_VERSION = "5.26.30"
"""The release run as a local process; the first two parts are required of a container too."""

DATA = Path(__file__).parents[1] / "data" / "server"

MIB = 1024 * 1024

TRANSACTION_MEMORY_BYTES = 32 * MIB
"""Most memory that one query may hold; a query over it fails, and the server keeps running."""

CONCURRENT_TRANSACTIONS = 8
"""How many queries may hold that much at once: one for each worker of ``-n 8``."""

TOTAL_TRANSACTION_MEMORY_BYTES = TRANSACTION_MEMORY_BYTES * CONCURRENT_TRANSACTIONS
"""Most memory that all queries together may hold."""

HEAP_MIB = 512
PAGE_CACHE_MIB = 128

DOWNLOADS = 8
"""Jars fetched at once."""

HEAD = """\
# The class path of org.neo4j:neo4j:{version} as Maven resolves it, in order: coordinate, SHA-256 of the jar.
# Written by `python -m retrocypher.kg.server.release {version}`; not to be edited by hand.
"""


def settings() -> dict[str, str]:
    """Return the settings of every server of ours: those of ``neo4j.conf`` and the memory limits."""
    lines = (DATA / "neo4j.conf").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    named = {key.strip(): value.strip() for key, _, value in pairs}
    return {
        **named,
        "server.memory.heap.initial_size": f"{HEAP_MIB // 4}m",
        "server.memory.heap.max_size": f"{HEAP_MIB}m",
        "server.memory.pagecache.size": f"{PAGE_CACHE_MIB}m",
        "db.memory.transaction.max": f"{TRANSACTION_MEMORY_BYTES // MIB}m",
        "db.memory.transaction.total.max": f"{TOTAL_TRANSACTION_MEMORY_BYTES // MIB}m",
        "dbms.memory.transaction.total.max": f"{TOTAL_TRANSACTION_MEMORY_BYTES // MIB}m",
    }


def local_settings(port: int) -> dict[str, str]:
    """Return the settings of a local process that listens on a loopback port."""
    address = f"127.0.0.1:{port}"
    return {
        **settings(),
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.listen_address": address,
        "server.bolt.advertised_address": address,
    }


def as_environment(values: dict[str, str]) -> dict[str, str]:
    """Return settings as the official image reads them from the environment.

    See "Docker-specific configuration settings" in the Neo4j operations manual.
    """
    return {"NEO4J_" + key.replace("_", "__").replace(".", "_"): value for key, value in values.items()}


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of the lock file: ``group:artifact:version[:classifier]`` and SHA-256 in hexadecimal."""

    coordinate: str
    sha256: str

    @property
    def path(self) -> Path:
        """Where the jar stands in a Maven repository."""
        group, artifact, version, *classifier = self.coordinate.split(":")
        name = "-".join([artifact, version, *classifier]) + ".jar"
        return Path(*group.split("."), artifact, version, name)


def locked_jars(lock: Path | None = None) -> tuple[Jar, ...]:
    """Return the class path that a lock file names, in order (None: that of the pinned Neo4j release)."""
    lines = (lock or DATA / "jars.lock").read_text().splitlines()
    return tuple(Jar(*line.split()) for line in lines if line and not line.startswith("#"))


def class_path(lock: Path | None = None, program: str = f"Neo4j {NEO4J_VERSION}") -> tuple[Path, ...]:
    """Return the jars of a program, fetched into the cache where they are absent.

    A jar whose hash differs from the lock file's is not kept. Raise ServerError if one cannot be had.

    Args:
        lock: The lock file of the program; None is that of the server.
    """
    # Resolved: a class archive is bound to the paths of its jars.
    repository = (cache_dir() / "jars").resolve()
    jars = locked_jars(lock)
    paths = tuple(repository / jar.path for jar in jars)
    # A jar stands at its path only after its hash was right.
    if not all(path.exists() for path in paths):
        with FileLock(cache_dir() / "jars.lock"):
            absent = [jar for jar in jars if not (repository / jar.path).exists()]
            if absent:
                size = " (138 MB in all)" if lock is None else ""
                _logger.info(f"Fetching {program}: {len(absent)} of {len(jars)} jars{size}")
                _fetch(absent, repository, program, (lock or DATA / "jars.lock").name)
    return paths


def _fetch(jars: Iterable[Jar], repository: Path, program: str, lock: str) -> None:
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
                f"{jar.coordinate} as fetched is not the file that {lock} names; "
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
            f"The jars of {program} cannot be fetched from Maven Central "
            f"({type(error).__name__}: {first_line(error)}). Connect to the network once "
            "(a mirror can be named in jgo's settings, ~/.config/jgo.conf), "
            f"or copy a filled cache to {repository}. A run needs no jars of Neo4j with a running server: "
            "--graph bolt://HOST:PORT."
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
