import re
from typing import Any

import pytest
from support.records import record_of

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.reporting.allure.about import categories_2, categories_3
from retrocypher.plugins.reporting.case_view import CaseView, failure_of

NO_SCORE = "No score: the harness could not ask or measure"


@pytest.mark.parametrize("label", [*LABELS, "missing_component:agents"])
def test_each_label_has_a_kind_of_its_own(label: str) -> None:
    name = label.partition(":")[0]
    in_3 = [each["name"] for each in categories_3() if _matches_3(each, label)]
    assert in_3[0] == name
    in_2 = [each["name"] for each in categories_2() if "messageRegex" in each and _matches_2(each, label)]
    assert in_2 == [name]


def test_what_has_no_score_is_no_wrong_answer() -> None:
    told = {each["name"]: each["matchedStatuses"] for each in categories_2()}
    assert [name for name, statuses in told.items() if "broken" in statuses] == [NO_SCORE]
    told = {each["name"]: each["matchers"]["statuses"] for each in categories_3()}
    assert [name for name, statuses in told.items() if "broken" in statuses] == [NO_SCORE]


def _matches_3(kind: dict[str, Any], label: str) -> bool:
    pattern = kind["matchers"].get("labels", {}).get("error")
    return pattern is not None and re.search(pattern, label) is not None


def _matches_2(kind: dict[str, Any], label: str) -> bool:
    execution = {"status": "ok", "row_count": 0, "message": None}
    scores = {"f1": 0.0, "precision": 0.0, "recall": 0.0}
    failure = failure_of(CaseView(record_of(execution=execution, scores=scores, errors=[label]), None))
    message = f"{type(failure).__module__}.{type(failure).__name__}: {failure}"
    return re.fullmatch(kind["messageRegex"], message) is not None
