"""A model that writes texts made to hold up a worker costs no other case anything."""

import json
from pathlib import Path

from support.hostile_texts import OVER, UNDER
from support.suite import Suite

from retrocypher.kg.questions.reading import load_questions

# The server is replaced after some of the others. Tests of the executor show that; here it takes minutes.
QUICK = ("brackets", "few comprehensions", "hops", "invalid characters", "labels", "signs", "subqueries")
TEXTS = [
    *(OVER[name] for name in QUICK),
    *(UNDER[name] for name in ("quotes", "properties", "doubled values")),
]


def test_each_case_has_its_record_and_the_others_are_right(live: Suite, tmp_path: Path) -> None:
    questions = [each for each in load_questions().questions if each.task == "precursors"][: 2 * len(TEXTS)]
    hostile = {question.id: text for question, text in zip(questions[::2], TEXTS, strict=True)}
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(
        "".join(
            json.dumps({"question_id": each.id, "cypher": hostile.get(each.id, each.reference_cypher)}) + "\n"
            for each in questions
        )
    )

    chosen = " or ".join(f"{each.id}-P5-ZS" for each in questions)
    settings = ("--task=precursors", "--prompt=P5", "--shot=ZS", "--query-timeout=3")
    ran = live("-n2", f"--model=file:{predictions}", *settings, "-k", chosen, run_dir=tmp_path / "run")

    assert ran.status == 1, ran.output
    assert len(ran.records) == len(questions)
    assert not any(record["infrastructure_error"] for record in ran.records.values())
    assert not ran.summary["lost_cases"]
    right = {
        record["question_id"] for record in ran.records.values() if (record["scores"] or {}).get("f1") == 1
    }
    assert right == {each.id for each in questions if each.id not in hostile}
