"""What options are read from, without a session of pytest."""


class FakeConfig:
    """The two look-ups of pytest's config that read options: of the command line, and ``pyproject.toml``."""

    def __init__(self, command_line: dict[str, object], settings: dict[str, object] | None = None) -> None:
        self._command_line = command_line
        self._settings = settings or {}

    def getoption(self, name: str) -> object:
        return self._command_line.get(name.removeprefix("retrocypher_"))

    def getini(self, name: str) -> object:
        return self._settings.get(name)
