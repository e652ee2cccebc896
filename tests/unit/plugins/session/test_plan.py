"""The plan of a session: cases, options, the response cache, missing inputs, and the key of its run."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from support.options import options_of
from support.suite import CHECKOUT

from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.graph.compact import DEFAULT_GRAPH
from retrocypher.kg.graph.passages import graph_fingerprint
from retrocypher.kg.questions.question import Question, paraphrases_of, setting_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.secrets import without_password
from retrocypher.kg.server import open as server
from retrocypher.plugins.analysis.summary import Usage
from retrocypher.plugins.runs.manifest import MadeOnce
from retrocypher.plugins.runs.resume import RunKey, differences
from retrocypher.plugins.scoring import answer_check
from retrocypher.plugins.scoring.answer_check import passage_search, require_passages
from retrocypher.plugins.session.cases import cases_of
from retrocypher.plugins.session.manifest import open_graph
from retrocypher.plugins.session.options import read_options, require_local_workers
from retrocypher.plugins.session.plan import answers_file, answers_line, resolve
from retrocypher.plugins.session.run_key import code_files, code_sha256, library_versions, run_key
from retrocypher.prompts.answering.writing import Limits
from retrocypher.prompts.models.open import contents_of
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


def test_defaults_are_the_contract() -> None:
    options = options_of()
    assert (options.prompt, options.shot, options.model) == (("P5", "P10"), ("1S-D-S",), ())
    assert (options.graph, options.sample) == ("auto", None)
    assert (options.query_timeout, options.case_threshold, options.seed) == (30.0, 1.0, 0)


def test_commas_and_repetition_are_alike_but_a_model_keeps_its_commas() -> None:
    assert options_of(prompt=["P8,P5", "P5"]).prompt == ("P8", "P5")
    mutant = "mutant:reverse_arrow,drop_component"
    assert options_of(model=[mutant]).model == (mutant,)


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
        options_of(**{name: value})


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
    assert options_of(graph=uri).redacted().graph == shown


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


ELSEWHERE = ("--tx=ssh=far", "--tx=2*socket=far", "--tx=popen//chdir=x", "--px=id=p//ssh=far", "--rsyncdir=.")


@pytest.mark.parametrize("option", ELSEWHERE)
def test_workers_elsewhere_are_refused(pytester: pytest.Pytester, option: str) -> None:
    require_local_workers(pytester.parseconfig("--tx=2*popen//python=python3", "--tx=popen"))
    with pytest.raises(InputError, match="run a shard on each"):
        require_local_workers(pytester.parseconfig("--tx=popen", option))


ASKED = [parse_spec("oracle"), parse_spec("gpt-x")]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_check, "build_passages", lambda: tmp_path)
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.chdir(tmp_path)


def file_of(*, models: int = 2, **given: object) -> Path | None:
    return answers_file(options_of(**given), ASKED[:models])


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


def test_unanswerable_questions_need_no_encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setattr("retrocypher.prompts.templates.encoder.extra_installed", lambda: False)
    plan = resolve(options_of(task=["unanswerable"], model=["oracle"]))
    assert plan.shots == ("1S-D-S",)
    assert sum(each.task == "unanswerable" for each in plan.questions) == 200


def test_a_context_of_rows_alone_has_no_search() -> None:
    with passage_search("rows", None, Limits()) as search:
        assert search is None


@pytest.mark.usefixtures("cache")
def test_questions_of_another_graph_start_no_server(
    monkeypatch: pytest.MonkeyPatch, logged: list[str]
) -> None:
    monkeypatch.setattr(server, "LocalEngine", lambda: SimpleNamespace(kind="local", store_key="5"))
    questions = replace(load_questions(), fingerprint="0" * 64)
    with pytest.raises(InputError, match=r"which is not the shipped one.*--graph DIR"):
        open_graph("local", questions)
    assert logged == []


@pytest.mark.usefixtures("cache")
def test_a_folder_of_another_graph_or_of_none_starts_no_server(tmp_path: Path, logged: list[str]) -> None:
    questions = replace(load_questions(), fingerprint="0" * 64)
    with pytest.raises(InputError, match=r"questions build --graph \S*graph --out.*--questions"):
        open_graph(str(DEFAULT_GRAPH), questions)
    with pytest.raises(InputError, match=r"absent/graph holds no graph: manifest\.json is missing"):
        open_graph(str(tmp_path / "absent" / "graph"), questions)
    with pytest.raises(InputError, match=r"--graph or --server grpah: expected auto, .* folder of a graph"):
        open_graph("grpah", questions)
    assert logged == []


def test_a_folder_is_loaded_into_a_server_of_any_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(spec: str, **_: object) -> None:
        asked.append(spec)
        raise GraphError("no server")

    monkeypatch.setattr("retrocypher.plugins.session.manifest.open_server", refuse)
    with pytest.raises(GraphError, match="no server"):
        open_graph(str(DEFAULT_GRAPH), load_questions())
    assert asked == ["auto"]


PACKAGE = CHECKOUT / "src" / "retrocypher"
EVERYWHERE = {"arguments": ["benchmarks"]}


def key_of(*, selection: dict[str, Any] | None = None, **given: Any) -> RunKey:
    options = {"model": ["oracle"], "sample": "3", "prompt": ["P5"], "shot": ["ZS"], **given}
    plan = resolve(options_of(**options), {"OPENAI_API_KEY": "k"})
    return run_key(plan, selection or EVERYWHERE, contents_of(plan.models))


@pytest.mark.parametrize(
    "given",
    [
        {"run_dir": "elsewhere"},
        {"cache": "mine.sqlite"},
        {"concurrency": "1"},
        {"ledger": True},
        {"graph": "bolt://localhost:7687"},
        {"fresh": True},
        {"validator": "both"},
    ],
)
def test_what_decides_no_record_is_not_in_the_key(given: dict[str, Any]) -> None:
    assert key_of(**given).sha256 == key_of().sha256


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"sample": "4"}, "questions"),
        ({"phrasing": ["2"]}, "questions"),
        ({"seed": "1"}, "seed"),
        ({"prompt": ["P4"]}, "prompts"),
        ({"prompt_set": "guided"}, "prompt_set"),
        ({"static_exemplar": ["co-reactant-identification"]}, "exemplars"),
        ({"shot": ["1S-S"]}, "shots"),
        ({"model": ["other=oracle"]}, "models"),
        ({"model": ["mutant"]}, "models"),
        ({"loop": ["guarded"]}, "loops"),
        ({"query_timeout": "5"}, "query_timeout"),
        ({"case_threshold": "0.5"}, "case_threshold"),
        ({"selection": {"arguments": ["benchmarks"], "keyword": "precursors"}}, "selection"),
    ],
)
def test_what_decides_records_is(given: dict[str, Any], part: str) -> None:
    differing = differences(key_of().parts, key_of(**given).parts)
    assert part in {each.split(" ")[0] for each in differing}


def test_the_order_of_what_is_asked_for_changes_nothing() -> None:
    one = key_of(model=["oracle", "mutant"], prompt=["P4,P5"], shot=["ZS,1S-S"])
    assert one.sha256 == key_of(model=["mutant", "oracle"], prompt=["P5", "P4"], shot=["1S-S", "ZS"]).sha256


def test_a_file_counts_by_its_content(tmp_path: Path) -> None:
    def key_with(name: str, query: str) -> RunKey:
        line = json.dumps({"question_id": "precursors-001", "cypher": query}) + "\n"
        (tmp_path / name).write_text(line)
        return key_of(model=[f"m=file:{tmp_path / name}"], sample=None, task=["precursors"])

    first = key_with("a.jsonl", "RETURN 1")
    assert key_with("b.jsonl", "RETURN 1").sha256 == first.sha256
    assert differences(first.parts, key_with("b.jsonl", "RETURN 2").parts) == ["models"]


def test_the_address_of_an_api_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    first = key_of(model=["gpt-x"])
    monkeypatch.setenv("OPENAI_BASE_URL", "https://user:secret@example.org/v1")
    second = key_of(model=["gpt-x"])
    assert differences(first.parts, second.parts) == ["models"]
    assert second.parts["models"]["gpt-x"]["api"] == "example.org/v1"
    assert "secret" not in json.dumps(second.parts)


def test_a_difference_is_told_by_name_and_by_value_where_that_is_short() -> None:
    before = {"seed": 0, "code": "a" * 64, "graph": "g", "loops": {"none": None}}
    now = {"seed": 1, "code": "b" * 64, "graph": "g", "shard": "1/2"}
    found = ["seed (0 there, 1 here)", "code", 'loops ({"none":null} there, null here)']
    assert differences(before, now) == [*found, 'shard (null there, "1/2" here)']
    assert differences(before, before) == []


def test_code_counts_and_what_reads_runs_does_not(tmp_path: Path) -> None:
    def write(*names: str) -> str:
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(f"{name}, {len(names)}")
        return code_sha256(tmp_path)

    first = write("kg/_a.py", "prompts/words.yaml", "plugins/scoring/_b.py")
    apart = ("kg/data/graph/reactions.csv", "plugins/analysis/_c.py", "kg/notes.bak", "kg/.#a.py")
    assert write(*apart, "kg/__pycache__/_a.py") == first
    second = write("prompts/words.yaml")
    assert second != first
    (tmp_path / "kg/_a.py").rename(tmp_path / "kg/_b.py")
    assert code_sha256(tmp_path) not in (first, second)


def test_the_code_of_this_checkout() -> None:
    names = {file.relative_to(PACKAGE).as_posix() for file in code_files()}
    counted = ("plugins/scoring/score.py", "kg/semantics/reader.py", "prompts/models/prices.yaml")
    assert names >= {*counted, "fixtures/case.py", "benchmarks/test_single_step.py"}
    apart = ("plugins/cli/main.py", "prompts/templates/paper/P5.md", "prompts/templates/single_step.yaml")
    assert not names & {*apart, "kg/data/questions/multi_step.jsonl", "benchmarks/speed/conftest.py"}


def test_what_stands_apart_is_there() -> None:
    listed = yaml.safe_load((PACKAGE / "plugins" / "session" / "code.yaml").read_text())
    assert [name for name in (*listed["folders"], *listed["apart"]) if not list(PACKAGE.glob(name))] == []
    assert set(listed["libraries"]) == set(library_versions())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"metrics": ("exx",)}, "--metrics exx: no such metric; choose from ex, psjs"),
        ({"metrics": ("ex",), "graph": "none"}, "with --graph none there is no graph"),
        ({"cypherbench_compat": True}, "--cypherbench-compat: it changes ex and psjs; add --metrics"),
    ],
)
def test_metrics_that_cannot_be_measured_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        resolve(options_of(model=("oracle",), **given), {})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"temperature": 0.7}, "--temperature 0.7: it changes the completions of local, gguf, openai models"),
        ({"top_p": 0.9}, "--top-p 0.9: "),
        ({"max_tokens": 9}, "--max-tokens 9: "),
        (
            {"model": ("local",), "extra_body": '{"top_k": 2}'},
            "of openai models only, and this run asks none",
        ),
        (
            {"extra_body": '{"temperature": 1}'},
            "temperature has an option of its own. Set it with --temperature",
        ),
        ({"extra_body": '{"seed": 1}'}, "Set it with --seed"),
    ],
)
def test_parameters_of_completions_without_effect_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        resolve(options_of(**{"model": ("oracle",), **given}), {"OPENAI_API_KEY": "any"})


def test_parameters_of_completions_may_be_those_of_a_loop_alone() -> None:
    plan = resolve(options_of(model=("mutant",), loop=("cove",), temperature=0.7), {"OPENAI_API_KEY": "any"})
    assert plan.sampling == {"temperature": 0.7}
