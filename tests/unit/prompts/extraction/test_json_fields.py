"""JSON in completions."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.prompts.extraction.json_fields import extract_json, texts, yes_or_no

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here: ```json\n{"a": 1}\n``` done {"b": 2}', {"a": 1}),
        ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{} {"a": 1}', {"a": 1}),
        ('MATCH (n {name: 1}) {"a": 1}', {"a": 1}),
        ('{"a": "F/C=C\\F and C\\[nH]"}', {"a": "F/C=C\\F and C\\[nH]"}),
        ("[1]", None),
        ("", None),
        ('{"a": ', None),
        ("{" * 10_000, None),
        ("<think>" * 5_000, None),
    ],
)
def test_the_first_object_counts(answer: str, found: dict[str, Any] | None) -> None:
    assert extract_json(answer) == found


@given(st.dictionaries(st.text(), VALUES, min_size=1), st.text(alphabet="ab \n.`"))
def test_an_object_among_words_is_found(value: dict[str, Any], words: str) -> None:
    assert extract_json(f"{words}\n{json.dumps(value)}\n{words}") == value


@pytest.mark.parametrize(
    ("meant", "values"),
    [
        (True, [True, "Yes.", " 'ok' "]),
        (False, [False, "INVALID"]),
        (None, [None, "", "perhaps", 3, [True], {}]),
    ],
)
def test_yes_and_no(meant: bool | None, values: list[object]) -> None:
    assert [yes_or_no(value) for value in values] == [meant] * len(values)


def test_texts_of_lists_objects_and_single_texts() -> None:
    assert texts(["a", {"item": 3, "problem": "b", "fix": "c"}, None, "", 4]) == ["a", "b: c", "4"]
    assert texts("a") == ["a"]
    assert texts(None) == []
