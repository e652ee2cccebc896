"""Neo4j as a process of this machine."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kg.server._archive import class_archive
from kg.server._errors import ServerError
from kg.server._home import prepare_home
from kg.server._jars import class_path
from kg.server._java import find_java
from kg.server._plan import Kind, Plan
from kg.server._settings import NEO4J_VERSION, local_settings


class LocalEngine:
    """Java processes of the pinned release.

    Args:
        announce: Is told when the jars have to be fetched.

    Raises:
        ServerError: There is no suitable Java, or the jars cannot be had.
    """

    kind: Kind = "local"
    store_key = NEO4J_VERSION

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._java = find_java()
        self._jars = class_path(announce)
        self._archive = class_archive(self._java, self._jars)

    def plan_for_new(self, plan: Plan, staging: Path) -> Plan:
        """See `Engine`."""
        return self._in_home(plan, staging, self._archive.record(self._java, staging / "classes.jsa"))

    def keep(self, staging: Path) -> None:
        """See `Engine`."""
        self._archive.keep(staging / "classes.jsa")
        for rest in staging.iterdir():
            if rest.is_file():
                rest.unlink()
            elif rest.name != "data":
                shutil.rmtree(rest)

    def plan_for_copy(self, plan: Plan, store: Path) -> Plan:
        """See `Engine`."""
        home = Path(plan.directory) / "home"
        shutil.copytree(store / "data", home / "data")
        return self._in_home(plan, home, self._archive.use())

    def failure(self, message: str) -> ServerError:
        """See `Engine`."""
        return ServerError(message)

    def _in_home(self, plan: Plan, home: Path, flags: list[str]) -> Plan:
        command = prepare_home(home, local_settings(plan.port), self._java, self._jars, flags)
        return replace(plan, command=command)
