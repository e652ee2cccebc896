"""Prompt templates P1 to P10, a user's replacements, and the messages made from them."""

from prompts.templates._files import load_prompts
from prompts.templates._template import Prompt, build_messages, fill, split
from prompts.templates._texts import Texts

__all__ = ["Prompt", "Texts", "build_messages", "fill", "load_prompts", "split"]
