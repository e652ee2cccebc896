"""Encoders of tests that need the real one."""

from typing import TypeVar

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.prompts.templates.encoder import Encoder

Ready = TypeVar("Ready", bound=Encoder)


def loaded(encoder: Ready) -> Ready:
    """Return an encoder that has its weights, or skip the test where they cannot be had."""
    try:
        encoder.encode(["a text"])
    except InputError as error:
        pytest.skip(f"the weights of {encoder.name} cannot be had: {error}")
    return encoder
