"""What really happened when a server could not be reached, from under the driver's own words."""

import socket
import ssl

LENGTH_MAX = 300
"""Characters of a server's or driver's own message that are shown."""


def cause_of(error: BaseException) -> str:
    """Return the cause of a failed connection in a few words.

    Args:
        error: What the driver raised; it wraps the cause, for a routed connection in a group of errors.
    """
    inner = _innermost(error)
    match inner:
        case socket.gaierror():
            return f"DNS: the host name cannot be resolved ({inner.strerror})"
        case ConnectionRefusedError():
            return "connection refused"
        case ssl.SSLCertVerificationError():
            return f"TLS: the certificate is not accepted ({inner.verify_message})"
        case ssl.SSLError():
            return f"TLS: the handshake failed ({inner.reason or inner.strerror})"
        case TimeoutError():
            return "no answer to the connection or its handshake in time"
        case OSError():
            return inner.strerror or str(inner)
        case _:
            lines = str(inner).splitlines() or [type(inner).__name__]
            return lines[-1][:LENGTH_MAX]


def _innermost(error: BaseException) -> BaseException:
    while True:
        group = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        under = group[0] if group else error.__cause__ or error.__context__
        if under is None:
            return error
        error = under
