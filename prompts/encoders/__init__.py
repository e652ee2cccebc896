"""Sentence encoders: the shipped vectors, and the optional model behind them."""

from prompts.encoders._encoder import Encoder, Vectors
from prompts.encoders._sentence import SentenceEncoder, extra_installed, load_encoder
from prompts.encoders._stored import StoredEncoder, build_vectors, stored_encoder

__all__ = [
    "Encoder",
    "SentenceEncoder",
    "StoredEncoder",
    "Vectors",
    "build_vectors",
    "extra_installed",
    "load_encoder",
    "stored_encoder",
]
