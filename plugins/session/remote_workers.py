"""Workers on other machines: what they need there, and where they share locks."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert

from retrocypher.kg.errors import InputError, RetroCypherError
from retrocypher.kg.graph.fingerprint import fingerprint
from retrocypher.kg.server.control import SessionFolder, joined_folder
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.server.open import is_uri
from retrocypher.plugins.runs.record import JsonValue
from retrocypher.plugins.session.context import WorkerContext
from retrocypher.plugins.session.options import Options
from retrocypher.plugins.session.plan import Plan, resolve
from retrocypher.plugins.session.run_key import library_versions
from retrocypher.prompts.models.spec import ModelSpec

_HERE = ("local", "gguf")


def require_reachable(
    host: str,
    *,
    graph: str,
    offline: bool,
    specs: Iterable[ModelSpec],
    arguments: Sequence[str],
    root: Path,
) -> None:
    """Raise InputError for what a worker on another machine cannot reach, before anything is started."""
    where = f"the worker on {host} (--tx)"
    if not is_uri(graph):
        raise InputError(
            f"--graph {graph}: {where} cannot reach a server of this machine. Give the address of one that "
            "all machines reach: --graph neo4j://HOST:7687"
        )
    if offline:
        raise InputError(f"--offline: {where} is another machine. Leave out one of the two")
    for spec in specs:
        if spec.kind in _HERE:
            raise InputError(
                f"--model {spec.label}: its llama.cpp runs on this machine only, where {where} cannot reach "
                "it. Run it with -n, or serve it behind an OpenAI-compatible API"
            )
    for argument in arguments:
        path = Path(argument.partition("::")[0])
        if _exists(path) and not path.is_relative_to(root):
            raise InputError(
                f"{argument}: for {where} name cases by their whole path, such as {root / 'benchmarks'}, and "
                "write options as one word: --name=value"
            )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def remote_specs(config: pytest.Config) -> tuple[Any, ...]:
    """Return the workers of a session that run elsewhere, as execnet knows them."""
    if config.getoption("dist", "no") == "no" or not config.getoption("tx", None):
        return ()
    import execnet
    from xdist.workermanage import parse_tx_spec_config

    specs = (execnet.XSpec(text) for text in parse_tx_spec_config(config))
    return tuple(spec for spec in specs if is_remote(spec))


def is_remote(spec: Any) -> bool:
    """Tell whether a worker has a file system, or at least a folder, of its own."""
    return not spec.popen or bool(spec.chdir)


def host_of(spec: Any) -> str:
    """Return where a worker is, in a word; never its environment, which may hold a key."""
    return str(spec.ssh or spec.vagrant_ssh or spec.socket or spec.via or spec.chdir)


_PATIENCE_S = 60


def require_log_on(specs: Iterable[Any]) -> None:
    """Raise InputError for machines that ssh does not reach, or that have no such Python; each is asked once.

    Without this, execnet's traceback is all that a user sees of a wrong name or key.
    """
    for command, spec in {_command(spec): spec for spec in specs if spec.ssh}.items():
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                timeout=_PATIENCE_S,
                check=False,
            )
        except FileNotFoundError:
            raise InputError("--tx: there is no ssh on this machine. Install an OpenSSH client") from None
        except subprocess.TimeoutExpired:
            raise _unreached(spec, f"ssh has no answer after {_PATIENCE_S} s") from None
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"ssh ended with status {done.returncode}"]
            raise _unreached(spec, said[-1].strip())


def _command(spec: Any) -> tuple[str, ...]:
    """What execnet itself calls, with nothing to do over there."""
    settings = ("-F", str(spec.ssh_config)) if spec.ssh_config is not None else ()
    return ("ssh", "-C", *settings, *spec.ssh.split(), f'{spec.python or "python"} -c ""')


def _unreached(spec: Any, said: str) -> InputError:
    return InputError(
        f"--tx: no worker can begin on {host_of(spec)}: {said}. See that ssh logs on there without a "
        f"question, and that {spec.python or 'python'} is a Python there (python=PATH names another)"
    )


_PASSED_ON = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RETROCYPHER_JUDGE_API_KEY", "RETROCYPHER_JUDGE_BASE_URL")
_LEFT_HERE = ("reports", "tests", "docs", "prototypes")


def bring_along(config: pytest.Config) -> None:
    """Have pytest-xdist copy the project to the machines of its workers; never what runs left."""
    root = config.rootpath
    config.option.rsyncdir = list(dict.fromkeys([*config.option.rsyncdir, str(root)]))
    config.option.rsyncignore = [*config.option.rsyncignore, *(str(root / name) for name in _LEFT_HERE)]


def prepare(gateway: Any, root: Path, asked: Mapping[str, JsonValue]) -> None:
    """Make a worker's process use the code that was copied there; raise InputError for what it lacks."""
    from execnet.gateway_base import RemoteError

    passed_on = {name: os.environ.get(name) for name in _PASSED_ON}
    channel = gateway.remote_exec(_settle, folder=root.name, environment=passed_on, asked=dict(asked))
    try:
        wrong = channel.receive()
        channel.waitclose()
    except RemoteError as error:
        wrong = f"{str(error).strip().splitlines()[-1]}. Install what this project needs there"
    if wrong:
        raise InputError(f"--tx: on {host_of(gateway.spec)}: {wrong}")


def _settle(
    channel: "Any", folder: str, environment: dict[str, str | None], asked: "Mapping[str, JsonValue]"
) -> None:
    """Runs over there, by its source alone: so no name of this module may be looked up in it."""
    import os
    import sys

    place = os.path.abspath(folder)  # noqa: PTH100 - before any of our code
    code = os.path.join(place, "src")  # noqa: PTH118 - as above
    sys.path.insert(0, code)
    # For the processes that a worker starts.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (code, os.environ.get("PYTHONPATH"))))
    for name, value in environment.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    if not os.path.isdir(place):  # noqa: PTH112 - as above
        channel.send(f"the project was not copied to {place}")
        return
    from retrocypher.plugins.session.remote_workers import look

    channel.send(look(asked))


def allow_for_remote(config: pytest.Config, plan: Plan) -> list[str]:
    """Refuse what remote workers cannot have, have the project copied, and return lines for the header."""
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


def asked_there(plan: Plan, context: WorkerContext, registered: bool) -> dict[str, JsonValue]:
    """Return what a machine must have for a worker of this run, as plain values."""
    return {
        "libraries": library_versions(),
        "options": None if registered else asdict(plan.options),
        "inputs": _inputs(plan),
        "fingerprint": plan.question_set.fingerprint,
        "endpoint": asdict(context.endpoint) if context.endpoint else None,
    }


def look(asked: Mapping[str, JsonValue]) -> str | None:
    """Return what this machine lacks for a worker; None where it has all."""
    try:
        _require_libraries(asked["libraries"])
        if asked["options"] is not None:
            _require_inputs(resolve(Options(**asked["options"])), asked["inputs"])
        if asked["endpoint"] is not None:
            _require_graph(convert(asked["endpoint"], Endpoint), asked["fingerprint"])
    except RetroCypherError as error:
        return str(error)
    return None


def settled(context: WorkerContext) -> tuple[WorkerContext, SessionFolder | None]:
    """Return the context as it holds on this machine, and the folder to remove in the end.

    On another machine than the controller's, workers share locks in a folder there, without Allure.
    """
    theirs = Path(context.coordination)
    if theirs.is_dir():
        return context, None
    folder = joined_folder(theirs.name)
    return replace(context, coordination=str(folder.path), allure=None), folder


def _inputs(plan: Plan) -> dict[str, JsonValue]:
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


def _require_inputs(plan: Plan, here: Mapping[str, JsonValue]) -> None:
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
