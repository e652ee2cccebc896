"""What cannot be run: one clear error, before a server starts, a model is called or a folder is made."""

import shlex
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.suite import CHECKOUT, Suite

Refused = Callable[..., str]


@pytest.fixture
def refused(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Refused:
    """Configure a session as its own process would, and return why it is refused."""
    monkeypatch.setattr("retrocypher.plugins.session.session.refuse_network", lambda: None)

    def configure(*arguments: str, where: str = "benchmarks") -> str:
        models = () if any(each.startswith("--model") for each in arguments) else ("--model=oracle",)
        place = () if any(each.startswith("--run-dir") for each in arguments) else ("--run-dir=run",)
        home = (f"--rootdir={CHECKOUT}", "-c", str(CHECKOUT / "pyproject.toml"))
        with pytest.raises(pytest.UsageError) as caught:
            pytester.parseconfigure(str(CHECKOUT / where), *home, *place, *models, *arguments)
        assert not Path("run").exists()
        return str(caught.value)

    return configure


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--prompt=P11", "--prompt P11: no such prompt; choose from P1"),
        ("--prompt=p5", "--prompt p5: no such prompt; did you mean P5? Else choose from P1"),
        ("--shot=2S", "2S"),
        ("--task=yield", "--task yield: no such task; choose from precursors"),
        ("--task=best-yield", "--task best-yield: no such task; did you mean best_yield? Else choose"),
        ("--model=file:/nowhere/predictions.jsonl", "/nowhere/predictions.jsonl"),
        ("--model=gpt-4.1", "OPENAI_API_KEY"),
        ("--prompt=P8 --task=precursors,conditions", "no case in common"),
        ("--dist=each", "--dist each would run every case once per worker"),
        ("--dist=load --tx=ssh=far//python=python3", "run a shard on each (--shard, docs/resume.md)"),
        ("--key-encoder=all-mpnet-base-v2", "NAME@THRESHOLD"),
        ("--graph=none", "--graph none: rows then come from earlier runs; name them with --replay DIR"),
        ("--questions=/nowhere", "/nowhere: no such folder"),
        ("--prompt-dir=/nowhere", "/nowhere"),
        ("--prompt-set=own", "--prompt-set own: no such set; choose from paper, guided"),
        ("--exemplar-dir=/nowhere", "--exemplar-dir /nowhere: no bank in it"),
        ("--static-exemplar=best", "--static-exemplar best: no such exemplar; choose from best-yielding"),
        ("--run-dir=/dev/null/run", "--run-dir /dev/null/run: cannot be written to"),
        (
            "--loop=cove --model=mutant --loop-model=gpt-x --loop-model=gpt-y",
            "--loop-model: given twice (gpt-x, gpt-y); one plays all the roles",
        ),
        (
            "--offline --graph=bolt://me:secret@db.example",
            "--graph bolt://me:***@db.example: --offline refuses",
        ),
        ("--offline --model=gpt-4.1 --cache=none", "--offline --cache none: then there are no answers"),
        ("--offline --model=gpt-4.1 --cache=absent.sqlite", "absent.sqlite is not there"),
        ("--gate=f1>=0.4 --sample=5", "--sample 5 runs a part of the cases"),
        ("--gate=f1>=0.4 -k best", "-k best runs a part of the cases"),
        ("--gate=f1>=0.4 --collect-only", "--gate: --collect-only runs no case, so nothing would be judged"),
        ("--gate=f1>=0.4 --setup-plan", "--gate: --setup-plan runs no case, so nothing would be judged"),
        ("--gate=f2>=0.4", "--gate: gate rule, character 1: no score is called f2"),
        ("--gate=", "--gate: gate rule, character 1: a rule is missing; give one such as f1>=0.6"),
        (
            "'--gate=no-regression f1' --baseline=absent",
            "--baseline absent: no such run, and no such baseline in",
        ),
        (
            f"'--gate=no-regression f1' --baseline={CHECKOUT}",
            f"--baseline {CHECKOUT}: no run and no baseline; name a folder with records.jsonl",
        ),
        ("--gate=judge>=0.4", "the rule judge>=0.4 needs a judge, and the run has none"),
        ("--baseline=exemplar", "compared with it, because there is no rule; add a rule such as"),
        ("--baseline=exemplar --gate=f1>=0.4", "compared with it, because f1>=0.4 needs none"),
        (
            "'--gate=no-regression f1' --baseline=exemplar --query-timeout=3",
            "They differ in --query-timeout: 30.0 and 3.0. Run under the conditions of the baseline",
        ),
        (
            "'--gate=no-regression f1' --baseline=exemplar --model=a=oracle --model=b=mutant",
            "this run has several cases of",
        ),
    ],
)
def test_an_option_that_cannot_be_used(refused: Refused, arguments: str, said: str) -> None:
    assert said in refused(*shlex.split(arguments))


def test_a_file_without_a_case_for_the_prompt(refused: Refused) -> None:
    said = refused("--prompt=P8", where="benchmarks/test_single_step.py")
    assert "--prompt P8 selects no single_step question" in said


def loop_of(name: str) -> SimpleNamespace:
    return SimpleNamespace(name=name, needs_model=False, run=lambda case, tools: None)


@pytest.mark.parametrize(
    ("brought", "said"),
    [
        ("cove", "'cove' is no loop"),
        (loop_of("a/b"), "the name 'a/b' may hold letters"),
        (loop_of("review"), "there is a loop 'review' already"),
    ],
)
def test_a_loop_that_is_none(pytester: pytest.Pytester, refused: Refused, brought: object, said: str) -> None:
    pytester.plugins = [SimpleNamespace(pytest_retrocypher_loops=lambda config: [brought])]
    assert said in refused()


def test_markers_and_a_selection_of_no_case(live: Suite, suite: Suite) -> None:
    ran = suite("--markers")
    assert ran.status == 0, ran.output
    for name in ("single_step", "multi_step"):
        assert f"@pytest.mark.{name}" in ran.output
    ran = live("-n0", "--model=oracle", "--sample=2", "-k", "no_such_case")
    assert ran.status == 5, ran.output
    assert "Traceback" not in ran.output


def test_a_session_that_is_refused_ends_at_once(suite: Suite) -> None:
    ran = suite("-n2", "--model=oracle", "--prompt=P11")
    assert ran.status == 4, ran.output
    assert "--prompt P11: no such prompt; choose from P1" in ran.output
    for part in ("bringing up nodes", "Traceback", "INTERNALERROR"):
        assert part not in ran.output
    assert not ran.run.exists()
