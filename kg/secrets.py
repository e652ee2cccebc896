"""Keys and passwords that this process knows, and striking them out of what is shown or kept."""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

REDACTED = "***"
SHORTEST = 8
"""Shorter values are words such as ``none``, which servers that ask for no key are given."""

_NAMED = ("OPENAI_API_KEY", "RETROCYPHER_JUDGE_API_KEY", "NEO4J_PASSWORD")
_ADDRESSES = ("OPENAI_BASE_URL", "RETROCYPHER_JUDGE_BASE_URL")


class Secrets:
    """Values that must not be seen.

    Args:
        values: The values; those with less than `SHORTEST` characters are no secrets.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self.values = frozenset(value for value in values if len(value) >= SHORTEST)
        forms = {form for value in self.values for form in _forms(value)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None

    def __or__(self, values: Iterable[str]) -> "Secrets":
        return Secrets(self.values | set(values))

    def __bool__(self) -> bool:
        return bool(self.values)

    def are_in(self, text: str) -> bool:
        """Return whether a text holds a secret."""
        return self._pattern is not None and self._pattern.search(text) is not None

    def redact(self, text: str) -> str:
        """Return a text with each secret in it replaced by ``***``."""
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)


def secrets_of(environment: Mapping[str, str], addresses: Iterable[str] = ()) -> Secrets:
    """Return the secrets of an environment and of addresses.

    Args:
        environment: ``OPENAI_API_KEY``, ``RETROCYPHER_JUDGE_API_KEY``, ``NEO4J_PASSWORD``, and user and
            password in ``OPENAI_BASE_URL`` and ``RETROCYPHER_JUDGE_BASE_URL``.
        addresses: URIs of servers, such as a user may give with ``--graph``; what is none is passed over.
    """
    named = (environment.get(name, "").strip() for name in _NAMED)
    found = [*named, *_passwords(addresses)]
    for asked in (environment.get(name, "") for name in _ADDRESSES):
        # A user without a password is a token there, and the name of an account in the address of a graph.
        found += [*_credentials(asked, user_alone=True), *_query(asked)]
    return Secrets(found)


def without_password(uri: str) -> str:
    """Return a URI with the password in it, if any, replaced by ``***``."""
    scheme, mark, rest = uri.partition("://")
    credentials, at, host = rest.rpartition("@")
    if not at or ":" not in credentials:
        return uri
    return f"{scheme}{mark}{credentials.partition(':')[0]}:{REDACTED}@{host}"


def _passwords(addresses: Iterable[str]) -> Iterator[str]:
    for address in addresses:
        yield from _credentials(address, user_alone=False)


def _credentials(address: str, *, user_alone: bool) -> Iterator[str]:
    _, mark, rest = address.partition("://")
    credentials, at, _ = rest.rpartition("@")
    if not mark or not at:
        return
    user, colon, password = credentials.partition(":")
    if colon:
        yield from (password, unquote(password))
        # As the header of a request carries it, which a server may repeat.
        yield base64.b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
    elif user_alone:
        yield from (user, unquote(user), base64.b64encode(f"{unquote(user)}:".encode()).decode())


def _query(address: str) -> Iterator[str]:
    for _, value in parse_qsl(address.partition("?")[2]):
        yield value


def _forms(value: str) -> Iterator[str]:
    """A value as it is, within JSON, within Python's own quotes, and in an address."""
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield repr(value)[1:-1]
    yield quote(value, safe="")


def redact_all(secrets: Secrets, value: Any) -> Any:
    """Return a JSON value with the secrets struck out of all its texts; names of fields stay."""
    if isinstance(value, str):
        return secrets.redact(value)
    if isinstance(value, Mapping):
        return {name: redact_all(secrets, part) for name, part in value.items()}
    return [redact_all(secrets, part) for part in value] if isinstance(value, list | tuple) else value
