"""Find or fetch the jar that holds the grammar of the Neo4j server."""

import hashlib
import tempfile
from pathlib import Path

from kg.errors import GraphError
from kg.paths import cache_dir

GROUP, ARTIFACT = "org.neo4j", "cypher-v5-antlr-parser"
GRAMMAR_VERSION = "5.26.30"
"""The version of Neo4j whose grammar is read."""

JAR_SHA256 = "8609ac0f79027c2a92314366d23883813b2e44302f43bcbb5f3c169d6c5911bb"
"""SHA-256 of the released jar: a jar with other content is never read."""

_NAME = f"{ARTIFACT}-{GRAMMAR_VERSION}.jar"
_PLACE = Path(*GROUP.split("."), ARTIFACT, GRAMMAR_VERSION, _NAME)


def jar_bytes() -> bytes:
    """Return the content of the grammar's jar, from a local Maven repository or fetched by ``jgo``.

    Raises:
        GraphError: It is in no local repository and cannot be fetched, or what came is another file.
    """
    # jgo costs 0.2 s to import and is needed once per machine.
    from jgo.config import GlobalSettings

    for repository in (GlobalSettings.load().repo_cache, cache_dir() / "maven"):
        path = Path(repository) / _PLACE
        if path.is_file():
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() == JAR_SHA256:
                return content
    return _fetch()


def _fetch() -> bytes:
    from jgo.maven import MavenContext

    # jgo writes in place: a folder of our own keeps a download cut short out of the shared repository.
    with tempfile.TemporaryDirectory(dir=cache_dir(), prefix="grammar-") as folder:
        context = MavenContext(repo_cache=Path(folder), timeout=30)
        try:
            component = context.project(GROUP, ARTIFACT).at_version(GRAMMAR_VERSION)
            content = component.artifact().resolve().read_bytes()
        except (RuntimeError, OSError, AssertionError) as error:
            raise GraphError(
                f"The Cypher grammar ({GROUP}:{ARTIFACT}:{GRAMMAR_VERSION}) could not be fetched from Maven"
                f" Central: {_first_line(error)}. Connect to the network once, or put {_NAME} into"
                f" {cache_dir() / 'maven' / _PLACE.parent}."
            ) from error
    if hashlib.sha256(content).hexdigest() != JAR_SHA256:
        raise GraphError(
            f"What was fetched as {_NAME} is not the released file (its SHA-256 differs). Check the Maven"
            f" mirror or proxy in use, or put the released jar into {cache_dir() / 'maven' / _PLACE.parent}."
        )
    return content


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
