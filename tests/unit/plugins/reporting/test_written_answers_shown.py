from pathlib import Path

from support.allure_results import attachments, shown
from support.records import record_of
from support.verified import written

from retrocypher.plugins.reporting.allure.results import ResultWriter
from retrocypher.plugins.reporting.case_view import CaseView


def test_an_answer_has_a_step_with_its_verdict_and_claims(tmp_path: Path) -> None:
    record = record_of(**written(verdict="REFUTED"))
    ResultWriter(tmp_path).write(CaseView(record, None), 0, 1)
    (result,) = shown(tmp_path).values()
    names = [step["name"] for step in result["steps"]]
    assert names[1:] == [
        "Round 2: answer:text: written, 0.50 s",
        "Round 3: answer:check: REFUTED, 0.00 s",
        "Answer: REFUTED, 0% of 1 claim supported",
    ]
    found = attachments(result)
    assert found["written answer"] == "It is CCO."
    assert "CONTRADICTED: (5, PRODUCES, CCO); it is a solvent there" in found["claims"]


def test_rounds_of_an_answer_have_no_query_to_show(tmp_path: Path) -> None:
    record = record_of(**written())
    ResultWriter(tmp_path).write(CaseView(record, None), 0, 1)
    (result,) = shown(tmp_path).values()
    kinds = [[each["name"] for each in step.get("attachments", ())] for step in result["steps"]]
    assert ["Cypher" in each for each in kinds] == [True, False, False, False]
