"""The error labels and how a record writes them."""

from typing import get_args

import pytest

from retrocypher.kg.execution.execution import Status
from retrocypher.kg.labels.error_labels import LABELS, detail_of, is_label, name_of, with_detail


def test_every_status_that_is_not_ok_has_a_label_of_its_name() -> None:
    assert {*get_args(Status)} - {"ok"} <= LABELS.keys()


@pytest.mark.parametrize(
    ("label", "name", "detail"),
    [("path_length", "path_length", None), ("missing_component:agents", "missing_component", "agents")],
)
def test_a_label_is_taken_apart_and_put_together(label: str, name: str, detail: str | None) -> None:
    assert (name_of(label), detail_of(label)) == (name, detail)
    assert with_detail(name, detail) == label


@pytest.mark.parametrize(
    "label", ["", "unknown", "path_length:", "path_length:agents", "missing_component:x"]
)
def test_an_unknown_label_is_none(label: str) -> None:
    assert not is_label(label)
    with pytest.raises(ValueError, match="not an error label"):
        with_detail(label, None)
