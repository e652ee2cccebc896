"""Progress messages: what modules log at INFO, shown by the session and by commands."""

import logging
import time
from collections.abc import Callable

LOGGER = "retrocypher"
"""Parent of all loggers of the suite."""


class _Handler(logging.Handler):
    def __init__(self, write: Callable[[str], None]) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        self._write(record.getMessage())


def show_progress(write: Callable[[str], None]) -> Callable[[], None]:
    """Write each message that the suite logs with `write`; return a function that ends this."""
    logger, handler = logging.getLogger(LOGGER), _Handler(write)
    level = logger.level

    def end() -> None:
        logger.removeHandler(handler)
        logger.setLevel(level)

    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    return end


_EVERY_S = 10.0


def throttled(logger: logging.Logger) -> Callable[[str], None]:
    """Return a function that logs at most one message in ten seconds, and drops the others."""
    logged = time.monotonic()

    def log(message: str) -> None:
        nonlocal logged
        if time.monotonic() - logged >= _EVERY_S:
            logged = time.monotonic()
            logger.info(message)

    return log
