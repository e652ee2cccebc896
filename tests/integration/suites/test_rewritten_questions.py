"""``retrocypher suite generate --rewrite``: through a scripted API, resumed, refused, interrupted."""

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.interrupts import heed_interrupts
from support.property_graphs import league, replace_graph
from support.roles_api import RolesApi, Said, always
from support.waiting import becomes_true

from retrocypher.kg.errors import InputError, RetroCypherError
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.suites.questions import TableQuestion, read_questions
from retrocypher.plugins.cli.main import cli
from retrocypher.prompts.models.cache_files import prepare, stats
from retrocypher.prompts.models.response_cache import ResponseCacheError

ASKED = re.compile(r"The question:\n\n(.*)\n\nIts query")
REWRITTEN = re.compile(r"The second wording:\n\n(.*)\Z")
SAME, DIFFERENT = '{"reason": "", "same": true}', '{"reason": "The team plays for it.", "same": false}'


@pytest.fixture(scope="module")
def graph(own_server: Endpoint) -> Iterator[str]:
    """The address of a server with the league, without a password."""
    with connect(own_server) as driver, pytest.MonkeyPatch.context() as patch:
        replace_graph(driver, league(4))
        patch.setenv("NEO4J_USER", own_server.user)
        patch.setenv("NEO4J_PASSWORD", own_server.password)
        yield own_server.uri


@pytest.fixture(autouse=True)
def model(api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that rewrites well, behind the scripted API, and a folder of the test's own."""
    api.roles |= {"rewriter": lambda text: in_other_words(asked_in(text)), "verifier": always(SAME)}
    monkeypatch.setattr("retrocypher.prompts.models.pool.refuse_network", lambda: None)
    monkeypatch.setenv("OPENAI_API_KEY", "usual-key-1")
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)
    monkeypatch.chdir(tmp_path)


def asked_in(text: str) -> str:
    found = ASKED.search(text)
    assert found
    return found[1]


def in_other_words(question: str) -> str:
    return f"Please tell me: {question[0].lower()}{question[1:]}"


def arguments(folder: str, graph: str, *more: str) -> list[str]:
    asking = ("--rewrite", "gpt-4o", "--cache", "answers.sqlite", "--n", "12")
    return ["suite", "generate", folder, "--graph", graph, *asking, *more]


def generate(folder: str, graph: str, *more: str) -> Result:
    return CliRunner().invoke(cli, arguments(folder, graph, *more), catch_exceptions=False)


def result_of(done: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)["rewriting"]
    return found


def kept_in(cache: Path) -> int:
    try:
        return stats(cache).answers
    except ResponseCacheError:
        return 0  # It is being made.


def by_id(folder: str) -> dict[str, TableQuestion]:
    return {each.id: each for each in read_questions(Path(folder))}


KEPT = {"time_sensitive": "names or numbers", "union": "meaning", "comparison": "unreadable verdict"}
KEPT["ambiguous"] = "ambiguous"


def test_what_passes_is_rewritten_and_the_rest_keeps_its_template_text(graph: str, api: RolesApi) -> None:
    shares = ("--n", "16", "--unanswerable", "0.07", "--ambiguous", "0.07")
    assert "Rewritten by" in generate("mine", graph, *shares).output
    templates = {id: each.template_text or each.question for id, each in by_id("mine").items()}
    tasks = {each.template_text: each.task for each in by_id("mine").values()}
    assert {*tasks.values()} > {"two_hops", "unanswerable", *KEPT}

    def rewriter(text: str) -> str:
        question = asked_in(text)
        rewritten = in_other_words(question)
        if tasks[question] == "time_sensitive":
            return re.sub(r"\d+|currently", "1066", rewritten)
        if tasks[question] == "two_hops" and "Missing: " not in text:
            return re.sub(r'["\d]', "", rewritten)
        return f"<think>\nWell.\n</think>\n{rewritten}\n"

    def verifier(text: str) -> str:
        rewritten = REWRITTEN.search(text)
        assert rewritten
        task = next(task for question, task in tasks.items() if in_other_words(question) == rewritten[1])
        return {"union": DIFFERENT, "comparison": "The same, I think."}.get(task, SAME)

    api.roles |= {"rewriter": rewriter, "verifier": verifier}
    found = result_of(
        generate("mine", graph, "--cache", "other.sqlite", "--concurrency", "3", "--json", *shares)
    )

    after = by_id("mine")
    assert after.keys() == templates.keys()
    for id, each in after.items():
        is_kept = each.task in KEPT
        assert each.question == (templates[id] if is_kept else in_other_words(templates[id]))
        assert each.template_text == ("" if is_kept else templates[id])
    counts = Counter(each.task for each in after.values())
    assert found["kept"] == {reason: counts[task] for task, reason in KEPT.items()}
    first = len(after) - counts["two_hops"] - sum(found["kept"].values())
    assert (found["model"], found["rounds"]) == ("gpt-4o", [first, counts["two_hops"], 0])
    assert found["tokens"] == {"prompt": 100 * found["requested"], "completion": 20 * found["requested"]}
    assert found["cost"] > 0
    assert {each.split for each in after.values() if each.template_text} == {"test", "train"}


def test_the_same_command_asks_nothing_again_and_writes_the_same_bytes(graph: str, api: RolesApi) -> None:
    assert result_of(generate("suite-one", graph, "--json"))["from_cache"] == 0
    asked = len(api.asked)
    api.stop()
    again = result_of(generate("suite-two", graph, "--json", "--offline"))
    assert (again["requested"], again["from_cache"], again["cost"]) == (0, asked, 0)
    first, second = (Path(name, "questions.jsonl").read_bytes() for name in ("suite-one", "suite-two"))
    assert first.replace(b"suite-one", b"suite-two") == second


@pytest.mark.parametrize(
    ("said", "more", "status", "message"),
    [
        (Said(status=401), (), 4, "refused the key"),
        (Said(status=404), (), 4, "knows no such model"),
        (Said(status=400), (), 16, "could not be asked about 15 questions, so nothing was written"),
        ("A text.", ("--max-cost", "0.0001"), 16, "Repeat the command to resume with the same budget"),
        ("A text.", ("--offline",), 16, "could not be asked about 15 questions"),
    ],
)
def test_without_the_model_there_is_one_error_and_nothing_is_written(
    graph: str, api: RolesApi, said: Said | str, more: tuple[str, ...], status: int, message: str
) -> None:
    prepare(Path("answers.sqlite"))
    api.roles["rewriter"] = always(said)
    with pytest.raises(RetroCypherError, match=message) as raised:
        generate("mine", graph, *more)
    assert raised.value.exit_status == status
    assert not Path("mine").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rewrite", "oracle"), "--rewrite oracle: oracle reads no messages"),
        (("--rewrite", "exemplar"), "--rewrite exemplar: exemplar reads no messages"),
        (("--rewrite", "gguf:missing.gguf"), r"--rewrite gguf:.*missing\.gguf"),
        (("--rewrite", ""), "--rewrite names no model"),
        (("--rewrite", "gpt-4o", "--cache", "/dev/null/x"), "the response cache /dev/null/x"),
        (("--rewrite", "unpriced", "--max-cost", "1"), "the price of unpriced is not known"),
        (("--cache", "answers.sqlite"), "--cache goes with --rewrite MODEL"),
    ],
)
def test_bad_input_is_refused_before_the_graph_is_asked(options: tuple[str, ...], message: str) -> None:
    command = ["suite", "generate", "mine", "--server", "bolt://127.0.0.1:1", *options]
    with pytest.raises(InputError, match=message):
        CliRunner().invoke(cli, command, catch_exceptions=False)


def test_an_interrupted_command_leaves_nothing_and_is_resumed(graph: str, api: RolesApi) -> None:
    api.roles["verifier"] = lambda _: Said(SAME, pause_s=0.0 if api.count("verifier") < 5 else 60.0)
    code = "from retrocypher.plugins.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments("mine", graph)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    assert becomes_true(lambda: kept_in(Path("answers.sqlite")) == 15 + 4)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=45)
    assert process.returncode == 130
    assert "responses are kept in" in error
    assert "interrupted" in error
    assert not Path("mine").exists()
    api.roles["verifier"] = always(SAME)
    done = result_of(generate("mine", graph, "--json"))
    assert (done["rounds"], done["from_cache"], done["requested"]) == ([15, 0, 0], 19, 11)
