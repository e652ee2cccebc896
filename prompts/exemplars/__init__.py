"""Exemplar banks: forward-direction examples with intents and placeholders in place of SMILES."""

from prompts.exemplars._model import Exemplar

__all__ = ["Exemplar"]
