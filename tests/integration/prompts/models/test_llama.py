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
from pathlib import Path
from typing import Any

import pytest
from support.waiting import children, gone

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.interface import ModelError, Request, TextModel
from retrocypher.prompts.models.llama import shipped_gguf
from retrocypher.prompts.models.open import ModelContext, SharedModels, contents_of, start_shared
from retrocypher.prompts.models.response_cache import open_cache
from retrocypher.prompts.models.spec import parse_spec

SPEC = parse_spec("local", {})
# SmolLM2 answers this one briefly; to many others it talks on up to its limit.
PROMPT = "What is 2+2?"
OWNER = """
import json, time
import psutil
from retrocypher.prompts.models.spec import parse_spec
from retrocypher.prompts.models.open import start_shared
shared = start_shared([parse_spec("local", {})])
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
def shared(folder: Path) -> Iterator[SharedModels]:
    running = start_shared([SPEC])
    yield running
    running.stop()


def opened(running: SharedModels, folder: Path, **more: Any) -> TextModel:
    shared = json.loads(json.dumps(running.to_json()))
    return ModelContext(folder, 8, 0, shared=shared, **more).open_text(SPEC)


def test_answers_alike_every_time_and_after_a_restart(
    shared: SharedModels, ask: Callable[[str], Request], tmp_path: Path
) -> None:
    model = opened(shared, tmp_path)
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
    shared: SharedModels, ask: Callable[[str], Request], folder: Path, tmp_path: Path
) -> None:
    model = opened(shared, tmp_path)
    whole = ask(f"You add numbers. {PROMPT}")
    alike = replace(whole, common=len("You add numbers."))
    other = replace(ask("You add numbers. Hi"), common=alike.common)
    said = [model.answer(each) for each in (whole, alike, other, alike)]
    assert said[0].text == said[1].text == said[3].text
    assert said[0].tokens == said[1].tokens == said[3].tokens
    assert len([file for file in folder.rglob("*") if file.is_file() and file.stat().st_size > 10_000]) == 1


def test_a_prompt_over_the_context_has_no_query(
    shared: SharedModels, ask: Callable[[str], Request], tmp_path: Path
) -> None:
    answer = opened(shared, tmp_path).answer(ask("a b c " * 10_000))
    assert answer.text == ""
    assert "the context 8192" in answer.details["no_answer"]


def test_takes_requests_with_its_token_only(shared: SharedModels) -> None:
    (address,) = shared.to_json()["llama"].values()
    assert address.startswith("http://127.0.0.1:")
    request = urllib.request.Request(f"{address}/v1/chat/completions", b"{}")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)


def test_a_process_that_was_stopped_is_gone_for_good_and_what_it_answered_is_kept(
    ask: Callable[[str], Request], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrocypher.prompts.models.llama._COMEBACK_S", 0.3)
    with open_cache(tmp_path / "answers.sqlite") as store:
        stopped = start_shared([SPEC], contents=contents_of([SPEC]))
        model, process = opened(stopped, tmp_path, answers=store), children("llama_child")[0]
        first = model.answer(ask(PROMPT))
        stopped.stop()
        assert gone(process.pid)
        for _ in range(2):
            with pytest.raises(ModelError, match="did not come back") as caught:
                model.answer(ask("Hi"))
            assert caught.value.kind == "local_model"
        nobody = start_shared([SPEC], contents=contents_of([SPEC]), offline=True)
        assert nobody.to_json()["llama"] == {}
        again = opened(nobody, tmp_path, answers=store, offline=True).answer(ask(PROMPT))
    assert again == replace(first, cached=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_child_outlives_its_owner(how: signal.Signals) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
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
        start_shared([parse_spec(f"gguf:{damaged}", {})])
