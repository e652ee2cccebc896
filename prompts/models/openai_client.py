"""An OpenAI-compatible API: its address and parameters, what its failures mean, log-probabilities."""

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

    told, api = without_secrets(str(error), secrets), f"The API at {address}"
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        message = f"{api} gave no answer in time. Check that it works, or lower --concurrency."
        return Failure("retry", "timeout", message)
    if isinstance(error, openai.APIConnectionError):
        cause = without_secrets(reason_of(error), secrets)
        return Failure("retry", "connection", f"{api} cannot be reached ({cause}). Is OPENAI_BASE_URL right?")
    if not isinstance(error, openai.APIStatusError):
        message = f"The reply of the API at {address} cannot be read ({told}). Is OPENAI_BASE_URL right?"
        return Failure("retry", "malformed_response", message)
    status, wait_s = error.status_code, retry_after_s(error.response.headers)
    if status in (400, 403, 422) and LOGPROBS in parameters and LOGPROBS in told:
        # Some have none for some models, others have fewer: without, a score is a plain one.
        return Failure("without_parameter", "bad_request", told, parameter=LOGPROBS)
    if status in (401, 403):
        message = f"{api} refused the key ({status}); check OPENAI_API_KEY: {told}"
        return Failure("give_up", "authentication", message)
    if status == 404:
        message = f"{api} knows no such model or address (404); check the name and OPENAI_BASE_URL: {told}"
        return Failure("give_up", "unknown_model", message)
    if status == 429 and error.code == "insufficient_quota":
        message = f"{api} has no quota left for this account; add credit, or change OPENAI_API_KEY: {told}"
        return Failure("give_up", "quota", message)
    if status == 429:
        message = f"{api} limits the rate (429); repeat the command later, or lower --concurrency: {told}"
        return Failure("retry", "rate_limit", message, wait_s)
    if status in (408, 409, 425) or status >= 500:
        message = f"{api} failed ({status}); check that it works, and repeat the command: {told}"
        return Failure("retry", "server_error", message, wait_s)
    message = f"{api} refused the request ({status}): {told}"
    return _limit(error, parameters, told) or Failure("give_up", "bad_request", message)


def _limit(error: "openai.APIStatusError", parameters: frozenset[str], told: str) -> Failure | None:
    """Return the limit of the model that a refusal states; None if it states another fault."""
    code = error.code or ""
    if code == "context_length_exceeded" or _CONTEXT.search(told):
        return Failure("no_answer", "context_length", "the prompt is longer than the model's context")
    if _FILTER.search(code) or _FILTER.search(told):
        return Failure("no_answer", "content_filter", "the API's content filter refused the prompt")
    named = [name for name in sorted(parameters) if name == error.param or re.search(rf"\b{name}\b", told)]
    if named and (code in ("unsupported_parameter", "unsupported_value") or _REFUSED_PARAMETER.search(told)):
        return Failure("without_parameter", "bad_request", told, parameter=named[0])
    return None


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
