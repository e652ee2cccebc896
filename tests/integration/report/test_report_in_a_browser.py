"""The report opens in a real browser, from a file and with no network, and does what it promises."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.records import write_run
from support.reported import MANIFEST, answered, some_questions

from retrocypher.kg.graph.compact import read_manifest
from retrocypher.plugins.reporting.html.report import Report, build_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the path")

CONTRASTS = Path(__file__).with_name("contrasts.js").read_text()
BEYOND = """() => {
  const scrolls = each => ["auto", "scroll"].includes(getComputedStyle(each).overflowX);
  const wide = [...document.querySelectorAll("*")].filter(each => each.scrollWidth > each.clientWidth);
  const frames = wide.filter(scrolls);
  const out = each => each.getBoundingClientRect().right > innerWidth + 1;
  const beyond = [...document.querySelectorAll("main *")].filter(
    each => out(each) && !frames.some(frame => frame.contains(each)) && !each.closest(".sr"));
  const marked = frames.filter(each => getComputedStyle(each).backgroundImage.includes("gradient"));
  return [beyond.map(each => each.outerHTML.slice(0, 80)), frames.length, marked.length];
}"""
LABELS = ("timeout", "wrong_entity", "missing_component:agents")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report of 120 cases, of which each third failed."""
    questions = some_questions()
    records = [
        answered(
            question, bool(number % 3), shot=shot, errors=[LABELS[number % 9 // 3]] if not number % 3 else []
        )
        for shot in ("ZS", "1S-D-S")
        for number, question in enumerate(questions)
    ]
    records.append(answered(questions[0], False, prompt="P4", model="</script><script>alert(1)</script>"))
    manifest = {**MANIFEST, "cases": len(records), "graph": {"fingerprint": read_manifest()["fingerprint"]}}
    run = write_run(tmp_path_factory.mktemp("report") / "run", records, questions, manifest)
    return build_report([run], run / "report.html", most=5_000)


@pytest.fixture
def opened(browser: "Browser", request: pytest.FixtureRequest) -> Iterator["Page"]:
    """A page of the scheme and width that a test asks for, which says nothing and asks no network."""
    said: list[str] = []
    asked: dict[str, Any] = getattr(request, "param", {})
    context = browser.new_context(
        offline=True,
        color_scheme=asked.get("scheme", "light"),
        viewport={"width": asked.get("width", 1280), "height": 800},
        java_script_enabled=asked.get("scripts", True),
    )
    page = context.new_page()
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda each: said.append(each.url) if not each.url.startswith("file://") else None)
    yield page
    context.close()
    assert said == []


def go(page: "Page", report: Report) -> None:
    page.goto(report.page.as_uri())


def rows(page: "Page") -> int:
    return page.locator("#cases tbody tr:not([hidden])").count()


def test_filters_show_what_they_name(opened: "Page", report: Report) -> None:
    go(opened, report)
    assert rows(opened) == report.failed == 41
    opened.get_by_label("label", exact=True).select_option("timeout")
    timeouts = rows(opened)
    assert 0 < timeouts < 41
    assert opened.locator("#shown").inner_text() == f"{timeouts} of 41 cases"
    opened.get_by_label("shot", exact=True).select_option("ZS")
    assert rows(opened) == timeouts // 2
    opened.get_by_role("button", name="Clear").click()
    opened.wait_for_function("document.getElementById('shown').textContent === '41 cases'")
    question = some_questions()[0]
    opened.get_by_label("search").fill(f"{question.id} {question.slots['target'].lower()}")
    assert rows(opened) == 3
    opened.get_by_label("search").fill("<script>")
    assert rows(opened) == 1
    opened.get_by_role("button", name="Clear").click()
    opened.get_by_role("button", name="F1", exact=True).click()
    assert opened.locator("#cases thead th[aria-sort=ascending]").inner_text() == "F1"


def test_a_case_opens_and_shows_molecules(opened: "Page", report: Report) -> None:
    go(opened, report)
    opened.locator("#cases a").first.click()
    opened.wait_for_selector("h1")
    assert opened.locator("h1").inner_text() == some_questions()[0].text
    molecule = opened.locator("svg.molecule").first
    assert molecule.is_visible()
    assert opened.locator("symbol path").count() > 5
    assert opened.locator("svg.route").first.is_visible()
    opened.get_by_role("link", name="All failed cases").click()
    opened.wait_for_selector("#cases")


def test_the_keyboard_reaches_everything(opened: "Page", report: Report) -> None:
    go(opened, report)
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.className") == "skip"
    assert opened.locator(".skip").bounding_box()["y"] >= 0  # type: ignore[index]
    reached: set[str] = set()
    for _ in range(90):
        opened.keyboard.press("Tab")
        reached.add(opened.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert {"theme", "search", "by-label", "SUMMARY", "A", "BUTTON"} <= reached
    assert opened.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("opened", [{"scheme": "light"}, {"scheme": "dark"}], indirect=True)
def test_all_text_can_be_read_in_both_schemes(opened: "Page", report: Report) -> None:
    papers = []
    go(opened, report)
    for address in (report.page, next(report.folder.glob("chains_to*.html"))):
        opened.goto(address.as_uri())
        poor, paper = opened.evaluate(CONTRASTS)
        assert poor == {}
        papers.append(paper)
    assert papers[0] == papers[1]
    go(opened, report)
    opened.locator("#theme").click()
    opened.locator("#theme").click()
    assert opened.locator("#theme").inner_text() == "Theme: dark"
    assert opened.evaluate(CONTRASTS) == [{}, "rgb(21, 23, 26)"]


@pytest.mark.parametrize("opened", [{"width": 1920}], indirect=True)
def test_the_headline_row_fills_a_wide_screen(opened: "Page", report: Report) -> None:
    go(opened, report)
    cards = [box for card in opened.locator(".head").all() if (box := card.bounding_box())]
    assert min(box["x"] for box in cards) < 400
    assert max(box["x"] + box["width"] for box in cards) > 1_500


@pytest.mark.parametrize("opened", [{"width": 390}], indirect=True)
def test_what_is_wider_than_a_phone_scrolls_in_a_marked_frame(opened: "Page", report: Report) -> None:
    for address in (report.page, *sorted(report.folder.glob("*.html"))[::10]):
        opened.goto(address.as_uri())
        beyond, frames, marked = opened.evaluate(BEYOND)
        assert beyond == [], address.name
        assert marked == frames, address.name
    go(opened, report)
    assert opened.evaluate(BEYOND)[1] > 0


@pytest.mark.parametrize("opened", [{"width": 375}], indirect=True)
def test_a_phone_needs_no_sideways_scrolling(opened: "Page", report: Report) -> None:
    for address in (report.page, *sorted(report.folder.glob("*.html"))[::10]):
        opened.goto(address.as_uri())
        assert opened.evaluate("document.documentElement.scrollWidth") <= 375, address.name


@pytest.mark.parametrize("opened", [{"scripts": False}], indirect=True)
def test_without_scripts_everything_can_be_read(opened: "Page", report: Report) -> None:
    go(opened, report)
    assert rows(opened) == 41
    assert opened.locator("#filters").is_hidden()
    assert opened.locator("#theme").is_hidden()
