"""Exemplar banks: forward-direction examples with intents and placeholders in place of SMILES."""

from prompts.exemplars._bank import bank_sha256, load_bank
from prompts.exemplars._fill import fill, molecules_of, placeholder
from prompts.exemplars._model import Exemplar

__all__ = ["Exemplar", "bank_sha256", "fill", "load_bank", "molecules_of", "placeholder"]
