"""Makes another machine ready for a worker: our code, our settings, and a look at what the run needs."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kg.errors import InputError
from plugins.remote._specs import host_of

_TOLD = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RETROCYPHER_JUDGE_API_KEY", "RETROCYPHER_JUDGE_BASE_URL")
_LEFT_HERE = ("reports", "tests", "docs", "prototypes")


def bring_along(config: pytest.Config) -> None:
    """Have pytest-xdist copy the project to the machines of its workers; never what runs left.

    Args:
        config: The session's configuration.
    """
    root = config.rootpath
    config.option.rsyncdir = list(dict.fromkeys([*config.option.rsyncdir, str(root)]))
    config.option.rsyncignore = [*config.option.rsyncignore, *(str(root / name) for name in _LEFT_HERE)]


def prepare(gateway: Any, root: Path, asked: Mapping[str, Any]) -> None:
    """Make a worker's process use the code that was copied there, and see that it has what the run needs.

    Args:
        gateway: The process, before pytest is in it.
        root: The project's folder here.
        asked: What `plugins.session.look` there is to look for.

    Raises:
        InputError: With what is missing on that machine.
    """
    from execnet.gateway_base import RemoteError

    told = {name: os.environ.get(name) for name in _TOLD}
    channel = gateway.remote_exec(_settle, folder=root.name, environment=told, asked=dict(asked))
    try:
        wrong = channel.receive()
        channel.waitclose()
    except RemoteError as error:
        wrong = f"{str(error).strip().splitlines()[-1]}. Install what this project needs there"
    if wrong:
        raise InputError(f"--tx: on {host_of(gateway.spec)}: {wrong}")


def _settle(
    channel: "Any", folder: str, environment: dict[str, str | None], asked: "Mapping[str, Any]"
) -> None:
    """Runs over there, by its source alone: so no name of this module may be looked up in it."""
    import os
    import sys

    place = os.path.abspath(folder)  # noqa: PTH100 - before any of our code
    sys.path.insert(0, place)
    # For the processes that a worker starts.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (place, os.environ.get("PYTHONPATH"))))
    for name, value in environment.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    if not os.path.isdir(place):  # noqa: PTH112 - as above
        channel.send(f"the project was not copied to {place}")
        return
    from plugins.session import look

    channel.send(look(asked))
