"""A loopback port for a server."""

import random
import socket

PORTS = range(20_000, 32_000)
"""Below the ports that Linux gives to outgoing connections: a client that tries again and again while its
server restarts could otherwise be given the server's own port, and connect to itself."""


def free_port() -> int:
    """Return a port that nothing listens on at this moment."""
    for port in random.sample(PORTS, len(PORTS)):
        if port_is_free(port):
            return port
    raise OSError("no free port on the loopback address")


def port_is_free(port: int) -> bool:
    """Return whether a server could listen on a port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
