"""The opt-in encoder stage of key matching."""

from dataclasses import dataclass, field

import numpy as np

from prompts.encoders import Encoder, Vectors


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
