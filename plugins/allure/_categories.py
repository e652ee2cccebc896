"""Kinds of failure for Allure: one a label of the taxonomy, and what is no answer's fault."""

from typing import Any

from kg.labels import LABELS

_NO_LABEL = "Wrong for no known reason"
_NO_SCORE = "No score: the harness could not ask or measure"
_NOT_ASKED = "Not asked"


def categories_2() -> list[dict[str, Any]]:
    """Return the kinds in the form of ``categories.json``, which Allure 2 reads.

    A failed case's message begins with its primary label, after the name of the exception.
    """
    labelled = [
        {
            "name": label,
            "description": meaning.meaning,
            "matchedStatuses": ["failed"],
            "messageRegex": rf"(\S+: )?{label}(:\w+)?: F1 [\s\S]*",
        }
        for label, meaning in LABELS.items()
    ]
    others = ((_NO_LABEL, ["failed"]), (_NO_SCORE, ["broken"]), (_NOT_ASKED, ["skipped", "unknown"]))
    return [*labelled, *({"name": name, "matchedStatuses": statuses} for name, statuses in others)]


def categories_3() -> list[dict[str, Any]]:
    """Return the kinds in the form of Allure 3's configuration, by the label ``error`` of a result.

    The last but one have the ids of the two kinds that Allure 3 always has, so that they take their place.
    """
    labelled = [
        {
            "id": label,
            "name": label,
            "matchers": {"statuses": ["failed"], "labels": {"error": f"^{label}(:|$)"}},
            "groupBy": [{"label": "task"}],
            "groupByMessage": False,
        }
        for label in LABELS
    ]
    return [
        *labelled,
        _rest("_product_errors_default_category", _NO_LABEL, ["failed"]),
        _rest("_test_errors_default_category", _NO_SCORE, ["broken"], by_message=True),
        _rest("not_asked", _NOT_ASKED, ["skipped", "unknown"]),
    ]


def _rest(identifier: str, name: str, statuses: list[str], *, by_message: bool = False) -> dict[str, Any]:
    return {
        "id": identifier,
        "name": name,
        "matchers": {"statuses": statuses},
        "groupByMessage": by_message,
    }
