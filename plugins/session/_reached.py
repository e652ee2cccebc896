"""Whether the APIs of a run are there, asked before its cases are."""

import os
from collections.abc import Iterator

from plugins.judge import as_set, judge_environment
from plugins.session._plan import Plan
from prompts.models import api_address, silent_api


def silent_apis(plan: Plan) -> Iterator[str]:
    """Yield a sentence about each API of a run that nothing answers at: the models', and the judge's."""
    if silent := silent_api(plan.asked):
        yield silent
    if plan.judge is None:
        return
    own = judge_environment(os.environ)
    elsewhere = api_address([plan.judge.spec], environment=own) != api_address(plan.asked)
    if elsewhere and (silent := silent_api([plan.judge.spec], environment=own)):
        yield f"Judge: {as_set(silent)}"
