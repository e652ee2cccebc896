"""Write docs/commands.md from the command tree and from the options that the plugin declares to pytest.

Usage: ``python docs/_generate/commands.py [--check]``. With ``--check`` nothing is written; the exit status
is 1 if the page is out of date. Hand-written text comes from docs/_parts: ``commands.md`` opens the page, and
each section of ``json.md`` is added to the command that its heading names.
"""

import re
import sys
import tomllib
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click
from writing import DOCS, PARTS, cell, table, write

PLUGIN = "retrocypher.plugins.pytest_plugin"


def page() -> str:
    """Return the text of the page."""
    commands = dict(_commands(_root(), "retrocypher"))
    fields = _sections((PARTS / "json.md").read_text("utf-8"))
    if unknown := sorted(fields.keys() - commands.keys()):
        raise SystemExit(f"docs/_parts/json.md: no such command: {', '.join(unknown)}")
    parts = [(PARTS / "commands.md").read_text("utf-8").rstrip(), "## Options of pytest", _plugin_options()]
    parts.append("## Commands of retrocypher")
    for name in sorted(commands):
        parts.append(_command(name, commands[name], fields.get(name)))
    return "\n\n".join(parts) + "\n"


def _root() -> click.Group:
    scripts = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, _, main = scripts["retrocypher"].partition(":")
    root = getattr(import_module(module), "cli", None) or getattr(import_module(module), main)
    assert isinstance(root, click.Group)
    return root


def _commands(command: click.Command, name: str) -> list[tuple[str, click.Command]]:
    # A command that is imported on demand has a stand-in in its group.
    command = command.load() if hasattr(command, "load") else command
    if not isinstance(command, click.Group):
        return [(name, command)]
    below = (_commands(child, f"{name} {sub}") for sub, child in command.commands.items())
    return [found for commands in below for found in commands]


def _command(name: str, command: click.Command, fields: str | None) -> str:
    context = click.Context(command, info_name=name)
    lines = [re.sub(r"\s*\n\s*", " ", part).strip() for part in (command.help or "").strip().split("\n\n")]
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    options = [
        (f"`{_flags(option)}`", cell(_help(option)), _default(option))
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden and option.name != "as_json"
    ]
    parts = [f"### {name}", *(cell(line) for line in lines), f"```console\n$ {usage}\n```"]
    if options:
        parts.append(table(("option", "meaning", "default"), options))
    if fields:
        parts.append(f"`--json`: {fields}")
    return "\n\n".join(parts)


def _flags(option: click.Option) -> str:
    flags = ", ".join((*option.opts, *option.secondary_opts))
    if option.is_flag:
        return flags
    if isinstance(option.type, click.Choice):
        return f"{flags} {'/'.join(option.type.choices)}"
    metavar = option.metavar or option.type.name.upper().removesuffix(" RANGE")
    return f"{flags} {metavar.replace('|', '/')}"


def _help(option: click.Option) -> str:
    said = re.sub(r"\s*\(default: [^)]*\)|\s*\[default: [^]]*\]|; default: [^)]*", "", option.help or "")
    return f"{said} Required." if option.required else said


def _default(option: click.Option) -> str:
    # Defaults that are computed at run time are described in the help text.
    if named := re.search(r"(?:\(|; |\[)default: ([^)\]]*)", option.help or ""):
        return cell(named[1])
    value = option.get_default(click.Context(click.Command("none")))
    if option.is_flag or value is None or repr(value).startswith("Sentinel"):
        return ""
    return f"`{', '.join(map(str, value)) if isinstance(value, tuple) else value}`"


@dataclass
class _Recorder:
    """Takes the place of pytest's parser and collects what a plugin declares."""

    options: dict[str, dict[str, Any]]
    settings: dict[str, str]

    def getgroup(self, name: str, description: str = "") -> "_Recorder":
        return self

    def addoption(self, name: str, **declared: Any) -> None:
        self.options[name] = declared

    def addini(self, name: str, help: str, type: str = "string", default: Any = None) -> None:
        self.settings[name] = type


def _plugin_options() -> str:
    declared = _Recorder({}, {})
    import_module(PLUGIN).pytest_addoption(declared)
    kinds = {"bool": "flag", "args": "list", "linelist": "list"}
    rows = []
    for name, option in declared.options.items():
        kind = kinds.get(declared.settings.get(name.removeprefix("--").replace("-", "_"), ""), "value")
        said, _, default = str(option["help"]).partition(" (default: ")
        shown = f"{name} {option.get('metavar') or ''}".strip().replace("|", "/")
        rows.append((f"`{shown}`", kind, cell(default.removesuffix(")")), cell(said)))
    return table(("option", "type", "default", "meaning"), rows)


def _sections(text: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return {name.strip(): said.strip() for name, said in zip(parts[1::2], parts[2::2], strict=True)}


if __name__ == "__main__":
    write(DOCS / "commands.md", page(), check="--check" in sys.argv[1:])
