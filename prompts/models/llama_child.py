"""The process that llama.cpp runs in; run as a script, it imports nothing of the project.

Reads its settings as one JSON line from standard input, answers with one JSON line on standard output
(``address`` or ``error``), serves HTTP on loopback, and ends when standard input closes, which it does when
its owner dies, however that happens.
"""

import ctypes
import json
import os
import signal
import sys
import threading
from typing import Any

import xllamacpp

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve until the owner is gone."""
    settings = json.loads(sys.stdin.readline())
    _die_with(settings["owner"])
    threading.Thread(target=_wait_for_owner, daemon=True).start()
    try:
        server = xllamacpp.Server(_params(settings))
    except RuntimeError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        sys.exit(1)
    print(json.dumps({"address": server.listening_address}), flush=True)
    threading.Event().wait()


def _die_with(owner: int) -> None:
    # The pipe alone would do, were the interpreter never held up by native code.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != owner:
        os._exit(0)


def _wait_for_owner() -> None:
    sys.stdin.read()
    os._exit(0)


def _params(settings: dict[str, Any]) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.n_ctx = settings["context_tokens"]
    params.n_gpu_layers = settings["gpu_layers"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    # One request at a time and nothing kept of the one before: an answer depends on its prompt alone. What
    # is kept of beginnings that requests share is in files, and taken up where a request says so.
    params.n_parallel = 1
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.cache_idle_slots = False
    params.n_ctx_checkpoints = 0
    params.slot_save_path = settings["folder"]
    # Flash attention on the CPU splits its sums by thread, so answers would depend on the number of cores.
    if settings["gpu_layers"] == 0:
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    # Threads that spin between tokens take the cores from the graph server and the workers. At barriers
    # it is OpenMP that waits: see the owner's side.
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    params.fit_params = False
    params.hostnames = ["127.0.0.1"]
    params.port = settings["port"]
    params.api_keys = [settings["api_key"]]
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.offline = True
    params.warmup = False
    params.verbosity = 1
    return params


if __name__ == "__main__":
    main()
