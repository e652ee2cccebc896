"""The interface of models: messages in, a completion out."""

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
    """A request for the completion of a case.

    Attributes:
        messages: Chat messages, each with ``role`` and ``content``.
        question: The question behind them, for models that read no messages (oracle, file and the like).
        exemplar: The exemplar shown; None with zero-shot.
        case: ``prompt``, ``shot``, ``loop``, ``phrasing`` and ``repeat`` of the case.
        case_id: For error messages.
        repeat: How often the same messages were sent before in this case.
        common: Length of the beginning that all requests of this sort share: all messages before the last,
            and this many characters of the last; None where nothing is shared. A model may store its state
            after the shared part.
        case_repeat: How many times the case has been asked with this one (``--repeat``). It is part of the
            seed.
    """

    messages: list[Message]
    question: Question
    exemplar: Exemplar | None
    case: dict[str, str]
    case_id: str = ""
    repeat: int = 0
    common: int | None = None
    case_repeat: int = 1


@dataclass(frozen=True, slots=True)
class Chat:
    """A request for a completion that belongs to no question of the benchmark; fields as in `Request`."""

    messages: list[Message]
    case_id: str = ""
    repeat: int = 0
    common: int | None = None
    case_repeat: int = 1


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model returned.

    Attributes:
        text: The text, unchanged.
        tokens: ``prompt`` and ``completion`` counts, where known.
        time_s: Wall-clock seconds of the successful call, without waiting for a slot; 0 where no call was
            made. From the cache: those of the original call.
        details: Other facts, e.g. ``finish_reason``, ``attempts``, ``no_answer`` (why the text is empty),
            ``operator`` (of a mutant), ``numbers`` (see `number_tokens`). JSON values only.
        verbatim: Whether the text is the query itself, to be executed without extraction; an empty text is
            then a case without a query.
        cost: Cost of the tokens in USD, where the price is known and they were paid now.
        cached: Whether it came from the cache.
    """

    text: str
    tokens: dict[str, int] | None = None
    time_s: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)
    verbatim: bool = False
    cost: float | None = None
    cached: bool = False


class ModelError(RetroCypherError):
    """A model could not be asked: an infrastructure error, never a score.

    Attributes:
        kind: Name of the failure: ``authentication``, ``unknown_model``, ``quota``, ``rate_limit``,
            ``server_error``, ``connection``, ``timeout``, ``malformed_response``, ``bad_request``,
            ``local_model``, ``gateway`` or ``not_cached``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Model(Protocol):
    """Answers the requests of a run; needs no database."""

    @property
    def label(self) -> str:
        """Name in ids and tables."""

    def answer(self, request: Request) -> Completion:
        """Return the completion of a request; raise ModelError if the model cannot be asked."""

    def close(self) -> None:
        """Release what the model holds in this process."""


class TextModel(Model, Protocol):
    """A model that reads only the messages of a request."""

    def answer(self, request: Request | Chat) -> Completion:
        """Return the completion of a request; raise ModelError if the model cannot be asked."""


_HALF = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def whole_messages(messages: Iterable[Message]) -> list[Message]:
    """Return messages with the replacement character for each half of a surrogate pair.

    A completion that was cut within an emoji ends with one, and loops put completions into messages; no
    request can hold it.
    """
    return [{name: _HALF.sub(_REPLACEMENT, text) for name, text in message.items()} for message in messages]
