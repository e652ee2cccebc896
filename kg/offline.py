"""Refusing connections of a process, and of those it starts, to other machines."""

import errno
import ipaddress
import os
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any

from retrocypher.kg.errors import InputError

VARIABLE = "RETROCYPHER_OFFLINE"
"""Set in the environment of the processes that an offline one starts."""

_THIS_MACHINE = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK") if hasattr(socket, name)
)
_INTERNET = frozenset({socket.AF_INET, socket.AF_INET6})


class OfflineError(OSError):
    """A connection to another machine was refused; libraries treat it as any that fails."""


def refuse_network() -> None:
    """Refuse all connections to other machines, and look-ups of their names, until this process ends.

    Python's audit events see every socket made through its ``socket`` module, by whatever library, but not
    what native code does by itself. Child processes of ours call `refuse_as_parent`.
    """
    os.environ[VARIABLE] = "1"
    sys.addaudithook(_audit)


def refuse_as_parent() -> None:
    """Refuse the network where the process that started this one does."""
    if is_offline():
        refuse_network()


def is_offline() -> bool:
    """Return whether this process, or the one that started it, refuses the network."""
    return VARIABLE in os.environ


def is_loopback(host: object) -> bool:
    """Return whether a host, by name or number, is this machine's loopback address."""
    text = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else host
    if not isinstance(text, str):
        return False
    if text.lower().rstrip(".") == "localhost":
        return True
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    check = _CHECKS.get(event)
    if check is not None:
        check(arguments)


def _to_address(arguments: tuple[Any, ...]) -> None:
    connection, address = arguments[0], arguments[1]
    if connection.family in _THIS_MACHINE or address is None:
        return
    host = address[0] if isinstance(address, tuple) and address else address
    if connection.family not in _INTERNET or not is_loopback(host):
        raise _refusal(host)


def _to_name(arguments: tuple[Any, ...]) -> None:
    host = arguments[0]
    # Without a name the addresses of this machine are asked for.
    if host not in (None, "", b"") and not is_loopback(host):
        raise _refusal(host)


def _refusal(host: object) -> OfflineError:
    return OfflineError(errno.ENETUNREACH, f"--offline refuses connections to other machines ({host!r})")


_CHECKS: Mapping[str, Callable[[tuple[Any, ...]], None]] = {
    "socket.connect": _to_address,
    "socket.sendto": _to_address,
    "socket.sendmsg": _to_address,
    "socket.getaddrinfo": _to_name,
    "socket.gethostbyname": _to_name,
    "socket.gethostbyaddr": _to_name,
    "socket.getnameinfo": lambda arguments: _to_name(arguments[0]),
}


def require_loopback(host: str, named: str) -> None:
    """Raise InputError for an address of another machine; ``named`` is what named it, for the message."""
    if not is_loopback(host):
        raise InputError(
            f"{named}: --offline refuses connections to other machines. Name a server on this machine, "
            "such as --graph local, or leave out --offline."
        )
