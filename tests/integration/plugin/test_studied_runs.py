"""The study of the self-review paper, of real runs with a scripted model, against numbers by hand."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.roles_api import RolesApi
from support.suite import Suite

from retrocypher.kg.questions.question import Question, select
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli

ASKED = ("-n0", "--model=gpt-4.1-mini", "--prompt=P5", "--shot=ZS", "--task=precursors", "--sample=4")
WRONG = " SKIP 100000"


@pytest.fixture
def questions() -> list[Question]:
    """The questions of the runs. The first query of all but the first is wrong, and the last stays so."""
    found = select(load_questions().questions, tasks=["precursors"], sample=4, seed=0)
    assert len(found) == 4
    return list(found)


def cast(api: RolesApi, questions: list[Question]) -> None:
    def place(text: str) -> int:
        return next(number for number, each in enumerate(questions) if each.text in text)

    def written(text: str, right: int) -> str:
        number = place(text)
        return f"```\n{questions[number].reference_cypher}{'' if number <= right else WRONG}\n```"

    def judge(text: str) -> str:
        score = (4 if WRONG in text else 9) - 2 * ("<<< reference query" not in text)
        return json.dumps({"reason": "so", "score": score})

    api.roles |= {
        "generator": lambda text: written(text, 0),
        "corrector": lambda text: written(text, 2),
        "reviewer": lambda text: json.dumps({"accepted": WRONG not in text, "issues": ["It skips rows."]}),
        "result_analyst": lambda text: f"Matches intent: {'no' if WRONG in text else 'yes'}",
        "judge": judge,
    }


def numbers(file: Path, *names: str) -> list[list[float]]:
    rows = list(csv.DictReader(file.open()))
    return [[round(float(row[name]), 6) for name in names] for row in rows]


def test_figures_and_table_have_the_numbers_of_the_runs(
    scripted: Suite, api: RolesApi, questions: list[Question], tmp_path: Path
) -> None:
    cast(api, questions)
    loops = ("self-review-control", "self-review")
    runs = [scripted(*ASKED, f"--loop={loop}", "--judge=gpt-4o") for loop in loops]
    assert [len(ran.records) for ran in runs] == [4, 4], runs[0].output

    out = tmp_path / "study"
    named = [str(ran.run) for ran in runs]
    studied = CliRunner().invoke(cli, ["study", "self-review", *named, "--out", str(out)])
    assert studied.exit_code == 0, studied.output
    assert "no case" not in studied.output
    assert "8 cases" in studied.output

    def histogram(name: str) -> dict[float, float]:
        return {score: count for score, count in numbers(out / f"{name}.csv", "score", "cases") if count}

    assert histogram("figure-3-with-reference") == {0.4: 3, 0.9: 1}
    assert histogram("figure-4-with-reference") == {0.4: 1, 0.9: 3}
    assert histogram("figure-3-without-reference") == {0.2: 3, 0.7: 1}
    assert histogram("figure-4-without-reference") == {0.2: 1, 0.7: 3}
    names = ("cases", "judged", "f1", "score", "paper_score")
    assert numbers(out / "results.csv", *names) == [[4, 4, 0.25, 0.525, 0.61], [4, 4, 0.75, 0.775, 0.65]]
    control, review = csv.DictReader((out / "results.csv").open())
    assert (control["gain_percent"], review["gain_percent"][:6]) == ("", "47.619")
    # Each call has 100 tokens and 20. The generator is asked once a case; the roles two, three, three and
    # five times: the last query is corrected three times, and its result analysed once.
    called = ("tokens_per_case", "usd_per_1000_cases")
    price = 0.4 * 100 + 1.6 * 20
    calls = (1, (4 + 2 + 3 + 3 + 5) / 4)
    expected = [[120 * each, round(1000 * each * price / 1e6, 6)] for each in calls]
    assert numbers(out / "results.csv", *called) == expected
    page = (out / "index.html").read_text()
    assert page.count("data:image/png;base64,") == 4
