"""Models: messages in, an answer out; from the one that is always right to any OpenAI-compatible API."""

from prompts.models._check import check_models
from prompts.models._contents import contents_of, file_of
from prompts.models._interface import Answer, Chat, Message, Model, ModelError, Request, TextModel
from prompts.models._open import open_models
from prompts.models._open_text import open_text_model
from prompts.models._prices import load_prices, prices_used
from prompts.models._reach import api_address, silent_api
from prompts.models._shared import SharedModels, start_shared
from prompts.models._spec import CHOICES, DEFAULT_MODEL, TEXT_KINDS, ModelSpec, parse_spec, parse_specs

__all__ = [
    "CHOICES",
    "DEFAULT_MODEL",
    "TEXT_KINDS",
    "Answer",
    "Chat",
    "Message",
    "Model",
    "ModelError",
    "ModelSpec",
    "Request",
    "SharedModels",
    "TextModel",
    "api_address",
    "check_models",
    "contents_of",
    "file_of",
    "load_prices",
    "open_models",
    "open_text_model",
    "parse_spec",
    "parse_specs",
    "prices_used",
    "silent_api",
    "start_shared",
]
