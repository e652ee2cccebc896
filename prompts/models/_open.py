"""Models, ready to be asked, in the process that asks them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from prompts.answers import AnswerStore
from prompts.models._exemplar import ExemplarModel
from prompts.models._file import FileModel
from prompts.models._interface import Model
from prompts.models._mutant import MutantModel
from prompts.models._open_text import open_text_model
from prompts.models._oracle import OracleModel
from prompts.models._predictions import read_predictions
from prompts.models._spec import TEXT_KINDS, ModelSpec
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
        if spec.kind in TEXT_KINDS:
            opened[spec.label] = open_text_model(
                spec,
                shared=shared,
                slots=slots,
                concurrency=concurrency,
                seed=seed,
                environment=environment,
                answers=answers,
                offline=offline,
            )
        else:
            opened[spec.label] = _open(spec, seed)
    return opened


def _open(spec: ModelSpec, seed: int) -> Model:
    match spec.kind:
        case "exemplar":
            return ExemplarModel(spec.label)
        case "mutant":
            return MutantModel(spec.label, operators_named(spec.argument), seed)
        case "file":
            return FileModel(spec.label, read_predictions(Path(spec.argument)))
        case _:
            return OracleModel(spec.label)
