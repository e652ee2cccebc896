"""Options, without a session of pytest."""

from retrocypher.plugins.session.options import Options, read_options


class _Config:
    """The two look-ups of pytest's config that read options: of the command line, and ``pyproject.toml``."""

    def __init__(self, command_line: dict[str, object]) -> None:
        self._command_line = command_line

    def getoption(self, name: str) -> object:
        return self._command_line.get(name.removeprefix("retrocypher_"))

    def getini(self, name: str) -> object:
        return None


def options_of(**command_line: object) -> Options:
    """Return the options of a command line."""
    return read_options(_Config(command_line))  # type: ignore[arg-type]
