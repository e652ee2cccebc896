"""Which workers are on other machines."""

from typing import Any

import pytest


def remote_specs(config: pytest.Config) -> tuple[Any, ...]:
    """Return the workers of a session that are not children of it here, as execnet knows them.

    Args:
        config: The session's configuration; without pytest-xdist there are none.
    """
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
