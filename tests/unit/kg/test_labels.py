"""The error labels and how a record writes them."""

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.execution import Status
from retrocypher.kg.labels.error_labels import LABELS, detail_of, is_label, name_of, parse_labels, with_detail

ENTRY = "- {name: a, meaning: b, source: ours, where: c, example: d}"


def test_every_status_that_is_not_ok_has_a_label_of_its_name() -> None:
    assert {status for status in Status.__args__ if status != "ok"} <= LABELS.keys()  # type: ignore[attr-defined]


def test_the_meaning_of_a_label_is_one_sentence() -> None:
    for label in LABELS.values():
        assert label.meaning.endswith("."), label.name
        assert ". " not in label.meaning, label.name


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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", "is not YAML"),
        ("{}", "must be a list"),
        ("- 1", "label 1: expected name"),
        (ENTRY.replace("meaning: b, ", ""), "meaning must be a text"),
        (ENTRY.replace("ours", "theirs"), "source must be one of paper, cypherbench, ours"),
        (ENTRY.replace("}", ", details: x}"), "details must be a list"),
        (f"{ENTRY}\n{ENTRY}", "names a label twice"),
    ],
)
def test_a_damaged_file_is_refused_in_words(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_labels(text)
