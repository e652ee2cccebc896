"""A model that reads messages, ready to be asked, in the process that asks it."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from prompts.answers import AnswerStore
from prompts.models._given_up import GivenUp
from prompts.models._identity import identity_of
from prompts.models._interface import TextModel
from prompts.models._llama import LlamaModel
from prompts.models._llama_settings import answer_tokens, gguf_path
from prompts.models._prices import load_prices
from prompts.models._reach import address_of
from prompts.models._remembered import OfflineModel, RememberedModel
from prompts.models._slots import Slots
from prompts.models._spec import ModelSpec


def open_text_model(
    spec: ModelSpec,
    *,
    shared: Mapping[str, Any],
    slots: Path,
    concurrency: int,
    seed: int,
    environment: Mapping[str, str] = os.environ,
    answers: AnswerStore | None = None,
    offline: bool = False,
    logprobs: int = 0,
    form: Mapping[str, Any] | None = None,
) -> TextModel:
    """Open a model that reads messages; arguments that `open_models` has too are as it has them.

    Args:
        spec: The model, of one of `TEXT_KINDS`.
        shared: What `SharedModels.to_json` gave.
        slots: Folder that all processes of the run share.
        concurrency: Calls of API models in flight, over all processes.
        seed: Seed of the run.
        environment: Where key and address of an API are looked up.
        answers: Where its answers are kept; None for nowhere.
        offline: Whether it is not to be asked what is not there.
        logprobs: How many log-probabilities of each token to ask for, 0 to 20.
        form: JSON schema that llama.cpp holds its answers to; an API is not told of it. None for free
            answers.
    """

    def opened() -> TextModel:
        return _open(spec, shared, slots, concurrency, seed, environment, logprobs, form)

    if answers is None:
        return opened()
    weights = shared.get("weights", {})
    identity = identity_of(
        spec, weights=weights, seed=seed, environment=environment, logprobs=logprobs, form=form
    )
    assert identity is not None
    if offline:
        return OfflineModel(spec.label, identity, answers)
    return RememberedModel(identity, answers, opened())


def _open(
    spec: ModelSpec,
    shared: Mapping[str, Any],
    slots: Path,
    concurrency: int,
    seed: int,
    environment: Mapping[str, str],
    logprobs: int,
    form: Mapping[str, Any] | None,
) -> TextModel:
    if spec.kind != "openai":
        path = str(gguf_path(spec))
        name = "llama-" + hashlib.sha256(path.encode()).hexdigest()[:12]
        return LlamaModel(
            spec.label,
            shared["llama"][path],
            shared["llama_key"],
            turn=Slots(slots, name, 1),
            seed=seed,
            max_tokens=answer_tokens(spec),
            logprobs=logprobs,
            form=form,
        )
    # Its library takes a second to import, which runs without an API model should not pay.
    from prompts.models._openai import OpenAIModel

    return OpenAIModel(
        spec.label,
        spec.argument,
        environment=environment,
        slots=Slots(slots, "api", concurrency),
        # One of the same name elsewhere is another.
        given_up=GivenUp(slots, f"{spec.argument} {address_of(environment)}"),
        seed=seed,
        price=load_prices().of(spec.argument),
        logprobs=logprobs,
    )
