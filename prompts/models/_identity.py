"""What decides the answers of a model, so that one kept can be told from another."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from prompts.answers import Identity
from prompts.models._llama_settings import CONTEXT_TOKENS, answer_tokens, gguf_path
from prompts.models._logprobs import asked_for
from prompts.models._reach import address_of
from prompts.models._spec import TEXT_KINDS, ModelSpec


def api_parameters(seed: int) -> dict[str, Any]:
    """Return what is sent to an API besides model and messages, unless it refuses them."""
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
    """Return the identity of a model; None of one that reads no messages, whose answers are not kept.

    Args:
        spec: The model.
        weights: SHA-256 of the files of weights on this machine, by path.
        seed: Seed of the run.
        environment: ``OPENAI_BASE_URL``.
        logprobs: How many log-probabilities of each token are asked for.
        form: JSON schema that answers of weights on this machine are held to; None for free answers.
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
