"""Prompt templates P1 to P10, a user's replacements, and the messages made from them."""

from prompts.templates._files import load_prompts
from prompts.templates._template import Prompt, build_messages, fill, split

__all__ = ["Prompt", "build_messages", "fill", "load_prompts", "split"]
