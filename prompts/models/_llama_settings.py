"""How llama.cpp is run."""

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from prompts.models._llama_files import shipped_gguf
from prompts.models._spec import ModelSpec

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
