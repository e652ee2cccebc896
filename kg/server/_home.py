"""What a local server finds on disk before it starts."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from kg.server._archive import COLLECTOR
from kg.server._java import Java
from kg.server._settings import DATA, HEAP_MIB

OPTIONS = (
    f"-Xms{HEAP_MIB // 4}m",
    f"-Xmx{HEAP_MIB}m",
    COLLECTOR,
    "-XX:MaxDirectMemorySize=128m",
    "-XX:MaxMetaspaceSize=256m",
    "-XX:ReservedCodeCacheSize=128m",
    # Eight times the defaults: the second compiler is for queries that run for seconds, not for a start and
    # a few thousand short ones, where it costs more than it brings.
    "-XX:Tier4InvocationThreshold=40000",
    "-XX:Tier4MinInvocationThreshold=8000",
    "-XX:Tier4CompileThreshold=80000",
    # A server short of heap answers some queries and not others: better none, and a restart.
    "-XX:+ExitOnOutOfMemoryError",
    # As in the configuration that Neo4j ships.
    "-XX:+DisableExplicitGC",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)


def prepare_home(
    home: Path, values: dict[str, str], java: Java, jars: Sequence[Path], flags: Sequence[str]
) -> list[str]:
    """Write the configuration into a home folder and return the command that starts the server there.

    Args:
        home: The folder, made if absent; the store is under ``data``.
        values: Settings.
        java: The Java to use.
        jars: Class path.
        flags: Further flags for Java.
    """
    conf = home / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    (conf / "neo4j.conf").write_text("".join(f"{key}={value}\n" for key, value in values.items()))
    for name in ("user-logs.xml", "server-logs.xml"):
        shutil.copyfile(DATA / name, conf / name)
    words = [*OPTIONS, *flags, "-cp", ":".join(map(str, jars)), "org.neo4j.server.CommunityEntryPoint"]
    # An argument file: two hundred jars would make the process list unreadable.
    arguments = conf / "java.args"
    arguments.write_text("".join(f"{_quoted(word)}\n" for word in words))
    return [
        str(java.path),
        f"@{arguments}",
        f"--home-dir={home}",
        f"--config-dir={conf}",
        "--console-mode",
    ]


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
