"""Having a model list the claims of answers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.gateways import settings_of

from retrocypher.kg.claims.extracted import OtherEntry, claims_form
from retrocypher.plugins.operations import extraction
from retrocypher.prompts.models.gateway_client import Asked
from retrocypher.prompts.models.interface import Completion
from retrocypher.prompts.models.pool import ModelPool
from retrocypher.prompts.models.spec import ModelSpec


class Connections:
    """Says of each answer that no claim can say what it says."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []

    def complete(self, asked: Asked) -> Completion:
        self.asked.append(asked)
        return Completion('[{"claim": "other", "sentence": 1}]')


def test_claims_are_asked_for_in_the_form_that_the_check_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    connections = Connections()

    @contextmanager
    def open_pool(spec: ModelSpec, settings: object) -> Iterator[ModelPool]:
        held: Any = connections
        yield ModelPool(held, 1, ())

    monkeypatch.setattr(extraction, "open_pool", open_pool)
    found = extraction.extract_claims(["It is fast.", ""], ModelSpec("local", "local"), settings_of())
    (asked,) = connections.asked
    assert json.loads(asked.model.form) == claims_form()
    assert found["It is fast."].entries == (OtherEntry(1),)
    assert found[""].entries == ()
