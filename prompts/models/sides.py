"""Whose variables lead to an API: those of the run, or those of the judge."""

from collections.abc import Mapping
from typing import Literal

Side = Literal["run", "judge"]

BASE_URL = "RETROCYPHER_JUDGE_BASE_URL"
API_KEY = "RETROCYPHER_JUDGE_API_KEY"
_USUAL = {BASE_URL: "OPENAI_BASE_URL", API_KEY: "OPENAI_API_KEY"}


def environment_of(side: Side, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment whose usual variables lead to the API of a side; the judge may have its own."""
    if side == "run":
        return environment
    own = {usual: environment[name] for name, usual in _USUAL.items() if environment.get(name)}
    return {**environment, **own}


def with_any_key(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with a key, for asking the cache alone: the key is never sent."""
    return {**environment, "OPENAI_API_KEY": environment.get("OPENAI_API_KEY") or "none"}


def as_set(message: str, side: Side, environment: Mapping[str, str]) -> str:
    """Return a message about the API of a side that names the variables which lead to it."""
    for name, usual in _USUAL.items() if side == "judge" else ():
        message = message.replace(usual, name) if environment.get(name) else message
    return message
