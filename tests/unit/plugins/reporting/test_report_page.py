"""The page says what the summary and the statistics say, safely, and nothing else."""

import base64
import errno
import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from support.records import key_score, ledger_of, write_run
from support.reported import GOOD, MANIFEST, Read, a_run, answered, some_questions

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.comparison import compare
from retrocypher.plugins.analysis.scores import ScoreTable, metric_validity, slice_boxes, slice_means
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.reporting.html.rendering import environment, visible
from retrocypher.plugins.reporting.html.report import Rendered, build_report, shrink_to_fit
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Record, Round

UNREACHABLE = {"stage": "model", "kind": "unreachable", "message": "no route"}


def page(*runs: Path, most: int = 5_000) -> Read:
    out = runs[0] / "report.html"
    build_report(runs, out, most=most)
    return Read(out.read_text("utf-8"))


def table_of(run: Path) -> ScoreTable:
    return ScoreTable(RunLog(run).records(), RunLog(run).clusters)


def not_run(question: Question) -> Record:
    return answered(question, False, scores=None, execution=None, errors=[], infrastructure_error=UNREACHABLE)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_run(tmp_path_factory.mktemp("report") / "run")


@pytest.fixture(scope="module")
def read(run: Path) -> Read:
    """The page of that run."""
    return page(run)


def test_every_row_of_the_table_is_that_of_the_summary(run: Path, read: Read) -> None:
    means = slice_means(table_of(run), ("shot", "task"))
    ends = {
        (each.slice["shot"], each.slice["task"]): f"[{each.mean.low:.3f}, {each.mean.high:.3f}]"
        for each in means
    }
    found: list[list[str]] = []
    group = ""
    for row in read.rows:
        group = row[0] if len(row) == 1 else group
        if len(row) == 10 and " × " in group and row[0] != "all":
            found.append([group, *row])
    cells = to_builtins(summary_of(RunLog(run).records()).run_summary())["cells"]
    assert len(found) == len(cells) == 20
    for row, cell in zip(found, cells, strict=True):
        assert row[0] == f"{cell['prompt']} × {cell['shot']}"
        assert row[1] == cell["task"].replace("_", " ")
        assert [row[2], *row[5:7]] == [f"{cell['means'][name]:.3f}" for name in ("f1", "precision", "recall")]
        assert row[3] == ends[cell["shot"], cell["task"]]
        assert row[7:] == [str(cell[n]) for n in ("cases", "passed", "failed", "infrastructure_errors")]


def test_headline_boxes_and_correlations_are_those_of_the_statistics(run: Path, read: Read) -> None:
    table = table_of(run)
    (mean,) = slice_means(table)
    assert f"{mean.mean.value:.3f} mean F1" in read.text
    assert f"[{mean.mean.low:.3f}, {mean.mean.high:.3f}]" in read.text
    assert "shot: 1S-D-S against ZS" in read.text
    labels = [
        attributes["aria-label"]
        for _, attributes in read.tags
        if (attributes.get("class") or "").startswith("mark box")
    ]
    assert sorted(labels) == sorted(
        f"median {each.box.median:.3f}, quartiles {each.box.q1:.3f} to {each.box.q3:.3f}, whiskers "
        f"{each.box.whisker_low:.3f} to {each.box.whisker_high:.3f}, mean {each.box.mean:.3f}"
        for each in slice_boxes(table, ("task", "prompt", "shot"))
    )
    bleu = next(metric_validity(table, metrics=("bleu",)))
    row = next(row for row in read.rows if row[:2] == ["BLEU", "all"])
    assert row[2:4] == [str(len(table)), f"{bleu.pearson.value:+.3f}"]


def test_keys_have_a_table_of_their_own(read: Read, tmp_path: Path) -> None:
    assert not any(row[:1] == ["Key"] for row in read.rows)
    questions = some_questions()
    records = [
        answered(
            q, True, scores={**GOOD, "per_key": {"agents": key_score(n % 2), "solvents": key_score(None)}}
        )
        for n, q in enumerate(questions)
    ]
    run = write_run(tmp_path / "run", records, questions, dict(MANIFEST))
    (mean,) = slice_means(ScoreTable(records, RunLog(run).clusters, ("f1[agents]",)), (), ("f1[agents]",))
    rows = page(run).rows
    at = next(place for place, row in enumerate(rows) if row[:1] == ["Key"])
    assert rows[at][1:3] == ["F1", "95 % interval"]
    ends = f"[{mean.mean.low:.3f}, {mean.mean.high:.3f}]"
    assert [*rows[at + 1][:3], *rows[at + 1][4:]] == ["agents", "0.500", ends, "0.500", "0.500", "60"]
    assert rows[at + 2][:1] != ["solvents"]


def test_several_runs_are_compared_with_the_first(run: Path, tmp_path: Path) -> None:
    better = [
        answered(q, bool(n % 4), shot=s) for s in ("ZS", "1S-D-S") for n, q in enumerate(some_questions())
    ]
    b = write_run(tmp_path / "b", better, some_questions(), dict(MANIFEST))
    found = compare(table_of(run), table_of(b)).overall
    row = next(row for row in page(run, b).rows if len(row) == 13 and row[0] == "all")
    assert row[1] == str(found.difference.n)
    assert row[4] == f"{found.difference.value:+.3f}".replace("-", "\N{MINUS SIGN}")
    assert row[7:10] == [str(found.wins), str(found.losses), str(found.ties)]
    assert row[12] == found.verdict.value


def test_shots_are_compared_within_each_model(tmp_path: Path) -> None:
    questions = some_questions()
    records = [
        answered(q, bool((n + len(shot)) % (2 if model == "one" else 3)), shot=shot, model=model)
        for model in ("one", "two")
        for shot in ("ZS", "1S-D-S")
        for n, q in enumerate(questions)
    ]
    models = [{"label": label, "kind": "mutant", "argument": ""} for label in ("one", "two")]
    run = write_run(tmp_path / "run", records, questions, {**MANIFEST, "models": models})
    text = page(run).text
    for model in ("one", "two"):
        assert f"shot: 1S-D-S against ZS {model}" in text
        of = [each for each in records if each.model == model]
        tables = [
            ScoreTable([each for each in of if each.shot == shot], RunLog(run).clusters)
            for shot in ("ZS", "1S-D-S")
        ]
        found = compare(*tables).overall
        # One comparison of each model, and none of both together.
        assert len(re.findall(rf"\b{found.difference.n} pairs", text)) == 2
    # Models are compared over all that they were asked with, which is said.
    assert "model: two against one" in text
    assert "Pooled over 2 shots." in text


def test_what_could_not_be_run_is_no_failure(tmp_path: Path) -> None:
    questions = some_questions(1)
    records = [answered(questions[0], False), *map(not_run, questions[1:])]
    manifest = {"exit_status": 16, "cases": len(records)}
    read = page(write_run(tmp_path / "run", records, questions, manifest))
    assert "1 case failed" in read.text
    assert "Partial results: incomplete" in read.text
    assert any(row[:2] == ["model unreachable", "9"] and "no route" in row[2] for row in read.rows)
    # Where nothing could be asked there are no empty parts.
    read = page(write_run(tmp_path / "none", map(not_run, questions), questions, {"exit_status": 16}))
    assert "Distribution of F1" not in read.text
    assert ("href", "#boxes") not in [each for _, attributes in read.tags for each in attributes.items()]


def test_navigation_names_the_headings_in_their_order(run: Path, read: Read) -> None:
    html = (run / "report.html").read_text("utf-8")
    named = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a>', html)
    assert named == re.findall(r'<section id="([^"]+)"[^>]*>\s*<h2[^>]*>([^<]+)</h2>', html)
    ids = [name for name, _ in named]
    assert ids.index("failed") < ids.index("costly")


@pytest.mark.parametrize(("wrong", "shares"), [(0.0, True), (0.5, False)])
def test_scores_of_0_and_1_are_shown_as_shares(tmp_path: Path, wrong: float, shares: bool) -> None:
    questions = some_questions(20)
    bad = {**GOOD, "f1": wrong}
    records = [answered(q, bool(n % 4), scores=GOOD if n % 4 else bad) for n, q in enumerate(questions)]
    read = page(write_run(tmp_path / "run", records, questions, dict(MANIFEST)))
    labels = [attributes.get("aria-label") or "" for tag, attributes in read.tags if tag == "svg"]
    assert labels.count("cases by F1: F1 1: 15, between: 0, F1 0: 5") == (10 if shares else 0)
    assert any(label.startswith("median") for label in labels) != shares


def test_a_tenth_between_still_makes_shares_and_more_does_not(tmp_path: Path) -> None:
    questions = some_questions(20)
    some = {"precursors": 2, "conditions": 3}
    left = {question.task: some.get(question.task, 0) for question in questions}
    records = []
    for question in questions:
        between = left[question.task] > 0
        left[question.task] -= between
        records.append(answered(question, not between, scores={**GOOD, "f1": 0.5 if between else 1.0}))
    read = page(write_run(tmp_path / "run", records, questions, dict(MANIFEST)))
    labels = [attributes.get("aria-label") or "" for tag, attributes in read.tags if tag == "svg"]
    assert labels.count("cases by F1: F1 1: 18, between: 2, F1 0: 0") == 1
    assert sum(label.startswith("median") for label in labels) == 1


def test_a_run_of_records_alone_is_reported(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    for name in ("manifest.json", "questions.jsonl", "messages.jsonl"):
        (run / name).unlink()
    text = page(run).text
    assert "This run has no manifest" in text


def test_a_long_list_takes_some_of_each_kind(tmp_path: Path) -> None:
    questions = some_questions()
    records = [answered(q, False, shot=s) for s in ("ZS", "1S-S", "1S-D-R", "1S-D-S") for q in questions]
    records.append(answered(questions[0], False, shot="1S-D-S", prompt="P4", errors=["timeout"]))
    run = write_run(tmp_path / "run", records, questions, dict(MANIFEST))
    read = page(run, most=22)
    rows = [attributes for tag, attributes in read.tags if tag == "tr" and "data-k" in attributes]
    assert len(rows) == 22
    assert "22 of them are listed" in read.text
    assert any("timeout" in row for row in read.rows if len(row) > 3)


def test_what_cannot_be_reported_is_said_in_one_line(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    with pytest.raises(InputError, match="named twice"):
        build_report([run, run], tmp_path / "x.html", most=9)
    with pytest.raises(InputError, match="cannot be written"):
        build_report([run], tmp_path / "no" / "x.html", most=9)
    empty = write_run(tmp_path / "empty", [])
    with pytest.raises(InputError, match="no case on record"):
        build_report([empty], tmp_path / "x.html", most=9)
    (run / "records.jsonl").write_text((run / "records.jsonl").read_text() * 2)
    with pytest.raises(InputError, match="twice"):
        build_report([run], tmp_path / "x.html", most=9)


def test_loops_are_told_as_the_ledger_tells_them(tmp_path: Path) -> None:
    scores = {"f1": 0.0, "precision": 0.0, "recall": 0.0, "row_f1": None, "focus_f1": None}
    result = {"status": "ok", **scores, "passed": False, "errors": ["path_length"]}
    called = {"tokens": {"prompt": 9}, "time_s": 1.0}
    rounds = [
        Round("generator", "h", "A", "A", findings=[{"result": result}], **called),
        Round("corrector", "h", "B", "B", "taken", **called),
    ]
    questions = some_questions()
    records = [answered(q, bool(n % 3), loop="cove", rounds=rounds) for n, q in enumerate(questions)]
    run = write_run(tmp_path / "run", records, questions, dict(MANIFEST))
    (entry,) = ledger_of(RunLog(run).records(), RunLog(run).clusters)
    read = page(run)
    row = next(row for row in read.rows if row[:1] == ["all"] and len(row) == 8)
    names = ("cases", "repaired", "broken", "unchanged_right", "unchanged_wrong")
    assert row[1:6] == [str(getattr(entry, name)) for name in names]
    assert row[6] == f"{entry.repair_rate.value:.3f}"
    assert f"{entry.calls} calls, {entry.tokens} tokens" in read.text


def test_a_full_disk_is_said_and_leaves_the_report_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(tmp_path / "run")
    page(run)
    before = (run / "report.html").read_bytes()

    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="No space left on device"):
        page(run)
    assert (run / "report.html").read_bytes() == before
    assert len([*(run / "report-cases").glob("*.html")]) > 10
    assert not (run / "report-cases.new").exists()


FINISHED = {
    "models": [{"label": "m", "kind": "openai", "argument": "gpt-x"}],
    "started": "2026-01-02T03:04:05+00:00",
    "ended": "2026-01-02T05:06:05+00:00",
    "prices": {"as_of": "2026-01"},
    "graph": {"kind": "local", "version": "5.26.30", "fingerprint": "f" * 64},
    "git": {"commit": "c" * 40, "changed": True},
}
SERVED = [{"model": "gpt-x-2026", "system_fingerprint": "fp", "answers": 120}]


@pytest.mark.parametrize(
    ("asked", "from_cache", "cost", "words"),
    [
        (120, 20, 1.5, "120 requested, 20 from the cache, 1.50 USD at list prices of 2026-01"),
        (10, 0, None, "10 requested, 0 from the cache"),
        (0, 10, None, "0 requested, 10 from the cache"),
    ],
)
def test_the_manifest_is_told_in_words(
    tmp_path: Path, asked: int, from_cache: int, cost: float | None, words: str
) -> None:
    (question, *_) = some_questions(1)
    answers = {"asked": asked, "from_cache": from_cache, "cost": cost, "by_model": {"m": {"served": SERVED}}}
    manifest = {**MANIFEST, **FINISHED, "answers": answers}
    text = page(write_run(tmp_path, [answered(question, True)], [question], manifest)).text
    for part in (
        "2 January 2026, 03:04 UTC, 2 h 2 min",
        "m (gpt-x)",
        words,
        "gpt-x-2026",
        "Neo4j 5.26.30, local, fingerprint ffffffffffff",
        "commit cccccccccccc, with changes",
    ):
        assert part in text
    assert ("at list prices" in text) == (cost is not None)


def test_a_run_that_is_named_after_its_model_is_named_once_in_the_headline(tmp_path: Path) -> None:
    runs = [a_run(tmp_path / name, model=model) for name, model in (("one", "one"), ("two", "three"))]
    html = build_report(runs, tmp_path / "report.html", most=9).page.read_text("utf-8")
    headline = html.partition('id="headline"')[2].partition("</section>")[0]
    assert re.findall(r"<h[34]>(.*?)</h[34]>", headline) == ["one", "two", "three"]


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
    fields = {"options": {text: text}, "models": [{"label": text, "argument": text}], "api": text}
    run = write_run(folder / "run", [record], [question], {**MANIFEST, **fields})
    build_report([run], run / "report.html", most=9)
    return (run / "report.html").read_text("utf-8")


def shape(html: str) -> list[tuple[str, list[str]]]:
    return [(tag, sorted(attributes)) for tag, attributes in Read(html).tags]


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
    ((tag, found),) = Read(html).tags
    assert tag == "p"
    assert (found["title"] or "") == visible(text)


def test_the_policy_allows_the_pages_own_script_and_style_alone(tmp_path: Path) -> None:
    html = page_with(tmp_path, "plain")
    metas = [attributes for tag, attributes in Read(html).tags if tag == "meta"]
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
