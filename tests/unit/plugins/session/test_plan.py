"""The plan of a session: cases, options, the response cache and missing inputs."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from support.options import FakeConfig
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import graph_fingerprint
from retrocypher.kg.questions.question import Question, paraphrases_of, setting_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.secrets import without_password
from retrocypher.kg.server import open as server
from retrocypher.plugins.analysis.summary import Usage
from retrocypher.plugins.runs.manifest import MadeOnce
from retrocypher.plugins.scoring import answer_check
from retrocypher.plugins.scoring.answer_check import passage_search, require_passages
from retrocypher.plugins.session.manifest import open_graph
from retrocypher.plugins.session.options import Options, read_options
from retrocypher.plugins.session.plan import answers_file, answers_line, cases_of
from retrocypher.prompts.answering.writing import Limits
from retrocypher.prompts.models.spec import parse_spec

COUNTS = st.integers(1, 3)


def question(number: int, task: str = "precursors") -> Question:
    slots = {"target": "C", "steps": 2}
    steps = 1 if task == "precursors" else 2
    name = f"{task}-{number:03}"
    return Question(name, task, setting_of(task), steps, "?", slots, "RETURN 1", [], "C", False)


def test_an_id_says_question_wording_prompt_shot_loop_and_model() -> None:
    cases = [*cases_of("single_step", [question(7)], [1, 2], ["P5"], ["1S-D-S"], ["none", "cove"], ["m"])]
    assert {case.id: (case.phrasing, case.loop, case.question.text) for case in cases} == {
        f"precursors-007{wording}-P5-1S-D-S-{loop}-m": (phrasing, loop, text)
        for loop in ("none", "cove")
        for phrasing, wording, text in (
            (1, "", "?"),
            (2, "-w2", paraphrases_of("precursors").text({"target": "C"}, 2)),
        )
    }
    assert repr(cases[0]) == cases[0].id


@given(st.integers(0, 5), COUNTS, COUNTS, st.integers(1, 4), COUNTS, COUNTS)
def test_every_combination_comes_once(
    questions: int, phrasings: int, prompts: int, shots: int, loops: int, models: int
) -> None:
    asked = [question(n) for n in range(questions)] + [question(n, "intermediates") for n in range(3)]
    cases = list(
        cases_of(
            "single_step",
            asked,
            range(1, phrasings + 1),
            [f"P{n}" for n in range(1, prompts + 1)],
            ["ZS", "1S-S", "1S-D-R", "1S-D-S"][:shots],
            [f"l{n}" for n in range(loops)],
            [f"m{n}" for n in range(models)],
        )
    )
    assert len({case.id for case in cases}) == len(cases)
    assert len(cases) == questions * phrasings * prompts * shots * loops * models
    assert all(case.question.setting == "single_step" for case in cases)


def read(command_line: dict[str, object], settings: dict[str, object] | None = None) -> Options:
    return read_options(FakeConfig(command_line, settings))  # type: ignore[arg-type]


def test_defaults_are_the_contract() -> None:
    options = read({})
    assert (options.prompt, options.shot, options.model) == (("P5", "P10"), ("1S-D-S",), ())
    assert (options.graph, options.sample) == ("auto", None)
    assert (options.query_timeout, options.case_threshold, options.seed) == (30.0, 1.0, 0)


def test_commas_and_repetition_are_alike_but_a_model_keeps_its_commas() -> None:
    assert read({"prompt": ["P8,P5", "P5"]}).prompt == ("P8", "P5")
    mutant = "mutant:reverse_arrow,drop_component"
    assert read({"model": [mutant]}).model == (mutant,)


def test_the_command_line_wins_over_pyproject() -> None:
    options = read({"sample": "5"}, {"sample": "7", "seed": "3"})
    assert (options.sample, options.seed) == (5, 3)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("sample", "ten", "--sample ten: not a whole number; give one of at least 1"),
        ("sample", "0", "--sample 0: out of range; give a number of at least 1"),
        ("case_threshold", "100%", "--case-threshold 100%: not a number; give one from 0 to 1"),
        ("seed", "-1", "--seed -1: out of range"),
        ("query_timeout", "0", "--query-timeout 0: out of range"),
        ("query_timeout", "nan", "--query-timeout nan: out of range"),
        ("query_timeout", "inf", "--query-timeout inf: out of range"),
        ("case_threshold", "1.5", "--case-threshold 1.5: out of range"),
        ("concurrency", "0", "--concurrency 0: out of range"),
    ],
)
def test_a_bad_number_is_refused_by_name(name: str, value: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read({name: value})


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("bolt://neo4j:secret@localhost:7687", "bolt://neo4j:***@localhost:7687"),
        ("neo4j+s://user:p@ss@host/x", "neo4j+s://user:***@host/x"),
        ("bolt://localhost:7687", "bolt://localhost:7687"),
        ("auto", "auto"),
    ],
)
def test_a_password_is_blotted_out(uri: str, shown: str) -> None:
    assert without_password(uri) == shown
    assert read({"graph": uri}).to_json()["graph"] == shown


PAGE = CHECKOUT / "docs" / "running.md"


def test_the_settings_of_the_page_are_read(pytester: pytest.Pytester) -> None:
    (settings,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    pytester.makepyprojecttoml(settings)
    pytester.plugins = ["retrocypher.plugins.pytest_plugin"]
    options = read_options(pytester.parseconfig())
    assert options.prompt == ("P8", "P10")
    assert options.shot == ("all",)
    assert options.model == ("mini=gpt-4.1-mini-2025-04-14",)
    assert (options.sample, options.query_timeout) == (50, 5.0)
    assert read_options(pytester.parseconfig("--sample=7")).sample == 7


ASKED = [parse_spec("oracle"), parse_spec("gpt-x")]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_check, "build_passages", lambda: tmp_path)
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.chdir(tmp_path)


def file_of(*, models: int = 2, **given: object) -> Path | None:
    return answers_file(read_options(FakeConfig(given)), ASKED[:models])  # type: ignore[arg-type]


@pytest.mark.usefixtures("cache")
def test_where_completions_are_cached(tmp_path: Path) -> None:
    assert file_of() == tmp_path / "answers.sqlite"
    assert file_of(cache="~/a.sqlite") == Path("/home/me/a.sqlite")
    assert file_of(cache="./none") == tmp_path / "none"
    assert file_of(cache="none") is None
    assert file_of(models=1) is None
    assert file_of(models=1, cache="none", offline=True) is None
    with pytest.raises(InputError, match="--offline --cache none: then there are no answers"):
        file_of(cache="none", offline=True)


@pytest.mark.usefixtures("cache")
def test_a_replay_uses_the_cache_if_there_is_one(tmp_path: Path) -> None:
    replay = {"offline": True, "replay": ["run"]}
    assert file_of(**replay) is None
    assert file_of(**replay, cache="none") is None
    assert file_of(**replay, cache="a") == tmp_path / "a"
    (tmp_path / "answers.sqlite").touch()
    assert file_of(**replay) == tmp_path / "answers.sqlite"


@pytest.mark.usefixtures("cache")
def test_no_folder_for_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").touch()
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path / "a" / "b"))
    with pytest.raises(
        InputError, match=r"a/b/answers\.sqlite cannot be made .*RETROCYPHER_CACHE.*--cache none"
    ):
        file_of()


def test_the_line_counts_what_was_asked() -> None:
    made = MadeOnce(time_s=1.0)
    usage = Usage()
    usage.add_once([made, structs.replace(made, cached=True)])
    assert answers_line(usage, Path("a")) == "answers: 1 asked, 1 from the cache"
    assert answers_line(usage, None) == "answers: 1 asked, none kept (--cache none)"
    assert answers_line(usage, None, replayed=True) == "answers: 1 asked, 1 from records or the cache"
    assert answers_line(Usage(), Path("a")) == ""


@pytest.mark.usefixtures("cache")
def test_passages_come_with_the_default_graph_online(monkeypatch: pytest.MonkeyPatch) -> None:
    for context in ("hybrid", "hybrid-lexical"):
        with pytest.raises(InputError, match="passages come with the default graph alone"):
            require_passages(context, "tiny", "0" * 64)
    require_passages("hybrid-lexical", None, graph_fingerprint())
    monkeypatch.setattr(answer_check, "is_offline", lambda: True)
    with pytest.raises(InputError, match="run once: retrocypher passages build"):
        require_passages("hybrid-lexical", None, graph_fingerprint())


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("installed", "said"), [(False, "or take --answer-context hybrid-lexical"), (True, "build --vectors")]
)
def test_missing_vectors(monkeypatch: pytest.MonkeyPatch, installed: bool, said: str) -> None:
    monkeypatch.setattr(answer_check, "extra_installed", lambda: installed)
    with pytest.raises(InputError, match=said):
        require_passages("hybrid", "tiny", graph_fingerprint())


def test_a_context_of_rows_alone_has_no_search() -> None:
    with passage_search("rows", None, Limits()) as search:
        assert search is None


@pytest.mark.usefixtures("cache")
def test_questions_of_another_graph_start_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LocalEngine", lambda announce: SimpleNamespace(kind="local", store_key="5"))
    questions = replace(load_questions(), fingerprint="0" * 64)
    said: list[str] = []
    with pytest.raises(InputError, match=r"which is not the shipped one.*graph up --graph DIR` first"):
        open_graph("local", questions, said.append)
    assert said == []
