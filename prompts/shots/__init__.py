"""How the one exemplar of a case is chosen: zero-shot, static, random, semantic."""

from prompts.shots._choose import SHOTS, canonical_shot, choose
from prompts.shots._text import exemplar_text, masked_text
from prompts.shots._vectors import ENCODER, require_vectors, shot_encoder, texts_to_encode

__all__ = [
    "ENCODER",
    "SHOTS",
    "canonical_shot",
    "choose",
    "exemplar_text",
    "masked_text",
    "require_vectors",
    "shot_encoder",
    "texts_to_encode",
]
