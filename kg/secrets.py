"""Keys and passwords that this process knows, and their redaction from what is shown or kept."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

REDACTED = "***"
SHORTEST = 8
"""Shorter values are words such as ``none``, given to servers that need no key."""

_NAMED = ("OPENAI_API_KEY", "RETROCYPHER_JUDGE_API_KEY", "NEO4J_PASSWORD")
_ADDRESSES = ("OPENAI_BASE_URL", "RETROCYPHER_JUDGE_BASE_URL")


class Secrets:
    """Values that must not be seen; those shorter than `SHORTEST` characters are no secrets."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self.values = frozenset(value for value in values if len(value) >= SHORTEST)
        # Twice, since a reply in JSON may hold JSON or a page.
        forms = {twice for value in self.values for once in _forms(value) for twice in _forms(once)}
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
    """Return the secrets of an environment and of servers' URIs, such as a user may give with ``--graph``.

    Secret are ``OPENAI_API_KEY``, ``RETROCYPHER_JUDGE_API_KEY``, ``NEO4J_PASSWORD``, and user and password in
    ``OPENAI_BASE_URL`` and ``RETROCYPHER_JUDGE_BASE_URL``.
    """
    named = (environment.get(name, "").strip() for name in _NAMED)
    found = [*named, *(part for each in addresses for part in _credentials(each, user_alone=False))]
    for asked in (environment.get(name, "") for name in _ADDRESSES):
        # A user without a password is a token here, but the name of an account in the address of a graph.
        found += [
            *_credentials(asked, user_alone=True),
            *(value for _, value in parse_qsl(asked.partition("?")[2])),
        ]
    return Secrets(found)


def without_password(uri: str) -> str:
    """Return a URI with the password in it, if any, replaced by ``***``."""
    scheme, mark, rest = uri.partition("://")
    credentials, at, host = rest.rpartition("@")
    if not at or ":" not in credentials:
        return uri
    return f"{scheme}{mark}{credentials.partition(':')[0]}:{REDACTED}@{host}"


def _credentials(address: str, *, user_alone: bool) -> Iterator[str]:
    _, mark, rest = address.partition("://")
    credentials, at, _ = rest.rpartition("@")
    if not mark or not at:
        return
    user, colon, password = credentials.partition(":")
    if colon:
        yield from (password, unquote(password))
        # The form in the header of a request, which a server may repeat.
        yield base64.b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
    elif user_alone:
        yield from (user, unquote(user), base64.b64encode(f"{unquote(user)}:".encode()).decode())


def _forms(value: str) -> Iterator[str]:
    """A value as it is, within JSON, within Python's own quotes, in an address, and in HTML."""
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    # As Jinja writes JSON into a page.
    yield json.dumps(value)[1:-1].translate({ord(each): f"\\u{ord(each):04x}" for each in "<>&'"})
    yield repr(value)[1:-1]
    yield quote(value, safe="")
    in_html = html.escape(value)
    yield html.escape(value, quote=False)
    yield in_html
    # As Jinja writes it.
    yield in_html.replace("&#x27;", "&#39;").replace("&quot;", "&#34;")


def redact_all(secrets: Secrets, value: Any) -> Any:
    """Return a JSON value with the secrets in all its texts redacted; names of fields stay."""
    if isinstance(value, str):
        return secrets.redact(value)
    if isinstance(value, Mapping):
        return {name: redact_all(secrets, part) for name, part in value.items()}
    return [redact_all(secrets, part) for part in value] if isinstance(value, list | tuple) else value
