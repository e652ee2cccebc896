"""A model behind an OpenAI-compatible API."""

import time
from collections.abc import Mapping
from typing import Any

import openai

from retrocypher.kg.secrets import redact_all, secrets_of
from retrocypher.prompts.models.interface import Chat, Completion, Request, whole_messages
from retrocypher.prompts.models.openai_client import (
    UNREACHED,
    Failure,
    OpenAIClient,
    api_parameters,
    asked_for,
    number_tokens,
    together,
    understand,
)
from retrocypher.prompts.models.prices import Price
from retrocypher.prompts.models.retries import RETRY_POLICY, CircuitBreaker, RetryPolicy, Slots

_UNANSWERED = (openai.OpenAIError, TimeoutError)
# How replies that break their own format surface.
_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError)
_NOTHING = "the reply is empty"
_EMPTY = {
    "length": f"{_NOTHING}: it ran into the limit of its length, perhaps amid its thoughts",
    "content_filter": f"{_NOTHING}: the API's content filter held it back",
}


class OpenAIModel:
    """Asks for a chat completion at temperature 0 with a seed, again and again where that may help.

    Args:
        name: The API's name of the model.
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
        slots: Calls in flight over all processes; waiting and pausing hold none.
        given_up: Whether the model is still to be asked, over all processes.
        price: What its tokens cost; None where that is not known.
        logprobs: How many log-probabilities of each token to ask for; 0 for none.
    """

    def __init__(
        self,
        label: str,
        name: str,
        *,
        environment: Mapping[str, str],
        slots: Slots,
        given_up: CircuitBreaker,
        seed: int,
        price: Price | None = None,
        logprobs: int = 0,
        patience: RetryPolicy = RETRY_POLICY,
    ) -> None:
        self.label = label
        self._name = name
        self._slots = slots
        self._given_up = given_up
        self._price = price
        self._patience = patience
        self._secrets = secrets_of(environment)
        self._parameters = api_parameters(seed) | asked_for(logprobs)
        self._refused: list[str] = []
        self._client = OpenAIClient(environment, timeout_s=patience.timeout_s, connect_s=patience.connect_s)

    def answer(self, request: Request | Chat) -> Completion:
        """Return the completion of a request.

        A prompt over the model's context, a content filter and an empty reply are answers without a query:
        they are the model's own limits and would come again. Raises ModelError if the API refuses the key,
        the model or the request, attempts run out, or the model was given up on.
        """
        attempt = timeouts = 0
        while True:
            attempt += 1
            self._given_up.check()
            answer, failure = self._attempt(request, attempt)
            if failure is None or failure.kind not in UNREACHED:
                self._given_up.reached()
            if failure is None or failure.verdict != "retry":
                self._given_up.replied()
            if answer is not None:
                return answer
            assert failure is not None
            match failure.verdict:
                case "without_parameter":
                    for name in together(failure.parameter):
                        if self._parameters.pop(name, None) is not None:
                            self._refused.append(name)
                    attempt -= 1
                    continue
                case "give_up":
                    raise self._given_up.failed(failure.kind, failure.message)
            timeouts += failure.kind == "timeout"
            self._pause(failure, attempt, timeouts)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _attempt(self, request: Request | Chat, attempt: int) -> tuple[Completion | None, Failure | None]:
        with self._slots.hold():
            started = time.perf_counter()
            try:
                reply = self._client.complete(
                    model=self._name, messages=whole_messages(request.messages), **self._parameters
                )
                time_s = time.perf_counter() - started
                return self._read(reply, time_s, attempt), None
            except (*_UNANSWERED, *_UNREADABLE) as error:
                failure = understand(error, frozenset(self._parameters), self._secrets)
                if failure.verdict != "no_answer":
                    return None, failure
                details = self._details(attempt, no_answer=failure.message)
                return Completion("", time_s=time.perf_counter() - started, details=details), failure

    def _read(self, reply: Any, time_s: float, attempt: int) -> Completion:
        choice = reply.choices[0]
        text = choice.message.content or ""
        if not isinstance(text, str):
            raise TypeError("the content is no text")
        details = self._details(attempt, finish_reason=choice.finish_reason, model=reply.model)
        if isinstance(build := getattr(reply, "system_fingerprint", None), str):
            details["system_fingerprint"] = build
        if not text.strip():
            refusal = getattr(choice.message, "refusal", None)
            details["no_answer"] = str(refusal) if refusal else _EMPTY.get(choice.finish_reason, _NOTHING)
        if numbers := number_tokens(text, getattr(choice, "logprobs", None)):
            details["numbers"] = numbers
        tokens = _tokens(reply.usage)
        cost = self._price.cost(tokens) if self._price and tokens else None
        # Here, so that what is scored, kept and recorded is one and the same text.
        text, details = self._secrets.redact(text), redact_all(self._secrets, details)
        return Completion(text, tokens=tokens, time_s=time_s, details=details, cost=cost)

    def _details(self, attempt: int, **more: Any) -> dict[str, Any]:
        details: dict[str, Any] = {"attempts": attempt, **more}
        if self._refused:
            details["without"] = list(self._refused)
        return details

    def _pause(self, failure: Failure, attempt: int, timeouts: int) -> None:
        patience = self._patience
        attempts = patience.attempts
        if failure.kind == "connection" and not self._given_up.was_reached:
            attempts = min(attempts, patience.unreached)
        if attempt >= attempts or timeouts >= patience.timeouts:
            times = "once" if attempt == 1 else f"{attempt} times"
            raise self._given_up.failed(failure.kind, f"{failure.message} Asked {times}.")
        if failure.wait_s is not None and failure.wait_s > patience.longest_wait_s:
            raise self._given_up.failed(
                failure.kind, f"{failure.message} It asks to wait {failure.wait_s:.0f} s, which is too long."
            )
        time.sleep(patience.wait_s(attempt, failure.wait_s))


def _tokens(usage: Any) -> dict[str, int] | None:
    """Return the counts of a call; None where a server leaves one of them out."""
    if not usage:
        return None
    counts = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}
    return counts if all(isinstance(count, int) for count in counts.values()) else None
