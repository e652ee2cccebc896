"""What every model is: messages in, an answer out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from retrocypher.kg.errors import RetroCypherError
from retrocypher.kg.questions.question import Question
from retrocypher.prompts.templates.exemplars import Exemplar

Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """One call for an answer.

    Attributes:
        messages: Chat messages, each with ``role`` and ``content``.
        question: The question behind them; for models that need no text (oracle, file and the like).
        exemplar: The exemplar shown, None with zero-shot.
        case: ``prompt``, ``shot``, ``loop`` and ``phrasing`` of the case.
        case_id: Name of the case, for messages.
        repeat: How often the same messages were sent before in this case.
        common: How many characters at the beginning of the last message all requests of its sort share, with
            all messages before it; None where nothing is shared. What a model makes of them may be kept.
    """

    messages: list[Message]
    question: Question
    exemplar: Exemplar | None
    case: dict[str, str]
    case_id: str = ""
    repeat: int = 0
    common: int | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """One call of a model that reads messages, for an answer to no question of the benchmark.

    Attributes:
        messages: Chat messages, each with ``role`` and ``content``.
        case_id: What it is for, for messages.
        repeat: How often the same messages were sent before for this.
        common: As of a `Request`.
    """

    messages: list[Message]
    case_id: str = ""
    repeat: int = 0
    common: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    Attributes:
        text: The answer as it came.
        tokens: ``prompt`` and ``completion`` counts, where the model tells them.
        time_s: Wall-clock seconds of the call that answered, waiting for a slot left out; 0 where no call
            was made. Of an answer from the cache, those of the call that it was had by.
        details: What else there is to know, e.g. ``finish_reason``, ``attempts``, ``no_answer`` (why the
            text is empty), ``operator`` (of a mutant), ``numbers`` (log-probabilities of the tokens that
            are numbers, see `number_tokens`). JSON values only.
        verbatim: Whether the text is the query itself, to be executed as it stands without extraction;
            an empty text is then a case without a query.
        cost: What the tokens cost in USD, where the price of the model is known and they were paid now.
        cached: Whether it was had before, so that nobody was asked.
    """

    text: str
    tokens: dict[str, int] | None = None
    time_s: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)
    verbatim: bool = False
    cost: float | None = None
    cached: bool = False


class ModelError(RetroCypherError):
    """A model could not be asked: never a score, always an infrastructure error.

    Attributes:
        kind: Short name of what failed: ``authentication``, ``unknown_model``, ``quota``, ``rate_limit``,
            ``server_error``, ``connection``, ``timeout``, ``malformed_response``, ``bad_request``,
            ``local_model`` or ``not_cached``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Model(Protocol):
    """Text in, text out; needs no database."""

    @property
    def label(self) -> str:
        """Name in ids and tables."""

    def answer(self, request: Request) -> Answer:
        """Answer a request.

        Raises:
            ModelError: If the model cannot be asked.
        """

    def close(self) -> None:
        """Release what the model holds in this process."""


class TextModel(Protocol):
    """A model that reads messages and nothing else of what it is asked."""

    @property
    def label(self) -> str:
        """Name in ids and tables."""

    def answer(self, request: Request | Chat) -> Answer:
        """Answer a request.

        Raises:
            ModelError: If the model cannot be asked.
        """

    def close(self) -> None:
        """Release what the model holds in this process."""


_HALF = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def whole_messages(messages: Iterable[Message]) -> list[Message]:
    """Return messages with the replacement character for each half of a surrogate pair.

    An answer that was cut within an emoji ends with one, and loops hand answers on; no request can hold it.
    """
    return [{name: _HALF.sub(_REPLACEMENT, text) for name, text in message.items()} for message in messages]
