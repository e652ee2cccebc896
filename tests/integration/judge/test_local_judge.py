"""A real small model as judge: held to the form of an answer, it gives a score of the scale."""

from dataclasses import replace
from pathlib import Path

from retrocypher.plugins.judge.criteria import Grade, JudgeCase, judge_spec, load_criteria
from retrocypher.plugins.judge.judge import Task, open_judge_pool

BRIEF = replace(
    load_criteria(),
    steps=dict.fromkeys(load_criteria().steps, ("Compare.",)),
    rubric=(Grade(0, 10, "Higher is better."),),
    prompt='{steps} {rubric} {case} Answer with JSON: {"reason": "short", "score": {low} to {high}}',
)


def test_a_local_model_judges(tmp_path: Path) -> None:
    case = JudgeCase("c", "What makes CCO?", "(:Molecule)", "RETURN 1", "MATCH (m) RETURN m")
    tasks = [Task(case, "without_reference")]
    told = {"concurrency": 1, "seed": 0, "cache": tmp_path / "answers.sqlite", "criteria": BRIEF}
    with open_judge_pool(judge_spec("local", {}), environment={}, **told) as pool:
        ((_, found),) = pool.judge(tasks)
    # It is held to the form of an answer, so that there is a score, whatever that is worth.
    assert found.error is None
    assert found.score is not None
    assert not found.is_fault
    assert found.tokens is not None
    assert found.details["finish_reason"] == "stop"
    # What was kept needs no process of its own.
    with open_judge_pool(judge_spec("local", {}), offline=True, **told) as pool:
        ((_, again),) = pool.judge(tasks)
    assert (again.cached, again.score, again.error) == (True, found.score, found.error)
