"""An OpenAI-compatible server whose answers depend on the role it is asked in."""

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.loops.cove import mask

_ROLES = {
    "You are the corrector": "corrector",
    "You are the validator": "validator",
    "You are the schema analyst": "analyst",
    "You are the reviewer": "reviewer",
    "You are the result analyst": "result_analyst",
    "You judge whether a Cypher query": "judge",
    "You answer questions of chemists": "writer",
    "You take apart what others write": "claimant",
    "You reword questions": "rewriter",
    "You compare two wordings": "verifier",
    "You improve a system": "distiller",
}

VALID = '{"valid": true, "errors": []}'
ACCEPTED = '{"accepted": true, "issues": []}'
MATCHES = "Matches intent: yes"
JUDGED = '{"reason": "It is right.", "score": 9}'


@dataclass(frozen=True)
class Said:
    """An answer: a text after a pause, or an HTTP status that is no answer.

    With ``tokens`` the text is made of them, and for each there are probabilities of what might have stood
    there; they are sent only where they are asked for. ``error`` is that of a status that is no answer,
    ``body`` a reply that is sent as it is, and ``parts`` are those of a reply that are otherwise. Where
    ``drop`` is set the connection is closed without a word.
    """

    text: str | None = ""
    pause_s: float = 0.0
    status: int = 200
    tokens: Sequence[tuple[str, Mapping[str, float]]] = ()
    error: Mapping[str, str | None] = field(
        default_factory=lambda: {"message": "scripted", "code": "invalid_api_key"}
    )
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    refusal: str | None = None
    parts: Mapping[str, object] = field(default_factory=dict)
    drop: bool = False


Role = Callable[[str], Said | str]
"""Given all that a role is asked, joined, what it says."""


@dataclass
class RolesApi:
    """Answers in roles; one that is not in `roles` says nothing."""

    roles: dict[str, Role] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    most_at_once: int = 0

    def __post_init__(self) -> None:
        self._guard = threading.Lock()
        self._at_once = 0
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

    def answer(self, body: dict[str, Any]) -> Said:
        text = "\n".join(message["content"] for message in body["messages"])
        role = next((role for start, role in _ROLES.items() if text.startswith(start)), "generator")
        with self._guard:
            self.asked.append((role, text))
            self.bodies.append(body)
            self.times.append(time.monotonic())
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        said = self.roles[role](text) if role in self.roles else ""
        return Said(said) if isinstance(said, str) else said

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def done(self) -> None:
        with self._guard:
            self._at_once -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                api.keys.append(self.headers["authorization"])
                said = api.answer(body)
                time.sleep(said.pause_s)
                api.done()
                try:
                    self._send(said, _reply(said, bool(body.get("logprobs"))))
                except ConnectionError:
                    self.close_connection = True  # The client did not wait.

            def _send(self, said: Said, reply: object) -> None:
                if said.drop:
                    self.close_connection = True
                    return
                content = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
                self.send_response(said.status)
                for name, value in {"content-type": "application/json", **said.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        return Handler


def _reply(said: Said, logprobs: bool) -> object:
    if said.body is not None:
        return said.body
    if said.status != 200:
        return {"error": dict(said.error)}
    text = "".join(token for token, _ in said.tokens) or said.text
    message = {"role": "assistant", "content": text, "refusal": said.refusal}
    fields = {"content": [_token(token, others) for token, others in said.tokens]}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-1",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": message,
                "logprobs": fields if said.tokens and logprobs else None,
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        **said.parts,
    }


def _token(token: str, others: Mapping[str, float]) -> dict[str, object]:
    found = [{"token": name, "logprob": math.log(share), "bytes": None} for name, share in others.items()]
    share = others.get(token, 1.0)
    return {"token": token, "logprob": math.log(share), "bytes": list(token.encode()), "top_logprobs": found}


def right(references: Mapping[str, str]) -> Role:
    """Answer with the reference query of the question that is asked."""

    def answer(text: str) -> str:
        # Names have an X more where a query holds the word itself.
        name = "MOLECULEX" if "MOLECULEX_1" in text else "MOLECULE"
        lines = text.replace(name, "MOLECULE").splitlines()
        query = next((references[line] for line in lines if line in references), "")
        return f"```\n{query.replace('MOLECULE_', f'{name}_')}\n```"

    return answer


@cache
def right_answers() -> Role:
    """Answer each of the shipped questions rightly."""
    references: dict[str, str] = {}
    for question in load_questions().questions:
        masked = mask(question.text, question.reference_cypher)
        references |= {question.text: question.reference_cypher, masked.question: masked.query}
    return right(references)


def always(said: Said | str) -> Role:
    """Say the same whatever is asked."""
    return lambda _: said


def scripted_api() -> RolesApi:
    """Return an API whose models write right queries and object to nothing."""
    said = {"validator": VALID, "reviewer": ACCEPTED, "result_analyst": MATCHES}
    said |= {"analyst": "Molecules react.", "judge": JUDGED}
    scripted = {role: always(text) for role, text in said.items()}
    return RolesApi({"generator": right_answers(), "corrector": right_answers(), **scripted})
