"""What llama.cpp is asked if requests share a beginning."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from retrocypher.prompts.models.interface import Chat
from retrocypher.prompts.models.llama import LlamaClient, PrefixCache

RULES = {"role": "system", "content": "Judge."}
READ = [RULES, {"role": "user", "content": "The schema."}]


@dataclass
class Process:
    """Notes what it is asked, and refuses what it is to refuse."""

    refused: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    read: list[Any] = field(default_factory=list)

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        what = path.partition("action=")[2] or "read"
        self.asked.append(what)
        if what in self.refused:
            return 400, {}
        if what == "restore" and body["filename"] not in self.kept:
            return 400, {}
        if what == "save":
            self.kept.add(body["filename"])
        if what == "read":
            self.read.append(body)
        return 200, {}


def taken_up(process: Process, text: str, common: int | None = 11) -> bool:
    chat = Chat([RULES, {"role": "user", "content": f"The schema.{text}"}], common=common)
    return PrefixCache(cast("LlamaClient", process)).take_up(chat)


def test_a_beginning_is_read_once_and_taken_from_its_file_every_time() -> None:
    process = Process()
    assert taken_up(process, " One?")
    assert process.asked == ["restore", "read", "save", "restore"]
    assert process.read == [{"messages": READ, "temperature": 0, "max_tokens": 1}]
    assert taken_up(process, " Another?")
    assert process.asked[4:] == ["restore"]
    assert process.kept == {hashlib.sha256(json.dumps(READ).encode()).hexdigest()}


def test_each_beginning_has_a_file_of_its_own() -> None:
    process = Process()
    assert taken_up(process, " One?")
    assert taken_up(process, " One?", common=0)
    # Half a character at the cut can be sent.
    assert taken_up(process, "\ud83d", common=12)
    assert len(process.kept) == 3
    contents = [body["messages"][1]["content"] for body in process.read]
    assert contents == ["The schema.", "", "The schema.\ufffd"]


@pytest.mark.parametrize("refused", ["read", "save"])
def test_requests_without_a_stored_beginning_are_read_whole(refused: str) -> None:
    process = Process(refused={refused})
    assert not taken_up(process, " One?")
    assert process.asked[-1] == refused
    idle = Process()
    assert not taken_up(idle, " One?", common=None)
    assert idle.asked == []
