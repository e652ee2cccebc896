"""Signals for programs that tests interrupt."""

import signal


def heed_interrupts() -> None:
    """Let a new program be interrupted: tests in the background are deaf to it, and that is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
