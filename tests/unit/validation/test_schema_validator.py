"""The validator as an object."""

import pytest

from kg.schema import default_schema
from prompts.validation import CONVENTIONS, SchemaValidator


def test_a_convention_that_there_is_not_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="'benchmrk' is none of benchmark, as-asked"):
        SchemaValidator(default_schema(), "benchmrk")  # type: ignore[arg-type]
    assert [SchemaValidator(default_schema(), each).convention for each in CONVENTIONS] == [*CONVENTIONS]
