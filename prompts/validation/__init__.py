"""Whether a query answers its question, told from the texts and the schema alone."""

from kg.molecules import Mention, canonical_smiles, find_molecules
from prompts.validation._checklist import (
    CheckItem,
    ChecklistVerdict,
    checklist_for,
    read_checklist_answer,
)
from prompts.validation._common_names import common_names
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
from prompts.validation._question import read_question
from prompts.validation._validator import SchemaValidator

__all__ = [
    "CONVENTIONS",
    "INTENTS",
    "Asked",
    "AskedMolecule",
    "CheckItem",
    "ChecklistVerdict",
    "Convention",
    "Finding",
    "Intent",
    "Mention",
    "SchemaValidator",
    "Validation",
    "canonical_smiles",
    "checklist_for",
    "common_names",
    "critique",
    "find_molecules",
    "read_checklist_answer",
    "read_question",
]
