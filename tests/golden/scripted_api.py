"""An OpenAI-compatible server for scripted models."""

import json
import math
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scripted_models import Refusal, Reply, ScriptedModels


class ScriptedApi:
    """The server, on a free port of this machine."""

    def __init__(self, models: ScriptedModels) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self._send(*respond(models, request))

            def do_GET(self) -> None:
                self._send(200, {"object": "list", "data": []})

            def _send(self, status: int, response: Mapping[str, Any]) -> None:
                content = json.dumps(response).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """The value of ``OPENAI_BASE_URL``."""
        return f"http://{self.address}/v1"

    def stop(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()


def respond(models: ScriptedModels, request: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
    """Return the HTTP status and the body that answer a request for a chat completion."""
    prompt = "\n".join(str(message["content"]) for message in request["messages"])
    reply = models.reply(request["model"], prompt)
    if isinstance(reply, Refusal):
        return 400, {"error": {"message": "scripted refusal", "code": reply.code}}
    sent, received = len(prompt) // 4, len(reply.text) // 4
    choice = {
        "index": 0,
        "finish_reason": reply.finish_reason,
        "message": {"role": "assistant", "content": reply.text, "refusal": reply.refusal},
        "logprobs": _logprobs(reply) if request.get("logprobs") and reply.score_weights else None,
    }
    return 200, {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-1",
        "system_fingerprint": "fp_1",
        "choices": [choice],
        "usage": {
            "prompt_tokens": sent,
            "completion_tokens": received,
            "total_tokens": sent + received,
        },
    }


def _logprobs(reply: Reply) -> Mapping[str, Any]:
    """Return the reply as three tokens; that of the score has alternatives."""
    before, score, after = re.split(r'(?<="score": )(\d+)', reply.text)
    weights = {str(each): weight for each, weight in reply.score_weights.items()}
    return {"content": [_token(before), _token(score, weights), _token(after)]}


def _token(token: str, weights: Mapping[str, float] | None = None) -> Mapping[str, Any]:
    alternatives = [
        {"token": text, "logprob": math.log(weight), "bytes": list(text.encode())}
        for text, weight in (weights or {token: 1.0}).items()
    ]
    chosen = next(each for each in alternatives if each["token"] == token)
    return {**chosen, "top_logprobs": alternatives}
