"""What is sent to a model can be sent."""

import json

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.prompts.models.interface import whole_messages


def test_half_a_character_is_replaced_and_a_whole_one_kept() -> None:
    sent = whole_messages([{"role": "user", "content": "cut \ud83d, whole \U0001f9ea, Ω"}])
    assert sent == [{"role": "user", "content": "cut \ufffd, whole \U0001f9ea, Ω"}]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_sent(text: str) -> None:
    (sent,) = whole_messages([{"role": "user", "content": text}])
    assert json.loads(json.dumps(sent, ensure_ascii=False).encode("utf-8"))["content"] == sent["content"]
    assert len(sent["content"]) == len(text)
