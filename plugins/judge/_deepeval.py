"""DeepEval, imported so that it keeps to itself."""

import os
from importlib import import_module
from types import ModuleType

_SETTINGS = {
    # No counting of users, and no look for a newer version.
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
    # No settings and no keys from files in the working directory.
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_DISABLE_LEGACY_KEYFILE": "1",
    # Nothing printed, and no page opened.
    "DEEPEVAL_VERBOSE_MODE": "0",
    "CONFIDENT_OPEN_BROWSER": "0",
    "CONFIDENT_TRACE_VERBOSE": "0",
    # Nothing sent to its makers' service, were its key in the environment.
    "CONFIDENT_TRACE_FLUSH": "0",
    "CONFIDENT_TRACE_SAMPLE_RATE": "0",
}


def deepeval(module: str) -> ModuleType:
    """Return a module of DeepEval; takes a second the first time.

    Its settings are put in the environment first, whatever it holds: they are read as the library is
    imported.

    Args:
        module: Name within the package, such as ``metrics.g_eval``.
    """
    os.environ.update(_SETTINGS)
    return import_module(f"deepeval.{module}")
