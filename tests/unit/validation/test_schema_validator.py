"""The validator as an object."""

import pytest

from retrocypher.kg.semantics.schema import default_schema
from retrocypher.prompts.validation.finding import CONVENTIONS
from retrocypher.prompts.validation.validator import SchemaValidator


def test_a_convention_that_there_is_not_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="'benchmrk' is none of benchmark, as-asked"):
        SchemaValidator(default_schema(), "benchmrk")  # type: ignore[arg-type]
    assert [SchemaValidator(default_schema(), each).convention for each in CONVENTIONS] == [*CONVENTIONS]
