"""Tells a CI service what a run measured."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from kg.errors import InputError
from plugins.session._gate import side_of

if TYPE_CHECKING:
    from plugins.session._controller import Controller


def publish(config: pytest.Config, controller: "Controller", announce: Callable[[str], None]) -> None:
    """Write what a JUnit file and the summary of a GitHub job say of a run, where there are any.

    Whatever goes wrong here is said, and changes nothing: the verdict has been given.

    Args:
        config: The session's configuration.
        controller: The controller of the run, its files written.
        announce: Writes one line to the terminal.
    """
    if not controller.summary.cases:
        return
    from plugins.publishing import (
        add_junit_properties,
        append_job_summary,
        facts_of,
        job_summary,
        job_summary_file,
        writes_junit,
    )

    file = job_summary_file(os.environ)
    if file is None and not writes_junit(config):
        return
    try:
        side = side_of(controller, 0)
        facts = facts_of(controller.run.path, side, controller.summary.to_json(), controller.gate)
        add_junit_properties(config, facts)
        if file is not None:
            append_job_summary(file, job_summary(facts, os.environ))
    except (OSError, InputError) as error:
        announce(f"what the run measured cannot be told to CI: {error}")
