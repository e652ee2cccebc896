"""The opt-in encoder stage of key matching."""

from dataclasses import dataclass, field

import numpy as np

from kg.errors import InputError
from prompts.encoders import Encoder, Vectors, load_encoder


@dataclass(slots=True)
class KeyMatcher:
    """Matches a column to the gold key nearest in meaning.

    Attributes:
        encoder: Encodes names, underscores read as spaces.
        threshold: Lowest cosine similarity that matches, in (0, 1]; the paper's is 0.93.
    """

    encoder: Encoder
    threshold: float
    _vectors: dict[str, Vectors] = field(default_factory=dict, init=False, repr=False)

    def nearest(self, name: str, keys: tuple[str, ...]) -> str | None:
        """Return the key of highest similarity where it reaches the threshold; ties by order of keys."""
        missing = [text for text in (name, *keys) if text not in self._vectors]
        if missing:
            vectors = self.encoder.encode([text.replace("_", " ") for text in missing])
            self._vectors.update(zip(missing, vectors, strict=True))
        similarities = [float(self._vectors[name] @ self._vectors[key]) for key in keys]
        best = int(np.argmax(similarities))
        return keys[best] if similarities[best] >= self.threshold else None


@dataclass(frozen=True, slots=True)
class KeyEncoder:
    """The encoder stage as it is asked for.

    Attributes:
        name: Name of the encoder.
        threshold: Lowest cosine that matches, over 0 and at most 1.
    """

    name: str
    threshold: float

    def matcher(self) -> KeyMatcher:
        """Return the stage, ready to match.

        Raises:
            InputError: If the encoder cannot be had.
        """
        return KeyMatcher(load_encoder(self.name), self.threshold)


def key_encoder_named(text: str) -> KeyEncoder:
    """Read ``--key-encoder``, and make sure that the encoder can be had.

    Args:
        text: ``NAME@THRESHOLD``.

    Raises:
        InputError: If it is something else, or the encoder cannot be had.
    """
    name, at, threshold = text.rpartition("@")
    try:
        value = float(threshold)
    except ValueError:
        value = 0.0
    if not at or not name or not 0.0 < value <= 1.0:
        raise InputError(
            f"--key-encoder {text}: give NAME@THRESHOLD, the threshold over 0 and at most 1, "
            "for example all-mpnet-base-v2@0.93"
        )
    # One word now, so that an encoder that cannot be had is told before anything is paid for.
    load_encoder(name).encode(["reactants"])
    return KeyEncoder(name, value)
