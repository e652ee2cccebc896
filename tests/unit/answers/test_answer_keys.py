"""Keys: one for each request, whatever the order of what has none."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.prompts.models.response_cache import Identity, answer_key

TEXT = st.text(st.characters(), max_size=8)
VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(0, 1) | TEXT
PARAMETERS = st.dictionaries(TEXT, VALUES | st.dictionaries(TEXT, VALUES, max_size=2), max_size=3)
MESSAGES = st.lists(st.fixed_dictionaries({"role": TEXT, "content": TEXT}), max_size=3)
REQUESTS = st.tuples(TEXT, TEXT, PARAMETERS, MESSAGES, st.integers(0, 2))
Asked = tuple[str, str, dict[str, Any], list[dict[str, str]], int]


def key_of(asked: Asked) -> str:
    model, api, parameters, messages, repeat = asked
    return answer_key(Identity(model, api, parameters), messages, repeat)


@given(REQUESTS, REQUESTS)
def test_two_requests_share_a_key_exactly_if_they_are_the_same(one: Asked, other: Asked) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (key_of(one) == key_of(other)) == same


@given(REQUESTS, st.data())
def test_a_change_of_any_one_part_is_another_request(asked: Asked, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, 4))
    part: Any = (TEXT, TEXT, PARAMETERS, MESSAGES, st.integers(0, 2))[place]
    new = data.draw(part.filter(lambda value: json.dumps(value) != json.dumps(asked[place])))
    changed: Any = (*asked[:place], new, *asked[place + 1 :])
    same = json.dumps(changed, sort_keys=True) == json.dumps(asked, sort_keys=True)
    assert (key_of(changed) == key_of(asked)) == same


@given(REQUESTS)
def test_the_order_of_names_changes_nothing(asked: Asked) -> None:
    model, api, parameters, messages, repeat = asked
    turned = dict(reversed(parameters.items()))
    backwards = [dict(reversed(message.items())) for message in messages]
    assert key_of((model, api, turned, backwards, repeat)) == key_of(asked)


def test_parts_do_not_run_into_each_other() -> None:
    assert key_of(("ab", "c", {}, [], 0)) != key_of(("a", "bc", {}, [], 0))
    one, two = {"role": "user", "content": "a"}, {"role": "user", "content": "b"}
    assert key_of(("m", "", {}, [one, two], 0)) != key_of(("m", "", {}, [two, one], 0))


def test_a_key_stays_what_it_was() -> None:
    """A cache of today is to be of use tomorrow: a change here makes every cache there is worthless."""
    messages = [{"role": "user", "content": "Qué µ \N{BENZENE RING}"}]
    asked: Asked = ("gpt-x", "api.example/v1", {"temperature": 0, "seed": 7}, messages, 0)
    assert key_of(asked) == "2d8a7503dba72ee1e15de8e4deb84e2873b45575d92cf399ef82c62629399a7e"
