"""The trial of the verification of written answers, on a real server."""

import json

import pytest
from click.testing import CliRunner

from retrocypher.benchmarks.instruments.verification import verification_command
from retrocypher.kg.server.endpoint import Endpoint

SAMPLE = 60


@pytest.mark.scale
def test_true_answers_are_verified_and_falsehoods_are_not(endpoint: Endpoint) -> None:
    options = ["--graph", endpoint.uri, "--sample", str(SAMPLE), "--seed", "3", "--json"]
    found = json.loads(CliRunner().invoke(verification_command, options, catch_exceptions=False).stdout)
    kinds = found["kinds"]
    assert kinds["true"]["answers"] == SAMPLE
    changed = kinds["yield changed"]
    assert changed["answers"] + sum(changed["not_applicable"].values()) == SAMPLE
    assert all(kind["as_expected"] >= 0.99 for kind in kinds.values()), found["misses"]
