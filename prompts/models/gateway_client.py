"""The workers' side of the gateway: models that ask it over a local socket."""

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from retrocypher.prompts.models.interface import Chat, Completion, Message, ModelError, Request
from retrocypher.prompts.models.sides import Side
from retrocypher.prompts.models.spec import ModelSpec

MAXIMUM_BYTES = 1 << 30
"""Size of a longer message on the socket is a fault."""
HEAD_BYTES = 8


@dataclass(frozen=True, slots=True)
class GatewayAddress:
    """Where a gateway listens, and the token that it asks for: keep it out of files."""

    path: str
    token: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that reads messages, and how it is asked.

    Attributes:
        logprobs: How many log-probabilities of each token to ask for, 0 to 20.
        form: JSON schema that completions of llama.cpp must match, as text; not sent to an API. Empty for
            free text.
    """

    spec: ModelSpec
    side: Side = "run"
    logprobs: int = 0
    form: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to the gateway; fields as in `Request`."""

    model: ModelChoice
    messages: list[Message]
    case_id: str = ""
    repeat: int = 0
    common: int | None = None
    case_repeat: int = 1


def encoded(value: object) -> bytes:
    """Return a value as a frame of the socket: its length, then JSON in ASCII, which may hold any text."""
    body = json.dumps(msgspec.to_builtins(value)).encode()
    return len(body).to_bytes(HEAD_BYTES) + body


def frame_length(head: bytes) -> int:
    """Return the length of a frame's body; raise ValueError if it is too long."""
    length = int.from_bytes(head)
    if length > MAXIMUM_BYTES:
        raise ValueError(f"a message of {length:,} bytes")
    return length


class GatewayConnections:
    """Asks a gateway; each thread has a connection of its own.

    Args:
        waiting: Entered while a thread waits for a completion.
    """

    def __init__(
        self, address: GatewayAddress, waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._address = address
        self._waiting = waiting
        self._threads = threading.local()

    def complete(self, asked: Asked) -> Completion:
        """Return the completion of a request; raise ModelError if there is none."""
        try:
            connection = self._connection()
            connection.sendall(encoded(asked))
            with self._waiting():
                body = _read(connection, frame_length(_read(connection, HEAD_BYTES)))
            reply = json.loads(body)
        except (OSError, ValueError) as error:
            self.close()
            raise ModelError(
                "connection", f"The session's gateway to the models has ended ({error}). Repeat the command."
            ) from error
        except BaseException:
            # The reply to an interrupted request must not be taken for that to the next.
            self.close()
            raise
        if "error" in reply:
            raise ModelError(reply["error"]["kind"], reply["error"]["message"])
        return msgspec.convert(reply["completion"], Completion)

    def close(self) -> None:
        """Close this thread's connection; the next request opens another."""
        connection = self._threads.__dict__.pop("connection", None)
        if connection is not None:
            connection.close()

    def _connection(self) -> socket.socket:
        connection: socket.socket | None = getattr(self._threads, "connection", None)
        if connection is None:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.connect(self._address.path)
                connection.sendall(encoded(self._address.token))
            except BaseException:
                connection.close()
                raise
            self._threads.connection = connection
        return connection


def _read(connection: socket.socket, length: int) -> bytes:
    parts = []
    while length:
        part = connection.recv(min(length, 1 << 20))
        if not part:
            raise ConnectionError("it closed the connection")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


class GatewayModel:
    """A model that reads messages, asked through the gateway."""

    def __init__(self, choice: ModelChoice, connections: GatewayConnections) -> None:
        self.label = choice.spec.label
        self._choice = choice
        self._connections = connections

    def answer(self, request: Request | Chat) -> Completion:
        """Return the completion of a request; raise ModelError if the model cannot be asked."""
        case_id = request.case_id or (request.question.id if isinstance(request, Request) else "")
        more = request.repeat, request.common, request.case_repeat
        return self._connections.complete(Asked(self._choice, request.messages, case_id, *more))

    def close(self) -> None:
        """Close the connection of this thread."""
        with suppress(OSError):
            self._connections.close()


def choice_of(
    spec: ModelSpec, *, side: Side = "run", logprobs: int = 0, form: Mapping[str, Any] | None = None
) -> ModelChoice:
    """Return how a model is asked; ``form`` is a JSON schema."""
    return ModelChoice(spec, side, logprobs, json.dumps(form) if form else "")
