"""Properties of the suite in a JUnit file."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from _pytest.junitxml import LogXML, xml_key

from plugins.gate import rule_line
from plugins.publishing._facts import Facts

if TYPE_CHECKING:
    from plugins.statistics import Estimate


def writes_junit(config: pytest.Config) -> bool:
    """Tell whether a session writes a JUnit file (``--junitxml``)."""
    return _log(config) is not None


def add_junit_properties(config: pytest.Config, facts: Facts) -> None:
    """Put what a run measured on the suite of the session's JUnit file.

    That is what pytest's fixture ``record_testsuite_property`` does; a fixture runs in workers, which write
    no such file.

    Args:
        config: The session's configuration.
        facts: What is told of the run.
    """
    log = _log(config)
    if log is not None:
        for name, value in _properties(facts):
            log.add_global_property(f"retrocypher.{name}", value)


def _log(config: pytest.Config) -> LogXML | None:
    return config.stash.get(xml_key, None)


def _properties(facts: Facts) -> Iterator[tuple[str, str]]:
    manifest, summary = facts.manifest, facts.summary
    yield "run", str(facts.run)
    yield "models", ", ".join(model["label"] for model in manifest.get("models") or ())
    yield "prompts", ", ".join(manifest.get("prompts") or ())
    yield "shots", ", ".join((manifest.get("options") or {}).get("shot") or ())
    yield "loops", ", ".join((manifest.get("loops") or {}).get("names") or ())
    yield "graph_fingerprint", str((manifest.get("graph") or {}).get("fingerprint"))
    for name in ("cases", "passed", "failed", "infrastructure_errors"):
        yield name, str(summary[name])
    yield from _estimate(facts.f1)
    if facts.gate is not None:
        yield "gate", facts.gate.verdict.value
        if facts.gate.reason:
            yield "gate.reason", facts.gate.reason
        for number, rule in enumerate(facts.gate.rules, 1):
            yield f"gate.{number}", rule_line(rule)


def _estimate(f1: "Estimate") -> Iterator[tuple[str, str]]:
    for name, value in (("f1", f1.value), ("f1_low", f1.low), ("f1_high", f1.high)):
        if value is not None:
            yield name, f"{value:.6f}"
