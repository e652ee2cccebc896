"""Workers on other machines, which pytest-xdist starts by ssh."""

from plugins.remote._log_on import require_log_on
from plugins.remote._prepare import bring_along, prepare
from plugins.remote._refuse import require_reachable
from plugins.remote._specs import host_of, is_remote, remote_specs

__all__ = [
    "bring_along",
    "host_of",
    "is_remote",
    "prepare",
    "remote_specs",
    "require_log_on",
    "require_reachable",
]
