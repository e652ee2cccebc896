"""A real small model in llama.cpp: the same answers every time, and no process left behind."""

import json
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from support.gateways import model_of, start_gateway
from support.waiting import children, gone

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.interface import ModelError, Request, TextModel
from retrocypher.prompts.models.llama import shipped_gguf
from retrocypher.prompts.models.open import contents_of
from retrocypher.prompts.models.spec import parse_spec

SPEC = parse_spec("local", {})
# SmolLM2 answers this one briefly; to many others it talks on up to its limit.
PROMPT = "What is 2+2?"
OWNER = """
import json, sys, time
from pathlib import Path
import psutil
from retrocypher.prompts.models.calls import GatewaySettings
from retrocypher.prompts.models.gateway import Gateway
from retrocypher.prompts.models.spec import parse_spec
gateway = Gateway([parse_spec("local", {})], GatewaySettings(1, 0, {}), Path(sys.argv[1]))
print(json.dumps([child.pid for child in psutil.Process().children()]), flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where processes have their temporary files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("processes")))
        yield Path(tempfile.gettempdir())


@pytest.fixture(scope="module")
def model(folder: Path) -> Iterator[TextModel]:
    with start_gateway(folder, specs=[SPEC]) as gateway:
        yield model_of(gateway, SPEC)


def test_answers_alike_every_time_and_after_a_restart(
    model: TextModel, ask: Callable[[str], Request]
) -> None:
    first = model.answer(ask(PROMPT))
    assert first.text
    assert first.tokens is not None
    assert first.tokens["prompt"] > 10
    assert 0 < first.tokens["completion"] <= 256
    assert first.time_s > 0
    model.answer(ask("Hi"))
    assert model.answer(ask(PROMPT)).text == first.text

    (killed,) = children("llama_child")
    killed.kill()
    assert model.answer(ask(PROMPT)).text == first.text
    assert children("llama_child") != [killed]


def test_an_answer_is_the_same_where_its_beginning_was_read_before(
    model: TextModel, ask: Callable[[str], Request], folder: Path
) -> None:
    whole = ask(f"You add numbers. {PROMPT}")
    alike = replace(whole, common=len("You add numbers."))
    other = replace(ask("You add numbers. Hi"), common=alike.common)
    said = [model.answer(each) for each in (whole, alike, other, alike)]
    assert said[0].text == said[1].text == said[3].text
    assert said[0].tokens == said[1].tokens == said[3].tokens
    assert len([file for file in folder.rglob("*") if file.is_file() and file.stat().st_size > 10_000]) == 1


def test_a_prompt_over_the_context_has_no_query(model: TextModel, ask: Callable[[str], Request]) -> None:
    answer = model.answer(ask("a b c " * 10_000))
    assert answer.text == ""
    assert "the context 8192" in answer.details["no_answer"]


@pytest.mark.usefixtures("model")
def test_takes_requests_with_its_token_only() -> None:
    (listening,) = [
        each.laddr for each in children("llama_child")[0].net_connections() if each.status == "LISTEN"
    ]
    assert listening.ip == "127.0.0.1"
    request = urllib.request.Request(f"http://127.0.0.1:{listening.port}/v1/chat/completions", b"{}")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)


def test_a_process_that_died_too_often_is_gone_for_good_and_what_it_answered_is_kept(
    ask: Callable[[str], Request], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrocypher.prompts.models.llama._COMEBACK_S", 0.3)
    monkeypatch.setattr("retrocypher.prompts.models.llama._RESTARTS", 0)
    before = len(children("llama_child"))
    start = partial(start_gateway, tmp_path, specs=[SPEC], weights=contents_of([SPEC]), cache=tmp_path / "c")
    with start() as gateway:
        model, process = model_of(gateway, SPEC), children("llama_child")[0]
        first = model.answer(ask(PROMPT))
        process.kill()
        for _ in range(2):
            with pytest.raises(ModelError, match="did not come back") as caught:
                model.answer(ask("Hi"))
            assert caught.value.kind == "local_model"
    with start(offline=True) as gateway:
        assert len(children("llama_child")) == before
        assert model_of(gateway, SPEC).answer(ask(PROMPT)) == replace(first, cached=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_child_outlives_its_owner(how: signal.Signals, tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, tmp_path], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    (child,) = json.loads(owner.stdout.readline())
    owner.send_signal(how)
    owner.wait()
    owner.stdout.close()
    assert gone(child)


def test_a_damaged_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    damaged = tmp_path / "half.gguf"
    with shipped_gguf().open("rb") as whole:
        damaged.write_bytes(whole.read(30_000_000))
    with pytest.raises(InputError, match=r"cannot load .*half\.gguf: .*corrupted or incomplete"):
        start_gateway(tmp_path, specs=[parse_spec(f"gguf:{damaged}", {})])
