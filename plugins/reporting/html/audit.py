"""The page of an audit."""

from importlib import metadata
from pathlib import Path

from markupsafe import Markup

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.graph_audit import GraphAudit
from retrocypher.plugins.reporting.html.rendering import asset, environment, policy

MOST = 200
"""Findings of a rule that the page lists; JSON has all."""


def write_audit(found: GraphAudit, name: str, file: Path) -> None:
    """Write the page of an audit; raise InputError if the file cannot be written."""
    style = Markup("\n").join([asset("base.css"), asset("page.css")])
    script = Markup("\n").join([asset("theme.js")])
    page = (
        environment()
        .get_template("audit.html")
        .render(
            audit=found,
            most=MOST,
            title=f"Audit of {name}",
            policy=policy([script], [style]),
            style=style,
            script=script,
            footer=f"Made by RetroCypher {metadata.version('retrocypher')}.",
        )
    )
    try:
        pending = file.with_name(f"{file.name}.new")
        pending.write_text(page, encoding="utf-8")
        pending.replace(file)
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror})") from error
