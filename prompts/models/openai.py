"""A model behind an OpenAI-compatible API."""

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
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
    DEFAULT_ADDRESS,
    Failure,
    address_of,
    apart,
    in_time,
    number_tokens,
    together,
    understand,
)
from retrocypher.prompts.models.prices import Price
from retrocypher.prompts.models.sides import Side, as_set
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
        side: Whose variables messages name.
        endpoint: The API's calls in flight.
        parameters: What is sent besides model and messages, unless the API refuses it.
        price: What its tokens cost; None where that is not known.
    """

    def __init__(
        self,
        name: str,
        *,
        environment: Mapping[str, str],
        side: Side,
        endpoint: Endpoint,
        breaker: CircuitBreaker,
        parameters: Mapping[str, Any],
        price: Price | None = None,
        policy: RetryPolicy = RETRY_POLICY,
    ) -> None:
        self._name = name
        self._endpoint = endpoint
        self._breaker = breaker
        self._price = price
        self._policy = policy
        self._address = address_of(environment)
        self._secrets = secrets_of(environment)
        self._as_set = partial(as_set, side=side, environment=environment)
        self._parameters = dict(parameters)
        self._refused: list[str] = []
        address, credentials = apart(environment.get("OPENAI_BASE_URL") or DEFAULT_ADDRESS)
        # The user and password are not in the address, which is logged with each request. The number of
        # connections is that of the calls in flight, which the endpoint limits.
        self._client = openai.AsyncOpenAI(
            api_key=environment.get("OPENAI_API_KEY", ""),
            base_url=address,
            http_client=openai.DefaultAsyncHttpxClient(auth=credentials) if credentials else None,
            timeout=openai.Timeout(
                policy.timeout_s, connect=min(policy.connect_s, policy.timeout_s), pool=None
            ),
            max_retries=0,
        )

    async def complete(self, asked: Asked, ticket: Ticket) -> Completion:
        """Return the completion of a request that has its place among the calls in flight.

        A prompt over the model's context, a content filter and an empty reply are completions without a
        query: they are the model's own limits and would come again. Raises ModelError if the API refuses the
        key, the model or the request, attempts run out, or the model was given up on.
        """
        attempt = timeouts = 0
        while True:
            attempt += 1
            self._breaker.check()
            # Another call in flight may learn that the API refuses one of them.
            parameters = seeded(self._parameters, asked.case_repeat)
            started = time.perf_counter()
            try:
                reply, headers = await self._send({"messages": whole_messages(asked.messages), **parameters})
                completion = self._read(reply, time.perf_counter() - started, attempt)
            except (*_UNANSWERED, *_UNREADABLE) as error:
                failure = understand(error, frozenset(parameters), self._secrets, self._address)
                failure = replace(failure, message=self._as_set(failure.message))
            else:
                self._breaker.has_completed = True
                self._breaker.replied()
                self._endpoint.succeeded(ticket, completion.tokens)
                self._endpoint.pause(min(exhausted_s(headers), self._policy.longest_wait_s))
                return completion
            if failure.verdict != "retry":
                self._breaker.replied()
            match failure.verdict:
                case "no_answer":
                    details = self._details(attempt, no_answer=failure.message)
                    return Completion("", time_s=time.perf_counter() - started, details=details)
                case "without_parameter":
                    for name in together(failure.parameter):
                        if self._parameters.pop(name, None) is not None:
                            self._refused.append(name)
                    attempt -= 1
                case "give_up":
                    raise self._breaker.failed(failure.kind, failure.message)
                case "retry":
                    timeouts += failure.kind == "timeout"
                    await self._before_next(failure, attempt, timeouts, ticket)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _send(self, body: dict[str, Any]) -> tuple[Any, Mapping[str, str]]:
        """Return a chat completion and the headers of the reply; raise what openai does, or TimeoutError."""
        create: Any = self._client.chat.completions.with_raw_response.create

        async def call() -> tuple[Any, Mapping[str, str]]:
            # The library refuses parameters that it does not know, unless they are more of the body.
            reply = await create(model=self._name, messages=body["messages"], extra_body=body)
            return reply.parse(), reply.headers

        return await in_time(call, self._policy.timeout_s)

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

    async def _before_next(self, failure: Failure, attempt: int, timeouts: int, ticket: Ticket) -> None:
        """Wait as long as a failed call should; raise ModelError if it is not made again."""
        policy, breaker = self._policy, self._breaker
        message = f"{failure.message} Asked {'once' if attempt == 1 else f'{attempt} times'}."
        if failure.wait_s is not None and failure.wait_s > policy.longest_wait_s:
            message = f"{failure.message} It asks to wait {failure.wait_s:.0f} s, which is too long."
            raise breaker.failed(failure.kind, message, for_good=True)
        throttled = failure.kind == "rate_limit"
        # A limit on the rate holds for the endpoint, so what counts is how often it refused all calls.
        refusals = self._endpoint.throttled(ticket) if throttled else 0
        tried = max(attempt, refusals)
        most = policy.attempts if breaker.has_completed else min(policy.attempts, policy.first_attempts)
        last = tried >= most or timeouts >= policy.timeouts
        if last or failure.kind == "timeout":
            # One timeout took as long as all attempts at something else.
            error = breaker.failed(failure.kind, message, for_good=refusals >= most)
            if last or breaker.is_open:
                raise error
        wait_s = policy.wait_s(tried, failure.wait_s)
        if throttled:
            self._endpoint.pause(min(wait_s, policy.longest_wait_s))
            await self._endpoint.call_again(ticket)
        else:
            # It keeps its place, so that an API that fails does not get ever more requests.
            await breaker.pause(wait_s)


def _tokens(usage: Any) -> dict[str, int] | None:
    """Return the counts of a call; None where a server leaves one of them out."""
    if not usage:
        return None
    counts = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}
    return counts if all(isinstance(count, int) for count in counts.values()) else None
