"""The error labels and how a record writes them."""

from pathlib import Path
from typing import get_args

import pytest
import yaml

from retrocypher.kg.execution.execution import Status
from retrocypher.kg.labels import error_labels
from retrocypher.kg.labels.error_labels import LABELS, detail_of, is_label, name_of, with_detail


def test_the_file_of_labels_has_its_form() -> None:
    entries = yaml.safe_load(Path(error_labels.__file__).with_name("labels.yaml").read_text("utf-8"))
    assert [entry["name"] for entry in entries] == list(LABELS)
    fields = {"name", "meaning", "source", "where", "example"}
    for entry in entries:
        assert fields <= entry.keys() <= {*fields, "details"}, entry["name"]
        assert entry["meaning"].endswith("."), entry["name"]


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
