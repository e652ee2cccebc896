"""Whether a query answers its question, told from the texts and the schema alone."""

from prompts.validation._critique import critique
from prompts.validation._model import (
    CONVENTIONS,
    INTENTS,
    Asked,
    AskedMolecule,
    Convention,
    Finding,
    Intent,
    Validation,
)

__all__ = [
    "CONVENTIONS",
    "INTENTS",
    "Asked",
    "AskedMolecule",
    "Convention",
    "Finding",
    "Intent",
    "Validation",
    "critique",
]
