"""A judge in a session: on records, in the summary, when it fails, and resumed."""

from pathlib import Path

import pytest
from support.roles_api import JUDGED, RolesApi, Said, always
from support.suite import Suite

ASKED = ("--model=oracle", "--sample=6", "--prompt=P5", "--shot=ZS", "--judge=gpt-4o")


@pytest.fixture
def judged(live: Suite, api: RolesApi, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Run the suite with a judge behind the scripted API."""
    monkeypatch.setenv("RETROCYPHER_JUDGE_API_KEY", "judge-key-1")
    monkeypatch.setenv("RETROCYPHER_JUDGE_BASE_URL", api.address)
    return lambda *arguments, **keywords: live(*ASKED, *arguments, **keywords)


def test_a_judge_that_fails_takes_no_score_and_is_asked_again(
    judged: Suite, api: RolesApi, tmp_path: Path
) -> None:
    refused: list[str] = []

    def refusing(text: str) -> Said | str:
        # One case, where it is shown the reference: by whichever question comes first.
        if "<<< reference query" not in text:
            return JUDGED
        question = text.partition("<<< question")[2].splitlines()[1]
        refused.append(question)
        return Said(status=400, error={"message": "not now"}) if question == refused[0] else JUDGED

    api.roles["judge"] = refusing
    cache, run = f"--cache={tmp_path / 'answers.sqlite'}", tmp_path / "judged"
    first = judged(cache, "-n1", run_dir=run)
    assert first.status == 16
    assert "incomplete: 1 case without a judgement: judge bad_request" in first.output
    assert "judge with reference: mean 0.900 of 5 cases; no score: bad_request 1" in first.output
    failed = [each for each in first.records.values() if each["infrastructure_error"]]
    assert [each["question"] for each in failed] == refused[:1]
    assert failed[0]["infrastructure_error"]["stage"] == "judge"
    assert (failed[0]["passed"], failed[0]["scores"]["f1"]) == (True, 1.0)
    assert (first.summary["scored"], first.summary["means"]["f1"]) == (6, 1.0)
    assert "judge-key-1" not in (run / "records.jsonl").read_text() + first.output

    asked = len(api.asked)
    api.roles["judge"] = always(JUDGED)
    second = judged(cache, "-n0", run_dir=run)
    assert second.status == 0
    assert "5 of 6 cases are taken" in second.output
    assert len(api.asked) == asked + 1
    assert second.summary["judge"]["with_reference"]["scored"] == 6
    manifest = second.manifest
    assert manifest["judge"]["api"] == api.address.removeprefix("http://")
    # What was paid for the case before it was asked again belongs to the run.
    usage = manifest["answers"]["by_model"]["judge:gpt-4o"]
    assert (usage["asked"], usage["from_cache"]) == (12, 0)
    costs = {r["judge"]["without_reference"]["cost"] for r in second.records.values()}
    assert None not in costs
