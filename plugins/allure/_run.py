"""What Allure shows about a run as a whole."""

import shutil
from collections.abc import Mapping
from pathlib import Path

_CATEGORIES = Path(__file__).with_name("categories.json")


def show_run(results: Path, facts: Mapping[str, str]) -> None:
    """Write what a report says about its run: the environment, and the names of the kinds of failure.

    Args:
        results: Folder of the Allure results.
        facts: What was measured, by name.
    """
    lines = (f"{name.replace(' ', '_')}={_escaped(value)}\n" for name, value in facts.items())
    (results / "environment.properties").write_text("".join(lines), encoding="ascii")
    shutil.copyfile(_CATEGORIES, results / _CATEGORIES.name)


def _escaped(value: str) -> str:
    """Write a value as Java's property files have it: ASCII, a backslash doubled, one line."""
    return value.encode("unicode_escape").decode("ascii")
