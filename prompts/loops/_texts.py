"""The texts that the roles of loops are asked with."""

from pathlib import Path

from prompts.templates import Texts

_TEXTS = Texts(Path(__file__).with_name("texts"))

messages_for = _TEXTS.messages
text_hashes = _TEXTS.hashes
