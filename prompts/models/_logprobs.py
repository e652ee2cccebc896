"""Log-probabilities of the tokens of an answer that are numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

LOGPROBS = "logprobs"
_MOST = "top_logprobs"


def asked_for(logprobs: int) -> dict[str, Any]:
    """Return the parameters that ask for log-probabilities; none where none are wanted.

    Args:
        logprobs: How many of the likeliest tokens at each place to be told, 0 to 20.
    """
    return {LOGPROBS: True, _MOST: logprobs} if logprobs else {}


def together(parameter: str) -> tuple[str, ...]:
    """Return the parameters that go with one where an API refuses it, itself among them."""
    return (LOGPROBS, _MOST) if parameter in (LOGPROBS, _MOST) else (parameter,)


def number_tokens(text: str, logprobs: Any) -> list[dict[str, Any]]:
    """Return where an answer has tokens that are whole numbers, and what else might have stood there.

    All tokens with all that might have stood in their place would be a hundred times the answer.

    Args:
        text: The answer.
        logprobs: What the API tells of its tokens, as an object or as JSON; anything else tells nothing.

    Returns:
        Of each such token ``at`` (characters of the text before its first digit), ``token`` (its digits) and
        ``likely``: pairs of a number, as it is written, and its log-probability, the token itself among
        them. Empty where the tokens do not make up the text, without those of which nothing else is told.
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
