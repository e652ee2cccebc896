"""What a manifest says of a judge."""

import os
from collections.abc import Mapping
from typing import Any

from plugins.judge._criteria import Criteria
from plugins.judge._spec import judge_environment
from prompts.models import ModelSpec, api_address, file_of


def judge_facts(
    spec: ModelSpec,
    criteria: Criteria,
    contents: Mapping[str, str],
    environment: Mapping[str, str] = os.environ,
) -> dict[str, Any]:
    """Return model, address and criteria of a judge: what tells one judge from another.

    Args:
        spec: Its model.
        criteria: What it judges by.
        contents: SHA-256 of the file its model is made of, by path.
        environment: Where its address is looked up.
    """
    file = file_of(spec)
    weights = {} if file is None else {"file_sha256": contents[str(file)]}
    return {
        "model": {**spec.to_json(), **weights},
        "api": api_address([spec], environment=judge_environment(environment)),
        "criteria": criteria.sha256,
        "name": criteria.name,
        "scale": list(criteria.scale),
        "rows": criteria.rows,
    }
