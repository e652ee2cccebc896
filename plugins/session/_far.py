"""A worker on another machine: what it is asked to look for there, and where it shares locks."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from kg.errors import InputError, RetroCypherError
from kg.server import Endpoint, SessionFolder, connect, joined_folder
from kg.store import fingerprint
from plugins.remote import bring_along, host_of, remote_specs, require_log_on, require_reachable
from plugins.resume import library_versions
from plugins.session._context import Context
from plugins.session._options import Options
from plugins.session._plan import Plan, resolve


def allow_for_remote(config: pytest.Config, plan: Plan) -> list[str]:
    """Refuse what workers on other machines cannot have, and have the project brought to them.

    Args:
        config: The session's configuration.
        plan: The plan.

    Returns:
        Lines of the terminal's header; none without such workers.

    Raises:
        InputError: If such a worker could not reach something.
    """
    remote = remote_specs(config)
    if not remote:
        return []
    require_reachable(
        host_of(remote[0]),
        graph=plan.options.graph,
        offline=plan.options.offline,
        specs=plan.every_model,
        arguments=[str(each) for each in config.invocation_params.args],
        root=config.rootpath,
    )
    require_log_on(remote)
    bring_along(config)
    hosts = Counter(map(host_of, remote))
    return [
        f"workers: {', '.join(f'{count} on {host}' for host, count in hosts.items())}",
        "note: --concurrency, and that a query runs alone, hold for each of these machines apart; "
        "they write no Allure results (`retrocypher allure` does).",
    ]


def asked_there(plan: Plan, context: Context, registered: bool) -> dict[str, Any]:
    """Return what a machine must have for a worker of this run, as plain values.

    Args:
        plan: The plan.
        context: What the controller started.
        registered: Whether loops were brought by plugins; these are looked for when the worker starts.
    """
    return {
        "libraries": library_versions(),
        "options": None if registered else asdict(plan.options),
        "inputs": _inputs(plan),
        "fingerprint": plan.question_set.fingerprint,
        "endpoint": context.endpoint.to_json() if context.endpoint else None,
    }


def look(asked: Mapping[str, Any]) -> str | None:
    """Return what this machine lacks for a worker; None where it has all.

    Args:
        asked: What `asked_there` gave.
    """
    try:
        _require_libraries(asked["libraries"])
        if asked["options"] is not None:
            _require_inputs(resolve(Options(**asked["options"])), asked["inputs"])
        if asked["endpoint"] is not None:
            _require_graph(Endpoint.from_json(asked["endpoint"]), asked["fingerprint"])
    except RetroCypherError as error:
        return str(error)
    return None


def settled(context: Context) -> tuple[Context, SessionFolder | None]:
    """Return the context as it holds on this machine.

    Where the controller's folders are not, workers share locks in a folder of their machine, and show
    nothing to Allure.

    Args:
        context: What the controller handed over.

    Returns:
        The context, and the folder to remove in the end where it is this machine's own.
    """
    theirs = Path(context.coordination)
    if theirs.is_dir():
        return context, None
    folder = joined_folder(theirs.name)
    return replace(context, coordination=str(folder.path), allure=None), folder


def _inputs(plan: Plan) -> dict[str, Any]:
    return {
        "questions": plan.question_set.sha256,
        "prompts": {name: prompt.sha256 for name, prompt in plan.prompts.items()},
    }


def _require_libraries(here: Mapping[str, str]) -> None:
    there = library_versions()
    for name in {**here, **there}:
        if here.get(name) != there.get(name):
            raise InputError(
                f"{name} is {there.get(name, 'not installed')} there and {here.get(name, 'not installed')} "
                "here; install the same, or records would depend on who made them"
            )


def _require_inputs(plan: Plan, here: Mapping[str, Any]) -> None:
    there = _inputs(plan)
    for name in here:
        if here[name] != there[name]:
            raise InputError(f"the {name} there are others than here; bring the same files there")


def _require_graph(endpoint: Endpoint, expected: str) -> None:
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        with connect(endpoint) as driver:
            found = fingerprint(driver, endpoint.database)
    except (DriverError, Neo4jError, OSError) as error:
        raise InputError(
            f"no Neo4j answers at {endpoint.uri} ({error}); give --graph an address that all machines reach"
        ) from error
    if found != expected:
        raise InputError(
            f"another graph is behind {endpoint.uri} there ({found[:12]}); "
            "give --graph an address that means the same server on all machines"
        )
