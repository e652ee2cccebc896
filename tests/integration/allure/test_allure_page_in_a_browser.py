"""The page of Allure opens in a real browser, from a file and with no network, and shows what it should."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from support.manifests import manifest_of
from support.records import record_of, write_run
from support.reported import answered

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.runs.record import Record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the path"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs node and npm on the path"),
]

ASKED = load_questions().questions[:18]
LABELS = ("timeout", "wrong_entity", "missing_component:agents")
UNASKED, LOST = ASKED[16], ASKED[17]
REGRESSED = ASKED[0]


def write(folder: Path, records: list[Record], hour: int, lost: list[str]) -> Path:
    manifest = manifest_of(
        started=f"2026-01-02T{hour:02}:00:00+00:00",
        ended=f"2026-01-02T{hour:02}:01:00+00:00",
        executor={"name": "local", "type": "local"},
    )
    rule = {"kind": "at-least", "metric": "f1", "by": [], "verdict": "fails", "holds": False, "slices": []}
    gate = {"verdict": "fails", "rules": [{"rule": "f1>=0.9", "reason": "too low", **rule}]}
    summary = {"lost_cases": lost, "selected_cases": len(records) + len(lost), "gate": gate}
    return write_run(folder, records, ASKED, manifest, summary)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the second of two runs: a case that passed fails now, one was not asked, one was lost."""
    folder = tmp_path_factory.mktemp("reports")
    before = [answered(question, True) for question in ASKED]
    now = [
        answered(question, False, errors=[LABELS[number % 3]]) for number, question in enumerate(ASKED[:9])
    ]
    now += [answered(question, True) for question in ASKED[9:16]]
    fault = {"stage": "model", "kind": "unreachable", "message": "nobody there"}
    now.append(record_of(f"{UNASKED.id}-P5-ZS-none-m", of=UNASKED, infrastructure_error=fault))
    lost = [f"benchmarks/test_{LOST.setting}.py::test_{LOST.setting}[{before[-1].case_id}]"]
    for run in (write(folder / "before", before, 1, []), write(folder / "now", now, 2, lost)):
        done = CliRunner().invoke(cli, ["allure", str(run), "--html"])
        if done.exception is not None and "npm cannot install" in str(done.exception):
            pytest.skip(str(done.exception))
        assert done.exit_code == 0, done.output
    return folder / "now" / "allure.html"


@pytest.fixture
def opened(browser: "Browser", page: Path) -> Iterator["Page"]:
    """The page, opened without a network; at the end of each test it has asked for nothing, in silence."""
    context = browser.new_context(
        offline=True, viewport={"width": 1280, "height": 800}, locale="en-US", timezone_id="UTC"
    )
    # A page of two runs takes long to draw where other tests take the cores.
    context.set_default_timeout(120_000)
    tab = context.new_page()
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda each: said.append(each.url) if each.url.startswith("http") else None)
    tab.goto(page.as_uri())
    tab.get_by_test_id("tree-leaf").first.wait_for()
    yield tab
    context.close()
    assert said == []


def cases(tab: "Page") -> int:
    return tab.get_by_test_id("tree-leaf").count()


def test_cases_are_there_once_and_those_without_a_score_are_broken(opened: "Page") -> None:
    assert cases(opened) == len(ASKED)
    assert opened.get_by_text("precursors", exact=True).first.is_visible()
    assert opened.get_by_text("P5 ZS", exact=True).first.is_visible()
    opened.get_by_test_id("tab-broken").click()
    opened.get_by_text(LOST.text).first.wait_for()
    assert cases(opened) == 2
    opened.get_by_test_id("tab-failed").click()
    opened.get_by_text(REGRESSED.text).first.wait_for()
    assert cases(opened) == 9


def test_search_finds_a_label_and_labels_are_kinds_of_failure(opened: "Page") -> None:
    opened.get_by_placeholder("Search tests").fill("wrong_entity")
    opened.wait_for_function("document.querySelectorAll('[data-testid=\"tree-leaf\"]').length === 3")
    opened.get_by_text("Categories").first.click()
    for kind in ("timeout", "wrong_entity", "missing_component", "No score: the harness could not ask"):
        opened.get_by_text(kind).first.wait_for()


def test_a_failed_case_shows_question_query_difference_attachments_and_history(opened: "Page") -> None:
    opened.get_by_text(REGRESSED.text).first.click()
    opened.get_by_test_id("test-result-error-message").wait_for()
    found = opened.get_by_test_id("test-result-error-message").inner_text()
    assert REGRESSED.text in found
    assert "MATCH (n:Molecule)" in found
    assert "\n- reactants: " in found
    assert opened.get_by_test_id("test-result-prev-status").is_visible()
    opened.get_by_test_id("test-result-tab-history").click()
    opened.get_by_test_id("test-result-history-item").first.wait_for()
    opened.get_by_test_id("test-result-tab-attachments").click()
    opened.get_by_text("reference Cypher").first.click()
    opened.get_by_text("OPTIONAL MATCH").first.wait_for()


def test_what_passed_before_and_fails_now_is_told_and_graphs_have_both_runs(opened: "Page") -> None:
    opened.get_by_text("Transition", exact=True).first.click()
    opened.get_by_text("Regressed").first.click()
    opened.wait_for_function("document.querySelectorAll('[data-testid=\"tree-leaf\"]').length === 9")
    opened.get_by_text("Report", exact=True).first.click()
    opened.get_by_text("Graphs").first.click()
    opened.get_by_text("Cases, run by run").first.wait_for()
    for run in ("1/2/2026", "Latest"):
        opened.get_by_text(run).first.wait_for()


def test_the_first_page_shows_the_mean_with_its_interval_and_the_gate(opened: "Page") -> None:
    assert opened.get_by_text("mean_F1", exact=True).first.is_visible()
    mean = opened.get_by_text(re.compile(r"^0\.\d{3} \[0\.\d{3}, \d\.\d{3}\]$")).first
    assert mean.is_visible()
    opened.get_by_text("Quality Gates").first.click()
    assert opened.get_by_text("fails: f1>=0.9: too low").first.is_visible()
