"""The form of a judge's answer, for a runner that can hold a model to it."""

from typing import Any

from plugins.judge._criteria import Criteria


def answer_form(criteria: Criteria) -> dict[str, Any]:
    """Return the JSON schema of an answer: a reason, and then a score of the scale.

    What comes is read as strictly as any other answer.

    Args:
        criteria: What is judged by.
    """
    low, high = criteria.scale
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "minLength": 1, "maxLength": criteria.reason_length},
            "score": {"type": "integer", "minimum": low, "maximum": high},
        },
        "required": ["reason", "score"],
        "additionalProperties": False,
    }
