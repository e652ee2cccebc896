"""Whether the API of a run is there, asked before its cases are."""

import os
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urlsplit

from kg.secrets import secrets_of
from prompts.models._spec import ModelSpec

DEFAULT_ADDRESS = "https://api.openai.com/v1"
_LONGEST_S = 5.0


def silent_api(
    specs: Iterable[ModelSpec],
    *,
    environment: Mapping[str, str] = os.environ,
    longest_s: float = _LONGEST_S,
) -> str | None:
    """Return a sentence about the API of a run if nothing answers there; None where all is well.

    It is asked for its list of models; any reply will do, a refusal too.

    Args:
        specs: The models of the run; without one behind an API nothing is asked.
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
        longest_s: Longest wait for the reply, in seconds.
    """
    address = api_address(specs, environment=environment)
    if address is None:
        return None
    # A second to import, which runs without an API model should not pay.
    import openai

    from prompts.models._openai_client import OpenAIClient
    from prompts.models._openai_errors import UNREACHED, reason_of, understand, without_secrets

    secrets = secrets_of(environment)
    client = OpenAIClient(environment, timeout_s=longest_s, connect_s=longest_s)
    try:
        client.list_models()
        return None
    except (openai.OpenAIError, TimeoutError, ValueError) as error:
        kind = understand(error, frozenset(), secrets).kind
        if kind not in UNREACHED:
            return None
        late = f"no reply within {longest_s:g} s"
        reason = late if kind == "timeout" else without_secrets(reason_of(error), secrets)
        return (
            f"The API at {address} does not answer ({reason}). Is OPENAI_BASE_URL right? "
            "It is tried again for the cases; those it does not answer count as errors."
        )
    finally:
        client.close()


def api_address(specs: Iterable[ModelSpec], *, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return host, port and path of the API of a run, without user, password and query; None without one.

    Args:
        specs: The models of the run.
        environment: ``OPENAI_BASE_URL``.
    """
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
