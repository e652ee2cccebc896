"""A model behind an OpenAI-compatible API."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import openai

from retrocypher.kg.secrets import redact_all, secrets_of
from retrocypher.prompts.models.endpoint import (
    RETRY_POLICY,
    CircuitBreaker,
    Endpoint,
    RetryPolicy,
    Ticket,
    exhausted_s,
)
from retrocypher.prompts.models.gateway_client import Asked
from retrocypher.prompts.models.interface import Completion, whole_messages
from retrocypher.prompts.models.openai_client import (
    UNREACHED,
    Failure,
    OpenAIClient,
    address_of,
    number_tokens,
    together,
    understand,
)
from retrocypher.prompts.models.prices import Price
from retrocypher.prompts.models.spec import seeded

_UNANSWERED = (openai.OpenAIError, TimeoutError)
# How replies that break their own format surface.
_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError)
_NOTHING = "the reply is empty"
_EMPTY = {
    "length": f"{_NOTHING}: it ran into the limit of its length, perhaps amid its thoughts",
    "content_filter": f"{_NOTHING}: the API's content filter held it back",
}


class OpenAIModel:
    """Asks for a chat completion, again and again where that may help.

    Args:
        name: The API's name of the model.
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
        endpoint: The API's calls in flight; waiting and pausing hold none.
        parameters: What is sent besides model and messages, unless the API refuses it.
        price: What its tokens cost; None where that is not known.
        allow: Called before each attempt; raises ModelError if the model is not to be asked.
    """

    def __init__(
        self,
        name: str,
        *,
        environment: Mapping[str, str],
        endpoint: Endpoint,
        breaker: CircuitBreaker,
        parameters: Mapping[str, Any],
        price: Price | None = None,
        allow: Callable[[], None] = lambda: None,
        policy: RetryPolicy = RETRY_POLICY,
    ) -> None:
        self._name = name
        self._endpoint = endpoint
        self._breaker = breaker
        self._price = price
        self._allow = allow
        self._policy = policy
        self._address = address_of(environment)
        self._secrets = secrets_of(environment)
        self._parameters = dict(parameters)
        self._refused: list[str] = []
        self._client = OpenAIClient(environment, timeout_s=policy.timeout_s, connect_s=policy.connect_s)

    async def complete(self, asked: Asked, ticket: Ticket) -> Completion:
        """Return the completion of a request; the ticket is for the first attempt.

        A prompt over the model's context, a content filter and an empty reply are completions without a
        query: they are the model's own limits and would come again. Raises ModelError if the API refuses the
        key, the model or the request, attempts run out, or the model was given up on.
        """
        attempt = timeouts = 0
        while True:
            attempt += 1
            async with self._endpoint.call(ticket) as began:
                completion, failure = await self._attempt(asked, attempt, began)
                if failure is None or failure.kind not in UNREACHED:
                    self._breaker.was_reached = True
                if failure is None or failure.verdict != "retry":
                    self._breaker.replied()
                elif failure.kind != "rate_limit":
                    # It keeps its place, so that an API that fails does not get ever more requests.
                    timeouts += failure.kind == "timeout"
                    await self._pause(failure, attempt, timeouts)
            ticket = Ticket(urgent=True)
            if completion is not None:
                return completion
            assert failure is not None
            match failure.verdict:
                case "without_parameter":
                    for name in together(failure.parameter):
                        if self._parameters.pop(name, None) is not None:
                            self._refused.append(name)
                    attempt -= 1
                    continue
                case "give_up":
                    raise self._breaker.failed(failure.kind, failure.message)
            if failure.kind == "rate_limit":
                # A limit on the rate holds for the endpoint, which lets no call begin before.
                self._require_attempts(failure, attempt, timeouts)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _attempt(
        self, asked: Asked, attempt: int, began: float
    ) -> tuple[Completion | None, Failure | None]:
        self._breaker.check()
        self._allow()
        # Another call in flight may learn that the API refuses one of them.
        parameters = seeded(self._parameters, asked.case_repeat)
        started = time.perf_counter()
        try:
            reply, headers = await self._client.complete(
                model=self._name, messages=whole_messages(asked.messages), **parameters
            )
            completion = self._read(reply, time.perf_counter() - started, attempt)
            self._breaker.has_completed = True
            self._endpoint.succeeded(sum((completion.tokens or {}).values()))
            self._endpoint.pause(min(exhausted_s(headers), self._policy.longest_wait_s))
            return completion, None
        except (*_UNANSWERED, *_UNREADABLE) as error:
            failure = understand(error, frozenset(parameters), self._secrets, self._address)
            if failure.kind == "rate_limit":
                wait_s = self._policy.wait_s(attempt, failure.wait_s)
                self._endpoint.throttled(began, min(wait_s, self._policy.longest_wait_s))
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

    async def _pause(self, failure: Failure, attempt: int, timeouts: int) -> None:
        self._require_attempts(failure, attempt, timeouts)
        await asyncio.sleep(self._policy.wait_s(attempt, failure.wait_s))

    def _require_attempts(self, failure: Failure, attempt: int, timeouts: int) -> None:
        """Raise ModelError if the request is not tried again."""
        policy = self._policy
        attempts = policy.attempts
        if failure.kind == "connection" and not self._breaker.was_reached:
            attempts = min(attempts, policy.unreached)
        if attempt >= attempts or timeouts >= policy.timeouts:
            times = "once" if attempt == 1 else f"{attempt} times"
            raise self._breaker.failed(failure.kind, f"{failure.message} Asked {times}.")
        if failure.wait_s is not None and failure.wait_s > policy.longest_wait_s:
            raise self._breaker.failed(
                failure.kind, f"{failure.message} It asks to wait {failure.wait_s:.0f} s, which is too long."
            )


def _tokens(usage: Any) -> dict[str, int] | None:
    """Return the counts of a call; None where a server leaves one of them out."""
    if not usage:
        return None
    counts = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}
    return counts if all(isinstance(count, int) for count in counts.values()) else None
