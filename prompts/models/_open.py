"""Models, ready to be asked, in the process that asks them."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from prompts.answers import AnswerStore
from prompts.models._exemplar import ExemplarModel
from prompts.models._file import FileModel
from prompts.models._given_up import GivenUp
from prompts.models._identity import identity_of
from prompts.models._interface import Model
from prompts.models._llama import LlamaModel
from prompts.models._llama_settings import answer_tokens, gguf_path
from prompts.models._mutant import MutantModel
from prompts.models._oracle import OracleModel
from prompts.models._predictions import read_predictions
from prompts.models._prices import load_prices
from prompts.models._remembered import OfflineModel, RememberedModel
from prompts.models._slots import Slots
from prompts.models._spec import ModelSpec
from prompts.models.mutations import operators_named


def open_models(
    specs: Sequence[ModelSpec],
    *,
    shared: Mapping[str, Any],
    slots: Path,
    concurrency: int,
    seed: int,
    environment: Mapping[str, str] = os.environ,
    answers: AnswerStore | None = None,
    offline: bool = False,
) -> dict[str, Model]:
    """Open the models of a run in this process.

    Args:
        specs: The models, as `check_models` let them pass.
        shared: What `SharedModels.to_json` gave in the controller.
        slots: Folder that all processes of the run share, for locks and for which API was given up on.
        concurrency: Calls of API models in flight, over all processes; llama.cpp takes one at a time.
        seed: Seed of the run; sent to the models that take one.
        environment: Where key and address of an API are looked up.
        answers: Where answers of models that read messages are kept; None for nowhere.
        offline: Whether such models are not to be asked: then what `answers` has is all there is.

    Returns:
        The models by label.

    Raises:
        InputError: If a file that was checked can no longer be read.
    """
    opened: dict[str, Model] = {}
    for spec in specs:
        identity = None
        if answers is not None:
            identity = identity_of(
                spec, weights=shared.get("weights", {}), seed=seed, environment=environment
            )
        if answers is None or identity is None:
            opened[spec.label] = _open(spec, shared, slots, concurrency, seed, environment)
        elif offline:
            opened[spec.label] = OfflineModel(spec.label, identity, answers)
        else:
            model = _open(spec, shared, slots, concurrency, seed, environment)
            opened[spec.label] = RememberedModel(identity, answers, model)
    return opened


def _open(
    spec: ModelSpec,
    shared: Mapping[str, Any],
    slots: Path,
    concurrency: int,
    seed: int,
    environment: Mapping[str, str],
) -> Model:
    match spec.kind:
        case "oracle":
            return OracleModel(spec.label)
        case "exemplar":
            return ExemplarModel(spec.label)
        case "mutant":
            return MutantModel(spec.label, operators_named(spec.argument), seed)
        case "file":
            return FileModel(spec.label, read_predictions(Path(spec.argument)))
        case "local" | "gguf":
            path = str(gguf_path(spec))
            name = "llama-" + hashlib.sha256(path.encode()).hexdigest()[:12]
            return LlamaModel(
                spec.label,
                shared["llama"][path],
                shared["llama_key"],
                turn=Slots(slots, name, 1),
                seed=seed,
                max_tokens=answer_tokens(spec),
            )
        case "openai":
            # Its library takes a second to import, which runs without an API model should not pay.
            from prompts.models._openai import OpenAIModel

            return OpenAIModel(
                spec.label,
                spec.argument,
                environment=environment,
                slots=Slots(slots, "api", concurrency),
                given_up=GivenUp(slots, spec.argument),
                seed=seed,
                price=load_prices().of(spec.argument),
            )
