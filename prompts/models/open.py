"""Models of a run: checks before it starts, and opening them in a process."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from retrocypher.kg.errors import InputError
from retrocypher.kg.mutations.registry import mutations_of, operators_named
from retrocypher.kg.questions.question import Question
from retrocypher.prompts.models.baselines import (
    ExemplarModel,
    FileModel,
    MutantModel,
    OracleModel,
    read_predictions,
)
from retrocypher.prompts.models.gateway_client import (
    GatewayConnections,
    GatewayModel,
    ModelChoice,
    choice_of,
)
from retrocypher.prompts.models.interface import Model, TextModel
from retrocypher.prompts.models.llama import gguf_path, require_gguf
from retrocypher.prompts.models.spec import TEXT_KINDS, ModelSpec, parse_spec

_KEYLESS = "oracle, exemplar, mutant[:OPERATOR,...], file:PATH, gguf:PATH, local"


def check_models(
    specs: Sequence[ModelSpec],
    questions: Sequence[Question],
    shots: Sequence[str],
    *,
    every_question: Sequence[Question],
    prompts: Sequence[str],
    loops: Sequence[str] = ("none",),
    paraphrases: Sequence[int] = (1,),
    repeats: int = 1,
    environment: Mapping[str, str] = os.environ,
) -> None:
    """Refuse models that cannot serve this run; reads files, starts nothing, calls nothing.

    Raises InputError if ``exemplar`` meets zero-shot, an operator does not exist or has nothing to change, a
    file is missing or broken, predictions are for other questions or cases, or there is no key.

    Args:
        shots: Canonical names of the run's shots.
        every_question: The whole question set, against which predictions are checked.
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
    """
    for spec in specs:
        match spec.kind:
            case "exemplar" if "ZS" in shots:
                raise InputError(
                    f"--model {spec.label}: exemplar answers with the exemplar it is shown, and --shot ZS "
                    "shows none. Choose other shots, or another model for ZS."
                )
            case "mutant" if spec.argument:
                _check_mutant(spec, questions)
            case "file":
                predictions = read_predictions(Path(spec.argument))
                predictions.require_known({question.id for question in every_question})
                case = {
                    "model": (spec.label,),
                    "prompt": prompts,
                    "shot": shots,
                    "loop": loops,
                    "phrasing": [str(number) for number in paraphrases],
                    "repeat": [str(number) for number in range(1, repeats + 1)],
                }
                predictions.require_use([question.id for question in questions], case)
            case _:
                _check_text_model(spec, environment, _KEYLESS)


def text_model(text: str, option: str, environment: Mapping[str, str]) -> ModelSpec:
    """Read the model that an option names; raise InputError if there is none, or it reads no messages."""
    try:
        spec = parse_spec(text, environment)
        if spec.kind in TEXT_KINDS:
            _check_text_model(spec, environment, "gguf:PATH, local")
            return spec
    except InputError as error:
        raise InputError(str(error).replace("--model", option, 1)) from None
    raise InputError(
        f"{option} {text}: {spec.kind} reads no messages; choose gguf:PATH, local, or the name of a model "
        "behind an OpenAI-compatible API"
    )


def _check_text_model(spec: ModelSpec, environment: Mapping[str, str], keyless: str) -> None:
    if spec.kind == "openai":
        _check_openai(spec, environment, keyless)
    elif spec.kind in TEXT_KINDS:
        require_gguf(gguf_path(spec))


def _check_mutant(spec: ModelSpec, questions: Sequence[Question]) -> None:
    for operator in operators_named(spec.argument):
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
    """Return the file of a model, its weights or predictions; None for a model without one."""
    if spec.kind in ("local", "gguf"):
        return gguf_path(spec)
    return Path(spec.argument) if spec.kind == "file" else None


def contents_of(specs: Iterable[ModelSpec]) -> dict[str, str]:
    """Return the SHA-256 of each file of these models, by its path; raise InputError if one is unreadable."""
    files = {str(file): spec for spec in specs if (file := file_of(spec)) is not None}
    return {path: _sha256(Path(path), spec) for path, spec in files.items()}


def _sha256(path: Path, spec: ModelSpec) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"--model {spec.kind}:{path}: the file cannot be read ({error.strerror}).") from None


@dataclass(frozen=True, slots=True)
class ModelContext:
    """What all models that a process opens have in common.

    Attributes:
        seed: Seed of mutants.
        connections: The way to the gateway; None where models that read messages are not to be asked.
        sampling: Parameters of completions that are set, which identify models in a replay.
    """

    seed: int
    connections: GatewayConnections | None
    sampling: Mapping[str, Any] = field(default_factory=dict)

    def open(self, spec: ModelSpec, form: Mapping[str, Any] | None = None) -> Model:
        """Open a model of a run, which `check_models` has let pass; `form` as in `choice_of`."""
        match spec.kind:
            case "oracle":
                return OracleModel(spec.label)
            case "exemplar":
                return ExemplarModel(spec.label)
            case "mutant":
                return MutantModel(spec.label, operators_named(spec.argument), self.seed)
            case "file":
                return FileModel(spec.label, read_predictions(Path(spec.argument)))
            case _:
                return self.open_text(choice_of(spec, form=form))

    def open_text(self, choice: ModelChoice) -> TextModel:
        """Open a model that reads messages."""
        if self.connections is None:
            raise RuntimeError(f"{choice.spec.label} is not to be asked")
        return GatewayModel(choice, self.connections)
