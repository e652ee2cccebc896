"""What an encoder is."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Texts in, vectors out."""

    @property
    def name(self) -> str:
        """Name of the encoder, for manifest and vector files."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 a text, as rows; a dot product of two rows is their cosine.

        Raises:
            InputError: If a text has no vector and the encoder cannot be loaded.
        """
