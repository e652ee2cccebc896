"""What a judge is told to judge by."""

from pathlib import Path

import pytest
import yaml

import retrocypher.plugins.judge
from retrocypher.kg.errors import InputError
from retrocypher.plugins.judge.criteria import load_criteria, parse_criteria
from retrocypher.plugins.runs.record import VARIANTS

FILE = Path(retrocypher.plugins.judge.__file__).with_name("criteria.yaml")


def test_the_shipped_criteria_cover_the_scale() -> None:
    criteria = load_criteria()
    assert criteria.scale == (0, 10)
    assert set(criteria.steps) == set(VARIANTS)
    # A judge that is not shown the reference is not told of it.
    assert not any("Expected Output" in step for step in criteria.steps["without_reference"])
    assert any("Expected Output" in step for step in criteria.steps["with_reference"])


def test_judges_that_are_told_different_things_are_told_apart() -> None:
    text = FILE.read_text()
    hashes = {parse_criteria(text).sha256, parse_criteria(text + "\n").sha256, load_criteria(5).sha256}
    assert len(hashes) == 3
    assert load_criteria(0).sha256 == parse_criteria(text).sha256


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("steps", {"with_reference": ["a"]}, "`steps` must hold"),
        ("steps", {"with_reference": ["a"], "without_reference": []}, "without_reference"),
        ("rubric", [], "`rubric` must be a list"),
        ("rubric", [{"from": 0, "to": 9, "meaning": "all"}], "from 0 to 10"),
        ("rubric", [{"from": "0", "to": 10, "meaning": "all"}], "`rubric` must be a list"),
        ("row_length", True, "`row_length`"),
        ("reason_length", 0, "`reason_length`"),
        ("name", " ", "`name` must be a text"),
        ("prompt", "Judge {case} by {rubric} from {low} to {high}", "lacks {steps}"),
        ("more", 1, "nothing else"),
    ],
)
def test_other_criteria_are_refused_with_what_is_wrong(name: str, value: object, told: str) -> None:
    body = {**yaml.safe_load(FILE.read_text()), name: value}
    with pytest.raises(InputError) as caught:
        parse_criteria(yaml.safe_dump(body))
    assert "criteria.yaml" in str(caught.value)
    assert told in str(caught.value)


def test_what_is_no_yaml_is_refused() -> None:
    with pytest.raises(InputError, match="not YAML"):
        parse_criteria("name: [")
