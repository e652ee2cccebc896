"""Models that read what they are asked, for all that is asked beside the query."""

from collections.abc import Mapping
from pathlib import Path

from kg.errors import InputError
from prompts.models import DEFAULT_MODEL, TEXT_KINDS, ModelSpec, check_models, parse_spec


def named_player(text: str, option: str, environment: Mapping[str, str]) -> ModelSpec:
    """Read and check a model that an option names.

    Args:
        text: What the option says.
        option: The option, such as ``--loop-model``.
        environment: Where keys are looked up.

    Raises:
        InputError: There is no such model, or it reads no messages.
    """
    try:
        spec = parse_spec(text, environment)
        if spec.kind in TEXT_KINDS:
            check_models(
                [spec],
                [],
                [],
                every_question=[],
                prompts=[],
                environment=environment,
                keyless="gguf:PATH, local",
            )
    except InputError as error:
        raise InputError(str(error).replace("--model", option, 1)) from None
    if spec.kind not in TEXT_KINDS:
        raise InputError(
            f"{option} {text}: {spec.kind} reads no messages and can play no role; choose gguf:PATH, "
            "local, or the name of a model behind an OpenAI-compatible API"
        )
    return spec


def reader_for(
    spec: ModelSpec, asked: str, cannot: str, option: str, environment: Mapping[str, str]
) -> ModelSpec:
    """Return a model itself where it reads what it is asked, else the default model, as for ``--model``.

    Args:
        spec: The model.
        asked: What needs one that reads, for the message, such as ``--loop cove``.
        cannot: What it cannot do without, such as ``correct itself``.
        option: The option that names one.
        environment: Where keys are looked up.

    Raises:
        InputError: There is no key for the default model.
    """
    if spec.kind in TEXT_KINDS:
        return spec
    if not environment.get("OPENAI_API_KEY"):
        raise InputError(
            f"{asked} --model {spec.label}: {spec.kind} reads no messages and cannot {cannot}. "
            f"Name a model that does with {option}, or set OPENAI_API_KEY for the default ({DEFAULT_MODEL})."
        )
    return ModelSpec(DEFAULT_MODEL, "openai", DEFAULT_MODEL)


def player_name(spec: ModelSpec) -> str:
    """Return the label of a model, and what is behind it where the label does not say."""
    what = spec.argument if spec.kind == "openai" else spec.kind
    if spec.kind == "gguf":
        what = f"gguf:{Path(spec.argument).name}"
    return spec.label if spec.label == what else f"{spec.label} ({what})"
