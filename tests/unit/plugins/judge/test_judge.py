"""What a judge is shown and asked, its judgements on records, and what it measures of written answers."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from support.gateways import start_gateway
from support.judged import judged, judgement
from support.records import record_of, write_run
from support.roles_api import RolesApi, Said, always

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.summary import Usage, summary_of
from retrocypher.plugins.judge.criteria import JudgeCase, case_to_judge, fault_of, judge_spec, load_criteria
from retrocypher.plugins.judge.judge import Judge, open_judge
from retrocypher.plugins.judge.metric import AnswerMetrics, shown
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import (
    VARIANTS,
    InfrastructureError,
    JudgeRatings,
    Record,
    Round,
)
from retrocypher.plugins.runs.written_answer import JudgeError, MeasuredAnswer
from retrocypher.prompts.loops.interface import Step
from retrocypher.prompts.models.gateway_client import GatewayConnections
from retrocypher.prompts.models.interface import Chat, Completion, ModelError, Request
from retrocypher.prompts.models.open import ModelContext

CASE = JudgeCase("c", "What makes CCO?", "(:Molecule)", "RETURN 1", "RETURN 2")
ADDRESSES = ("OPENAI_BASE_URL", "RETROCYPHER_JUDGE_BASE_URL")


class Scripted:
    """Says its lines in turn, the last one again and again; an error is raised."""

    label = "gpt-x"

    def __init__(self, *says: str | ModelError) -> None:
        self._says = list(says)
        self.asked: list[Any] = []

    def answer(self, request: Request | Chat) -> Completion:
        self.asked.append(request)
        said = self._says.pop(0) if len(self._says) > 1 else self._says[0]
        if isinstance(said, ModelError):
            raise said
        return Completion(said, tokens={"prompt": 9, "completion": 4}, time_s=0.1)

    def close(self) -> None:
        """Nothing is held."""


def test_a_judge_says_what_its_requests_share() -> None:
    model = Scripted('{"reason": "It is right.", "score": 7}')
    judge = Judge(model, load_criteria())
    for case in (CASE, replace(CASE, question="What of {case} and (:Molecule)?")):
        assert judge.judge(case, "with_reference").score == 0.7
    contents = [chat.messages[0]["content"] for chat in model.asked]
    assert {len(chat.messages) for chat in model.asked} == {1}
    ((begin, end),) = {
        (text[: chat.common], text[: chat.common].splitlines()[-2])
        for text, chat in zip(contents, model.asked, strict=True)
    }
    # All that is the same for all cases, up to the end of the schema, and nothing of a question.
    assert end == "(:Molecule)"
    assert '"score"' in begin
    assert "CCO" not in begin
    assert all(text[len(begin) :].startswith("\n<<< question ") for text in contents)


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_judgement_that_failed_names_what_was_set(tmp_path: Path, name: str) -> None:
    fields = {"OPENAI_API_KEY": "k"}
    with RolesApi({"judge": always(Said(status=401))}) as api:
        fields[name] = api.address
        with start_gateway(tmp_path, fields) as gateway:
            context = ModelContext(0, GatewayConnections(gateway.address))
            found = open_judge(judge_spec("gpt-x", fields), context).judge(CASE, "with_reference")
        api.roles["judge"] = always(Said(status=404))
        with start_gateway(tmp_path, fields) as gateway:
            context = ModelContext(0, GatewayConnections(gateway.address))
            unknown = open_judge(judge_spec("gpt-x", fields), context).judge(CASE, "with_reference")
    assert found.error is not None
    assert unknown.error is not None
    assert "refused the key (401); check OPENAI_API_KEY" in found.error.message
    assert f"check the name and {name}:" in unknown.error.message


MARK = re.compile(r"^(?:<<< [a-z ]+|>>>) (?P<mark>[0-9a-f]{12})$", re.MULTILINE)
BEGINS = ["question", "query"]


def case(**fields: object) -> JudgeCase:
    values = {"question": "Q?", "schema": "(:Molecule)", "cypher": "RETURN 1", "reference": "RETURN 2"}
    return JudgeCase(case_id="c", **{**values, **fields})  # type: ignore[arg-type]


def test_the_reference_is_shown_to_one_variant_alone() -> None:
    with_it, without = (shown(case(), name, load_criteria()) for name in VARIANTS)
    assert with_it.expected is not None
    assert "RETURN 2" in with_it.expected
    assert without.expected is None
    assert "RETURN 2" not in without.asked + without.answered


def test_rows_are_shown_only_where_wanted_and_cut() -> None:
    rows = [["C" * 1_000]] + [[number] for number in range(20)]
    found = case(columns=["name"], rows=rows)
    assert "name" not in shown(found, "without_reference", load_criteria()).answered
    answered = shown(found, "without_reference", load_criteria(3)).answered
    assert '["name"]' in answered
    assert "more characters)" in answered
    assert "(18 more rows)" in answered
    assert "(no rows)" in shown(case(columns=[], rows=[]), "without_reference", load_criteria(3)).answered
    assert "<<< rows" not in shown(case(), "without_reference", load_criteria(3)).answered
    assert "(there is none)" in shown(case(cypher=None), "without_reference", load_criteria()).answered
    found = shown(case(question="[DEEPEVAL:IMAGE:1] [DEEPEVAL:PDF:2]"), "without_reference", load_criteria())
    assert not re.search(r"\[DEEPEVAL:(?:IMAGE|PDF):(.*?)\]", found.asked)


def test_the_schema_cannot_end_its_own_part() -> None:
    text = "(:Molecule)"
    for _ in range(3):
        common = shown(case(schema=text), "without_reference", load_criteria()).common
        mark = common.rsplit(">>> ", 1)[1]
        assert common.count(mark) == 2
        text += f"\n>>> {mark}"


@given(st.text(), st.text(), st.integers(0, 3))
def test_no_text_can_end_its_own_part(question: str, cypher: str, again: int) -> None:
    for _ in range(again):
        # Whatever marks one has seen, they are others once they are in the text.
        found = shown(case(question=question, cypher=cypher), "without_reference", load_criteria())
        question += "\n" + "\n".join(match[0] for match in MARK.finditer(found.asked))
    found = shown(case(question=question, cypher=cypher), "without_reference", load_criteria())
    mark = found.asked.rsplit(">>> ", 1)[1]
    parts = re.findall(rf"^<<< ([a-z ]+) {mark}$", f"{found.asked}\n{found.answered}", re.MULTILINE)
    assert parts == BEGINS
    assert mark not in question + cypher


UNREACHED = {"kind": "connection", "message": "nobody there"}
EXECUTION = {"status": "ok", "columns": ["a"], "rows": [[1]], "row_count": 1}


def run(**fields: Any) -> Record:
    scores = {"f1": 1.0, "precision": 1.0, "recall": 1.0}
    values = {"cypher": "RETURN 1", "execution": EXECUTION, "scores": scores, "passed": True, **fields}
    return record_of(**values)


def test_a_judgement_is_read_as_it_was_written() -> None:
    judge = JudgeRatings("j", "c" * 64, judgement(score=0.75), judgement("without_reference", None))
    assert run(judge=judged(0.75, None)).judge == judge
    assert list(judge.judgements) == ["with_reference", "without_reference"]
    assert JudgeRatings("j", "c").judgements == {}


@pytest.mark.parametrize(
    "change", [{"score": 1.5}, {"score": None}, {"error": UNREACHED}, {"time_s": None}, None]
)
def test_what_is_no_judgement_is_refused_with_its_place(tmp_path: Path, change: Any) -> None:
    record, judge = json.loads(json_line(run())), judged(0.5, 0.25)
    judge["with_reference"] = [] if change is None else {**judge["with_reference"], **change}
    log = RunLog(write_run(tmp_path, [{**record, "judge": judge}]))
    with pytest.raises(InputError, match=r"records\.jsonl, line 1, case c: not a whole record: judge"):
        list(log.records())


def test_only_a_judge_that_could_not_be_asked_is_a_fault_of_the_harness() -> None:
    assert fault_of({"with_reference": judgement(score=None)}) is None
    unreached = judgement("without_reference", None, error=UNREACHED)
    fault = fault_of({"with_reference": judgement(), "without_reference": unreached})
    assert fault == InfrastructureError("judge", **UNREACHED)


def test_a_fault_of_the_judge_takes_no_score_from_the_case() -> None:
    fault = {"stage": "judge", **UNREACHED}
    plain = to_builtins(
        summary_of(
            [
                run(case_id="a", judge=judged(1.0, 0.5)),
                run(case_id="b", judge=judged(None, 0.0), passed=False),
                run(case_id="c", judge=judged(None, None), infrastructure_error=fault),
                run(
                    case_id="d",
                    infrastructure_error={"stage": "model", **UNREACHED},
                    scores=None,
                    passed=False,
                ),
            ]
        ).run_summary()
    )
    assert (plain["scored"], plain["infrastructure_errors"], plain["means"]["f1"]) == (3, 1, 1.0)
    assert plain["infrastructure_errors_by_stage"] == {"judge": 1, "model": 1}
    judge = plain["judge"]
    assert (judge["cases"], judge["faults"]) == (3, 1)
    assert judge["with_reference"] == {"scored": 1, "mean": 1.0, "weighted": 0, "no_score": {"malformed": 2}}
    assert judge["without_reference"]["mean"] == 0.25
    assert "judge" not in to_builtins(summary_of([run()]).run_summary())


def test_answers_of_the_judge_are_counted_with_what_they_cost() -> None:
    usage = Usage()
    usage.add(
        run(judge=JudgeRatings("j", "c", judgement(cost=0.5), judgement("without_reference", cached=True)))
    )
    assert (usage.asked, usage.from_cache, usage.cost) == (1, 1, 0.5)
    assert list(usage.counts().by_model) == ["judge:j"]


def test_only_cases_that_were_run_are_judged() -> None:
    criteria = load_criteria(2)
    case = case_to_judge(run(), "(:Molecule)", criteria)
    assert (case.columns, case.rows) == (["a"], [[1]])
    assert case_to_judge(run(), "(:Molecule)", load_criteria()).rows is None
    assert case_to_judge(run(scores=None), "", criteria) is None
    assert case_to_judge(run(infrastructure_error={"stage": "judge", **UNREACHED}), "", criteria)


FACTS = ['{"id": 5, "products": ["CCO"]}', '{"id": 6, "products": ["CCN"]}']
ANSWER = "Reaction 5 makes CCO. Reaction 6 makes CCN."


def listed(name: str, *values: str) -> str:
    return json.dumps({name: list(values)})


def verdicts(*said: str) -> str:
    return json.dumps({"verdicts": [{"verdict": each} for each in said]})


GOOD = (
    listed("truths", "Reaction 5 makes CCO.", "Reaction 6 makes CCN."),
    listed("claims", "Reaction 5 makes CCO.", "Reaction 6 makes CCN."),
    verdicts("yes", "no"),
    listed("statements", "Reaction 5 makes CCO.", "Reaction 6 makes CCN."),
    verdicts("yes", "yes"),
)


def measured_by(judge: Scripted) -> tuple[dict[str, MeasuredAnswer], list[Step]]:
    steps = list[Step]()
    return AnswerMetrics(judge).measure("c", "What makes CCO?", ANSWER, FACTS, steps.append), steps


def _kind(found: MeasuredAnswer) -> str | None:
    return found.error.kind if found.error else None


def test_both_metrics_are_shares_of_what_the_judge_finds() -> None:
    judge = Scripted(*GOOD)
    measured, steps = measured_by(judge)
    assert measured == {"faithfulness": MeasuredAnswer(0.5, 2), "answer_relevancy": MeasuredAnswer(1.0, 2)}
    roles = ["answer:judge:faithfulness"] * 3 + ["answer:judge:answer_relevancy"] * 2
    assert [step.role for step in steps] == roles
    assert {step.verdict for step in steps} == {"read"}
    texts = [each.messages[0]["content"] for each in judge.asked]
    assert all(fact in texts[0] for fact in FACTS)
    assert ANSWER in texts[1]
    assert "What makes CCO?" in texts[4]


@pytest.mark.parametrize(
    "reply",
    [
        "I am sure that it is faithful.",
        "",
        '{"claims": ["a"]',
        '[{"claims": ["a"]}]',
        'Here: {"claims": ["a"]}',
        '{"claims": ["a"]} {"claims": []}',
        '{"claims": ["a"], "claims": []}',
        '{"claims": "a"}',
        '{"claims": [1]}',
        '{"verdicts": []}',
        "[" * 100_000,
    ],
)
def test_a_reply_of_another_form_gives_no_score(reply: str) -> None:
    found, steps = measured_by(Scripted(GOOD[0], reply, *GOOD[3:]))
    assert found["faithfulness"].score is None
    assert _kind(found["faithfulness"]) == "malformed"
    assert steps[1].verdict == "malformed"
    # One metric that fails leaves the other.
    assert found["answer_relevancy"] == MeasuredAnswer(1.0, 2)


@pytest.mark.parametrize("said", [("yes",), (), ("yes", "yes", "yes"), ("maybe", "yes"), ("10", "yes")])
def test_verdicts_must_be_one_for_each_claim(said: tuple[str, ...]) -> None:
    found, _ = measured_by(Scripted(*GOOD[:2], verdicts(*said), *GOOD[3:]))
    assert found["faithfulness"].score is None
    assert _kind(found["faithfulness"]) == "malformed"


def test_an_answer_that_claims_nothing_has_no_share() -> None:
    found, _ = measured_by(Scripted(GOOD[0], listed("claims"), listed("statements")))
    assert [each.score for each in found.values()] == [None, None]
    assert set(map(_kind, found.values())) == {"nothing_claimed"}


def test_a_judge_that_cannot_be_asked_is_reported() -> None:
    found, steps = measured_by(Scripted(ModelError("timeout", "too long"), *GOOD[3:]))
    assert found["faithfulness"] == MeasuredAnswer(None, 0, JudgeError("timeout", "too long"))
    assert found["answer_relevancy"].score == 1.0
    failed = steps[0]
    record = record_of(rounds=[Round(failed.role, None, "", None, failed.verdict, failed.findings)])
    assert record.answer_fault == InfrastructureError("judge", "timeout", "too long")
