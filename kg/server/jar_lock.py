"""Writes the lock file of the server's class path: ``python -m retrocypher.kg.server.jar_lock VERSION``.

For whoever moves the project to another Neo4j release; `NEO4J_VERSION` in ``_settings.py`` moves with it.
"""

import hashlib
import sys

from retrocypher.kg.server.settings import DATA

HEAD = """\
# The class path of org.neo4j:neo4j:{version} as Maven resolves it, in order: coordinate, SHA-256 of the jar.
# Written by `python -m retrocypher.kg.server.jar_lock {version}`; not to be edited by hand.
"""


def main(version: str) -> None:
    """Resolve a release with Maven's rules, fetch its jars, and write down what came."""
    import jgo

    lines = []
    for artifact in jgo.resolve(f"org.neo4j:neo4j:{version}"):
        parts = [artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier]
        digest = hashlib.sha256(artifact.resolve().read_bytes()).hexdigest()
        lines.append(f"{':'.join(filter(None, parts))} {digest}\n")
    (DATA / "jars.lock").write_text(HEAD.format(version=version) + "".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
