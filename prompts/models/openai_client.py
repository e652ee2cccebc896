"""The client of an OpenAI-compatible API: single calls, what their failures mean, log-probabilities."""

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import unquote, urlsplit

from retrocypher.kg.secrets import REDACTED, Secrets
from retrocypher.prompts.models.endpoint import retry_after_s
from retrocypher.prompts.models.spec import ModelSpec

if TYPE_CHECKING:
    import openai

LOGPROBS = "logprobs"
_MOST = "top_logprobs"
_KNOWN = {"model", "messages", "temperature", "seed", "top_p", "max_tokens", LOGPROBS, _MOST}


def api_parameters(seed: int, sampling: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters sent to an API besides model and messages, unless it refuses them."""
    return {"temperature": 0, "seed": seed, **sampling}


def asked_for(logprobs: int) -> dict[str, Any]:
    """Return the parameters that ask for log-probabilities of the 0 to 20 likeliest tokens at each place."""
    return {LOGPROBS: True, _MOST: logprobs} if logprobs else {}


def together(parameter: str) -> tuple[str, ...]:
    """Return the parameters that go with one where an API refuses it, itself among them."""
    return (LOGPROBS, _MOST) if parameter in (LOGPROBS, _MOST) else (parameter,)


def number_tokens(text: str, logprobs: Any) -> list[dict[str, Any]]:
    """Return the tokens of a completion that are whole numbers, and what else might have stood there.

    All tokens with all their alternatives would be a hundred times the completion.

    Args:
        text: The completion.
        logprobs: What the API tells of its tokens, as an object or as JSON; anything else tells nothing.

    Returns:
        Of each such token ``at`` (characters of the text before its first digit), ``token`` (its digits) and
        ``likely``: pairs of a number, as it is written, and its log-probability, the token itself among
        them. Empty where the tokens do not make up the text; tokens without alternatives are left out.
    """
    tokens = _get(logprobs, "content")
    if not isinstance(tokens, Sequence) or isinstance(tokens, str):
        return []
    pieces = [_piece(token) for token in tokens]
    # Tokens may split a character in the middle, and end with one that is no text.
    before = b"".join(pieces).find(text.encode("utf-8", "surrogatepass"))
    if before < 0 or not text:
        return []
    found, at = [], -before
    for piece, token in zip(pieces, tokens, strict=True):
        written = piece.decode("utf-8", "replace")
        if _is_number(written) and at >= 0 and (likely := list(_likely(token))):
            blank = len(written) - len(written.lstrip())
            begin = len(text.encode("utf-8", "surrogatepass")[: at + blank].decode("utf-8", "replace"))
            found.append({"at": begin, "token": written.strip(), "likely": likely})
        at += len(piece)
    return found


def _likely(token: Any) -> Iterator[list[Any]]:
    written: set[str] = set()
    others = _get(token, _MOST)
    if not isinstance(others, Sequence) or not others:
        return
    for each in (*others, token):
        name, logprob = _get(each, "token"), _get(each, "logprob")
        if not isinstance(name, str) or not _is_number(name) or name in written:
            continue
        if isinstance(logprob, int | float) and not isinstance(logprob, bool) and logprob <= 0:
            # Minus infinity is no number in JSON; neither changes a sum.
            written.add(name)
            yield [name.strip(), max(float(logprob), -9999.0)]


def _is_number(token: str) -> bool:
    return token.strip().isascii() and token.strip().isdecimal()


def _piece(token: Any) -> bytes:
    told = _get(token, "bytes")
    if isinstance(told, list) and all(isinstance(each, int) and 0 <= each < 256 for each in told) and told:
        return bytes(told)
    name = _get(token, "token")
    return name.encode("utf-8", "surrogatepass") if isinstance(name, str) else b""


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


_SECRET = re.compile(r"\b(?:sk|pk|key|token)-[^\s'\",]+|(?i:bearer)\s+\S+")
_CONTEXT = re.compile(
    r"context.?(?:length|window|size)|maximum context|prompt is too long|too many tokens", re.I
)
_FILTER = re.compile(r"content.?(?:filter|policy|management)|responsible.?ai", re.I)
_REFUSED_PARAMETER = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|extra inputs|only the default", re.I
)
_LONGEST = 400
UNREACHED = frozenset({"connection", "timeout"})
"""Kinds of failure that do not show whether there is an API at all."""

Verdict = Literal["retry", "no_answer", "without_parameter", "give_up"]


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that brought no answer.

    Attributes:
        verdict: ``retry``: it may pass; ``no_answer``: the model's own limit, so a result;
            ``without_parameter``: ask again without `parameter`; ``give_up``: asking again is of no use.
        kind: As in `ModelError.kind`.
        message: For the user, without secrets.
        wait_s: What the API asked us to wait.
        parameter: The parameter that the model does not take.
    """

    verdict: Verdict
    kind: str
    message: str
    wait_s: float | None = None
    parameter: str = ""


def understand(error: Exception, parameters: frozenset[str], secrets: Secrets, address: str) -> Failure:
    """Sort an exception of the ``openai`` library, given the optional parameters that were sent."""
    import openai

    told = without_secrets(str(error), secrets)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return Failure("retry", "timeout", f"The API at {address} gave no answer in time.")
    if isinstance(error, openai.APIConnectionError):
        cause = without_secrets(reason_of(error), secrets)
        return Failure(
            "retry",
            "connection",
            f"The API at {address} cannot be reached ({cause}). Is OPENAI_BASE_URL right?",
        )
    if not isinstance(error, openai.APIStatusError):
        return Failure("retry", "malformed_response", f"The API's reply cannot be read ({told}).")
    status = error.status_code
    if status in (400, 403, 422) and LOGPROBS in parameters and LOGPROBS in told:
        # Some have none for some models, others have fewer: without, a score is a plain one.
        return Failure("without_parameter", "bad_request", told, parameter=LOGPROBS)
    if status in (401, 403):
        return Failure(
            "give_up",
            "authentication",
            f"The API at {address} refused the key ({status}); check OPENAI_API_KEY: {told}",
        )
    if status == 404:
        return Failure(
            "give_up",
            "unknown_model",
            f"The API at {address} knows no such model or address (404); check the name and OPENAI_BASE_URL: "
            f"{told}",
        )
    if status == 429 and error.code == "insufficient_quota":
        return Failure("give_up", "quota", f"The account has no quota left: {told}")
    if status == 429:
        wait_s = retry_after_s(error.response.headers)
        return Failure("retry", "rate_limit", f"The API limits the rate (429): {told}", wait_s)
    if status in (408, 409, 425) or status >= 500:
        wait_s = retry_after_s(error.response.headers)
        return Failure("retry", "server_error", f"The API failed ({status}): {told}", wait_s)
    return _refused(error, parameters, told)


def _refused(error: "openai.APIStatusError", parameters: frozenset[str], told: str) -> Failure:
    code = error.code or ""
    if code == "context_length_exceeded" or _CONTEXT.search(told):
        return Failure("no_answer", "context_length", "the prompt is longer than the model's context")
    if _FILTER.search(code) or _FILTER.search(told):
        return Failure("no_answer", "content_filter", "the API's content filter refused the prompt")
    named = [name for name in sorted(parameters) if name == error.param or re.search(rf"\b{name}\b", told)]
    if named and (code in ("unsupported_parameter", "unsupported_value") or _REFUSED_PARAMETER.search(told)):
        return Failure("without_parameter", "bad_request", told, parameter=named[0])
    return Failure("give_up", "bad_request", f"The API refused the request ({error.status_code}): {told}")


def reason_of(error: BaseException) -> str:
    """Return why there is no connection, in the words of the system where it has some."""
    reason = str(error.__cause__ or error)
    below: BaseException | None = error
    while below is not None:
        if isinstance(below, OSError) and below.errno is not None:
            # Their numbers are not the system's; and only they say more than the number does.
            own_words = isinstance(below, socket.gaierror | ssl.SSLError)
            reason = str(below.strerror) if own_words else os.strerror(below.errno)
        below = below.__cause__ or below.__context__
    return reason


def without_secrets(text: str, secrets: Secrets) -> str:
    """Return a text without secrets and all that looks like a key, and cut to a readable length."""
    return _SECRET.sub(REDACTED, secrets.redact(text))[:_LONGEST]


T = TypeVar("T")


async def in_time(call: Callable[[], Awaitable[T]], timeout_s: float) -> T:
    """Return what a call returns; raise TimeoutError after `timeout_s` seconds.

    The call is a task of its own, and is not waited for once it is cancelled: a library that swallows a
    cancellation would else hold back the end of time, and Ctrl-C, for as long as it likes.
    """
    task = asyncio.ensure_future(call())
    try:
        await asyncio.wait({task}, timeout=timeout_s)
    finally:
        over = task.done()
        task.cancel()
    if not over:
        raise TimeoutError
    return task.result()


DEFAULT_ADDRESS = "https://api.openai.com/v1"


def api_address(specs: Iterable[ModelSpec], *, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return host, port and path of the API of a run, without user, password and query; None without one."""
    if not any(spec.kind == "openai" for spec in specs):
        return None
    return address_of(environment)


def apart(address: str) -> tuple[str, tuple[str, str] | None]:
    """Return an http address without user and password, and these two; None where it has none."""
    parts = urlsplit(address)
    if parts.username is None:
        return address, None
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return bare, (unquote(parts.username), unquote(parts.password or ""))


def address_of(environment: Mapping[str, str]) -> str:
    """Return host, port and path of ``OPENAI_BASE_URL``, as `api_address` does."""
    parts = urlsplit(environment.get("OPENAI_BASE_URL") or DEFAULT_ADDRESS)
    return parts.netloc.rpartition("@")[2].lower() + parts.path.rstrip("/")


class OpenAIClient:
    """Asks once for each call, in one event loop.

    Args:
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
        timeout_s: Longest call, from the first byte sent to the last one received, in seconds.
        connect_s: Longest wait for a connection, in seconds.
    """

    def __init__(self, environment: Mapping[str, str], *, timeout_s: float, connect_s: float) -> None:
        # A second to import, which a session without an API model should not pay.
        import openai

        self._timeout_s = timeout_s
        address, credentials = apart(environment.get("OPENAI_BASE_URL") or DEFAULT_ADDRESS)
        # The user and password are not in the address, which is logged with each request. The number of
        # connections is that of the calls in flight, which the endpoint limits.
        self._client = openai.AsyncOpenAI(
            api_key=environment.get("OPENAI_API_KEY", ""),
            base_url=address,
            http_client=openai.DefaultAsyncHttpxClient(auth=credentials) if credentials else None,
            timeout=openai.Timeout(timeout_s, connect=min(connect_s, timeout_s), pool=None),
            max_retries=0,
        )

    async def complete(self, **request: Any) -> tuple[Any, Mapping[str, str]]:
        """Return a chat completion and the headers of the reply.

        Raises openai.OpenAIError, or TimeoutError after `timeout_s`.
        """
        # The library refuses names that it does not know, such as those of --extra-body.
        more = {name: request.pop(name) for name in request.keys() - _KNOWN}

        async def call() -> tuple[Any, Mapping[str, str]]:
            reply = await self._client.chat.completions.with_raw_response.create(**request, extra_body=more)
            return reply.parse(), reply.headers

        return await in_time(call, self._timeout_s)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
