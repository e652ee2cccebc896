"""What the controller of a session starts for its models, and all its workers use."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from prompts.models._llama_process import LlamaProcess
from prompts.models._llama_settings import gguf_path, settings_for
from prompts.models._spec import ModelSpec


class SharedModels:
    """The llama.cpp processes of a session, one for each GGUF file.

    Args:
        processes: By path of the file.
        api_key: The token they all ask for.
        weights: SHA-256 of each file, by path; empty where no answer is kept.
    """

    def __init__(
        self, processes: Mapping[str, LlamaProcess], api_key: str, weights: Mapping[str, str]
    ) -> None:
        self._weights = dict(weights)
        self._processes = dict(processes)
        self._api_key = api_key

    def to_json(self) -> dict[str, Any]:
        """Return what workers need to reach them, as plain values; with a token, so keep it out of files."""
        addresses = {path: process.address for path, process in self._processes.items()}
        return {"llama": addresses, "llama_key": self._api_key, "weights": self._weights}

    def pids(self) -> dict[str, int]:
        """Return the process ids by path of the file."""
        return {path: process.pid for path, process in self._processes.items()}

    def stop(self) -> None:
        """End all processes; harmless when repeated."""
        while self._processes:
            self._processes.popitem()[1].stop()


def start_shared(
    specs: Sequence[ModelSpec], *, contents: Mapping[str, str] | None = None, offline: bool = False
) -> SharedModels:
    """Start what the models of a run need besides their workers: llama.cpp for `local` and `gguf`.

    Args:
        specs: The models.
        contents: SHA-256 of the files they are made of, by path (`contents_of`), by which answers are kept.
        offline: Whether all answers are there already, so that nothing has to be started.

    Raises:
        InputError: If llama.cpp cannot load a file; nothing is left running then.
    """
    weights = contents or {}
    api_key = secrets.token_urlsafe(32)
    processes: dict[str, LlamaProcess] = {}
    try:
        for spec in () if offline else specs:
            if spec.kind in ("local", "gguf") and str(gguf_path(spec)) not in processes:
                processes[str(gguf_path(spec))] = LlamaProcess(settings_for(spec, api_key))
    except BaseException:
        SharedModels(processes, api_key, weights).stop()
        raise
    return SharedModels(processes, api_key, weights)
