"""NLTK, loaded without SciPy's distributions, which only its association measures use."""

import sys
from importlib import import_module
from types import ModuleType

_UNUSED = "scipy.stats"


def nltk_module(name: str) -> ModuleType:
    """Return a module of NLTK.

    The package imports SciPy's statistics where they are there, which would cost each process 0.6 s and
    50 MiB for nothing. None in their place makes Python raise ImportError, which NLTK is written to bear.

    Args:
        name: Its name below ``nltk``.
    """
    hidden = "nltk" not in sys.modules and _UNUSED not in sys.modules
    if hidden:
        sys.modules[_UNUSED] = None  # type: ignore[assignment]
    try:
        return import_module(f"nltk.{name}")
    finally:
        if hidden:
            del sys.modules[_UNUSED]
