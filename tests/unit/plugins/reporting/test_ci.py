"""The summary of a job: escaped, within what GitHub shows, and appended."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace
from support.compared import run_of, scores_of
from support.records import record_of

from retrocypher.plugins.analysis.gate import gate_of
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.reporting.ci import (
    LIMIT,
    Facts,
    append_job_summary,
    escaped,
    job_summary,
    job_summary_file,
)
from retrocypher.plugins.runs.log import RunLog


def facts(folder: Path, *rules: str, model: str = "m") -> Facts:
    """Return the facts of a run that is worse than the one before."""
    before = run_of(folder / "before", [1.0] * 20)
    run = run_of(folder / "run", [1.0, 0.0] * 10, model=model)
    side = scores_of(run)
    gate = gate_of(rules, str(before), folder).judge(side) if rules else None
    return Facts(
        run,
        side.manifest,
        summary_of(RunLog(run).records()),
        side.headline_mean(),
        side.headline_leaks(),
        gate,
    )


def test_what_it_says(tmp_path: Path) -> None:
    text = "\n".join(job_summary(facts(tmp_path, "f1 by task>=0.5", "no-regression f1"), {}))
    assert "## RetroCypher: gate fails" in text
    assert "Mean F1 **0.500** (95 % interval" in text
    assert "| yes | holds" not in text
    assert "| **no** | fails: f1 by task&#62;=0.5: 1 of 2 slices hold |" in text
    assert "### Changed most (f1, 10 in all)" in text
    assert "| conditions-001-P5-ZS-none-m | 1.000 | 0.000 |" in text
    assert "| m | none | P5 | ZS | conditions | 10 |" in text
    assert "records.jsonl" in text
    plain = "\n".join(job_summary(facts(tmp_path / "other"), {}))
    assert "## RetroCypher\n" in plain
    assert "Gate" not in plain


def test_artifacts_are_linked_only_where_the_address_is_one(tmp_path: Path) -> None:
    found = facts(tmp_path)
    action = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "a/b", "GITHUB_RUN_ID": "7"}
    assert "(https://github.com/a/b/actions/runs/7#artifacts)" in "\n".join(job_summary(found, action))
    for name, value in (("GITHUB_REPOSITORY", "a/b)<x"), ("GITHUB_RUN_ID", "7x"), ("GITHUB_SERVER_URL", "x")):
        assert "#artifacts" not in "\n".join(job_summary(found, {**action, name: value}))


HOSTILE = [
    *("$x^2$", "$$x$$", "$`x`$", "cost $5 and $6", ":smile:", ":+1:", "a:b:c", "@someone", "a@b.example"),
    *(
        "http://a.example",
        "https://a.example/?q=1#2",
        "www.a.example",
        "ftp://a.example",
        "mailto:a@b.example",
    ),
    *("#123", "a/b#123", "GH-123", "0123456789abcdef0123456789abcdef01234567", "deadbee", "a/b@deadbeef"),
    *("a|b", "a\\|b", "`x`", "``", "**x**", "__x__", "~~x~~", "[x](y)", "![x](y)", "[^1]", "[ ] todo"),
    *("<b>x</b>", "<!-- x", "&lt;", "&amp;lt;", "<http://a.example>", "</span>", "\\", "\\$x$", "\\:x:"),
    *("# h", "- x", "+ x", "* x", "1. x", "1) x", "2400. x", "> x", "---", "===", "    code", "| x |"),
    *("C[C@@H](O)C#N", "[Na+].[Cl-]", "C/C=C\\C", "best_yield by task>=0.4: 0.123 [0.1 to 0.2]"),
]
MEANT = re.compile(
    r"\$.*\$|:[\w+-]+:|@\w|#\d|\bgh-\d|(https?|ftp)://|www\.|(mailto|xmpp):\S|\b[0-9a-f]{7,40}\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("place", ["| {} |\n|---|\n| x |", "- {}", "Measured against {}.", "{}"])
def test_github_shows_and_copies_what_was_typed(hostile: str, place: str) -> None:
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = reader.parse(place.format(escaped(hostile)))
    (first, *_) = (each for each in tokens if each.type == "inline")
    parts = first.children or []
    # What is not text is a tag that only keeps text apart; GitHub looks at each text alone.
    assert {each.content for each in parts if each.type != "text"} <= {"<span>", "</span>"}
    texts = [each.content for each in parts if each.type == "text"]
    assert not [text for text in texts if MEANT.search(text)]
    expected = hostile if place != "Measured against {}." else f"Measured against {hostile}."
    assert "".join(texts) == expected
    wanted = {"|": "th_open", "-": "list_item_open"}.get(place[0], "paragraph_open")
    assert wanted in {each.type for each in tokens}
    assert not {"code_block", "hr", "heading_open", "html_block", "blockquote_open"} & {
        t.type for t in tokens
    }
    assert sum(each.type in ("bullet_list_open", "ordered_list_open") for each in tokens) == (place[0] == "-")


@pytest.mark.parametrize(
    "hostile", ["<script>x</script>", "a|b", "[x](javascript:1)", "# h", "a\n\n# h", "`x`"]
)
def test_names_of_others_are_text(tmp_path: Path, hostile: str) -> None:
    text = "\n".join(job_summary(facts(tmp_path, model=hostile), {}))
    assert not any(part in text for part in ("<script>", "[x](", "\n# h"))
    (row,) = (line for line in text.splitlines() if "| conditions |" in line)
    assert row.replace("\\|", "").count("|") == 12


def test_it_is_appended_and_never_larger_than_shown(tmp_path: Path) -> None:
    file = tmp_path / "step.md"
    file.write_text("before\n")
    append_job_summary(file, ["one", "two"])
    assert file.read_text() == "before\none\ntwo\n"
    append_job_summary(file, ["three", "x" * LIMIT, "four"])
    text = file.read_text()
    assert ("three" in text, "four" in text) == (True, False)
    assert "The rest is larger than GitHub shows" in text
    for more in ("é" * (LIMIT // 2 - 100), *["y" * 60_000] * 20):
        append_job_summary(file, [more])
        assert file.stat().st_size <= LIMIT
    # The file is named by GitHub alone.
    assert job_summary_file({}) is None
    assert job_summary_file({"GITHUB_STEP_SUMMARY": ""}) is None
    assert job_summary_file({"GITHUB_STEP_SUMMARY": "/x"}) == Path("/x")


def test_a_run_without_scores_has_no_mean(tmp_path: Path) -> None:
    found = facts(tmp_path)
    fault = {"stage": "model", "kind": "timeout", "message": "too long"}
    nothing = summary_of(
        record_of(case_id=str(number), scores=None, execution=None, infrastructure_error=fault, passed=False)
        for number in range(20)
    )
    empty = replace(found, mean=replace(found.mean, value=None, low=None, high=None, n=0), summary=nothing)
    text = "\n".join(job_summary(empty, {}))
    assert "Mean F1 **n/a** over 0 cases" in text
    assert "**Incomplete**: 20 cases" in text
