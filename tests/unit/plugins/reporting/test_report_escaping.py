"""The page is safe and small: nothing that a model, a user or a file says becomes a part of it."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import write_run
from support.reported import MANIFEST, Read, answered, some_questions

from retrocypher.plugins.reporting.html.failed_cases import Rendered, shrink_to_fit
from retrocypher.plugins.reporting.html.rendering import environment, visible
from retrocypher.plugins.reporting.html.report import build_report

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% include 'x' %}",
    "half \ud800 a pair",
    "line\u2028end\u2029 \u202eturned \x00 \x1b[31m",
    "' onfocus='alert(1)' autofocus='",
]


def page_with(folder: Path, text: str) -> str:
    """Return the page of a run in which everything that can be is this text."""
    (question, *_) = some_questions(1)
    record = answered(question, False, model=text, prompt=text, shot=text, cypher=text)
    record.question = text
    record.errors = [text]
    told = {"options": {text: text}, "models": [{"label": text, "argument": text}], "api": text}
    run = write_run(folder / "run", [record], [question], {**MANIFEST, **told})
    build_report([run], run / "report.html", most=9)
    return (run / "report.html").read_text("utf-8")


def shape(html: str) -> list[tuple[str, list[str]]]:
    return [(tag, sorted(told)) for tag, told in Read(html).tags]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_shown_and_does_nothing(tmp_path: Path, text: str) -> None:
    html = page_with(tmp_path / "hostile", text)
    assert shape(html) == shape(page_with(tmp_path / "plain", "plain"))
    assert visible(text) in Read(html).text
    assert not re.search("[\x00\x1b\u2028\u2029\u202e]", html)


@given(st.text(st.characters(codec=None)))
def test_any_text_comes_out_as_text(text: str) -> None:
    html = environment().from_string('<p title="{{ text }}">{{ text }}</p>').render(text=text)
    html.encode()
    ((tag, told),) = Read(html).tags
    assert tag == "p"
    assert (told["title"] or "") == visible(text)


def test_the_policy_allows_the_pages_own_script_and_style_alone(tmp_path: Path) -> None:
    html = page_with(tmp_path, "plain")
    metas = [told for tag, told in Read(html).tags if tag == "meta"]
    (policy,) = [each["content"] for each in metas if each.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for name in ("script", "style"):
        (body,) = re.findall(f"<{name}>(.*?)</{name}>", html, re.S)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not re.search(r'\sstyle="', html)
    assert not re.search(r'(src|href)="(?!#|report-cases/)', html)


@given(st.integers(0, 10_000), st.integers(1, 2_000), st.integers(0, 10_000), st.integers(0, 100_000))
def test_the_list_is_cut_until_the_page_fits(failed: int, row: int, rest: int, largest: int) -> None:
    def render(most: int) -> Rendered:
        listed = min(most, failed)
        return Rendered(b"x" * (rest + row * listed), listed, {})

    page = shrink_to_fit(render, 5_000, largest)
    assert len(page.html) <= largest or page.listed == 0
    whole = render(5_000)
    if len(whole.html) <= largest:
        assert page == whole
    else:
        assert len(render(2 * page.listed + 1).html) > largest
