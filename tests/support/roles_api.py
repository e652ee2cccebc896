"""An OpenAI-compatible server whose answers depend on the role it is asked in."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from kg.questions import Question
from prompts.loops._masking import mask

_ROLES = {
    "You are the corrector": "corrector",
    "You are the validator": "validator",
    "You are the schema analyst": "analyst",
    "You are the reviewer": "reviewer",
}


@dataclass(frozen=True)
class Said:
    """An answer: a text after a pause, or an HTTP status that is no answer."""

    text: str = ""
    pause_s: float = 0.0
    status: int = 200


Player = Callable[[str], Said | str]
"""Given all that a role is asked, joined, what it says."""


@dataclass
class RolesApi:
    """Plays roles; a role without a player says nothing."""

    players: dict[str, Player] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._guard = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def count(self, role: str) -> int:
        """How often a role was asked."""
        return sum(asked == role for asked, _ in self.asked)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, messages: list[dict[str, str]]) -> Said:
        text = "\n".join(message["content"] for message in messages)
        role = next((role for start, role in _ROLES.items() if text.startswith(start)), "generator")
        with self._guard:
            self.asked.append((role, text))
        said = self.players[role](text) if role in self.players else ""
        return Said(said) if isinstance(said, str) else said

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                said = api.answer(body["messages"])
                time.sleep(said.pause_s)
                content = json.dumps(_reply(said)).encode()
                self.send_response(said.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        return Handler


def _reply(said: Said) -> dict[str, object]:
    if said.status != 200:
        return {"error": {"message": "scripted", "code": "invalid_api_key"}}
    message = {"role": "assistant", "content": said.text}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-1",
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def references_by_question(questions: Iterable[Question]) -> Mapping[str, str]:
    """Return reference queries by question, and masked ones by masked question."""
    found: dict[str, str] = {}
    for question in questions:
        masked = mask(question.text, question.reference_cypher)
        found |= {question.text: question.reference_cypher, masked.question: masked.query}
    return found


def right(references: Mapping[str, str]) -> Player:
    """Answer with the reference query of the question that is asked."""

    def player(text: str) -> str:
        # Names have an X more where a query holds the word itself.
        name = "MOLECULEX" if "MOLECULEX_1" in text else "MOLECULE"
        lines = text.replace(name, "MOLECULE").splitlines()
        query = next((references[line] for line in lines if line in references), "")
        return f"```\n{query.replace('MOLECULE_', f'{name}_')}\n```"

    return player


def always(said: Said | str) -> Player:
    """Say the same whatever is asked."""
    return lambda _: said
