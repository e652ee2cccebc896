"""What judging says of how it gets on."""

import pytest

from retrocypher.plugins.operations import judging


def test_messages_between_two_announcements_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    say = judging.throttled(said.append)
    say("1 judgement")
    monkeypatch.setattr(judging, "_EVERY_S", 0.0)
    say("2 judgements")
    assert said == ["2 judgements"]
