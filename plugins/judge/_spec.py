"""Who judges: ``--judge``, and where its API is."""

import os
from collections.abc import Mapping

from kg.errors import InputError
from prompts.models import TEXT_KINDS, ModelSpec, check_models, parse_spec

BASE_URL = "RETROCYPHER_JUDGE_BASE_URL"
API_KEY = "RETROCYPHER_JUDGE_API_KEY"
_USUAL = {BASE_URL: "OPENAI_BASE_URL", API_KEY: "OPENAI_API_KEY"}


def judge_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment in which the usual variables lead to the judge's API.

    Args:
        environment: ``RETROCYPHER_JUDGE_BASE_URL`` and ``RETROCYPHER_JUDGE_API_KEY``; where one is not set,
            the usual one stays.
    """
    own = {usual: environment[name] for name, usual in _USUAL.items() if environment.get(name)}
    return {**environment, **own}


def as_set(message: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return a message about the judge's API that names the variables which lead to it.

    Args:
        message: A message that names the usual variables.
        environment: Where those of the judge are looked up.
    """
    for name, usual in _USUAL.items():
        message = message.replace(usual, name) if environment.get(name) else message
    return message


def judge_spec(text: str, environment: Mapping[str, str] = os.environ) -> ModelSpec:
    """Read and check ``--judge MODEL``; reads files, starts nothing, calls nothing.

    Args:
        text: ``SPEC`` or ``LABEL=SPEC``, as with ``--model``.
        environment: Where key and address are looked up.

    Raises:
        InputError: If it names no model that reads messages, or that model cannot be asked.
    """
    if not text.strip():
        raise InputError(
            "--judge names no model; choose gguf:PATH, local, or a model behind an OpenAI-compatible API"
        )
    asked = judge_environment(environment)
    try:
        spec = parse_spec(text, asked)
        if spec.kind in TEXT_KINDS:
            check_models(
                [spec], [], [], every_question=[], prompts=[], environment=asked, keyless="gguf:PATH, local"
            )
    except InputError as error:
        raise InputError(as_set(str(error).replace("--model", "--judge", 1), environment)) from None
    if spec.kind not in TEXT_KINDS:
        raise InputError(
            f"--judge {text}: {spec.kind} reads no messages and cannot judge; choose gguf:PATH, local, or "
            "the name of a model behind an OpenAI-compatible API"
        )
    return spec
