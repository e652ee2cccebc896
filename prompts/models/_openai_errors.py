"""What an API's refusal means: the model's own limit, a setting it lacks, or a failure to ask it."""

import os
import re
import socket
import ssl
from dataclasses import dataclass
from typing import Literal

import openai

from kg.secrets import STRUCK, Secrets
from prompts.models._logprobs import LOGPROBS
from prompts.models._patience import retry_after_s

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


def understand(error: Exception, parameters: frozenset[str], secrets: Secrets) -> Failure:
    """Sort an exception of the ``openai`` library.

    Args:
        error: What was raised.
        parameters: The optional parameters that were sent.
        secrets: Never to appear in a message.
    """
    told = without_secrets(str(error), secrets)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return Failure("retry", "timeout", "The API gave no answer in time.")
    if isinstance(error, openai.APIConnectionError):
        cause = without_secrets(reason_of(error), secrets)
        return Failure(
            "retry", "connection", f"The API cannot be reached ({cause}). Is OPENAI_BASE_URL right?"
        )
    if not isinstance(error, openai.APIStatusError):
        return Failure("retry", "malformed_response", f"The API's reply cannot be read ({told}).")
    status = error.status_code
    if status in (400, 403, 422) and LOGPROBS in parameters and LOGPROBS in told:
        # Some have none for some models, others have fewer: without, a score is a plain one.
        return Failure("without_parameter", "bad_request", told, parameter=LOGPROBS)
    if status in (401, 403):
        return Failure("give_up", "authentication", f"The API refused the key ({status}): {told}")
    if status == 404:
        return Failure("give_up", "unknown_model", f"The API knows no such model or address (404): {told}")
    if status == 429 and error.code == "insufficient_quota":
        return Failure("give_up", "quota", f"The account has no quota left: {told}")
    if status == 429:
        wait_s = retry_after_s(error.response.headers)
        return Failure("retry", "rate_limit", f"The API limits the rate (429): {told}", wait_s)
    if status in (408, 409, 425) or status >= 500:
        wait_s = retry_after_s(error.response.headers)
        return Failure("retry", "server_error", f"The API failed ({status}): {told}", wait_s)
    return _refused(error, parameters, told)


def _refused(error: openai.APIStatusError, parameters: frozenset[str], told: str) -> Failure:
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
    return _SECRET.sub(STRUCK, secrets.strike(text))[:_LONGEST]
