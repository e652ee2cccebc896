"""What can be known to be wrong with a model before anything is asked."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from kg.errors import InputError
from kg.questions import Question
from prompts.models._llama_files import require_gguf, shipped_gguf
from prompts.models._predictions import read_predictions
from prompts.models._spec import ModelSpec
from prompts.models.mutations import mutations_of, operators_named


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
    """Refuse models that cannot answer this run; reads files, starts nothing, calls nothing.

    Args:
        specs: The models of the run.
        questions: The questions of the run.
        shots: Its shots, canonical names.
        every_question: The whole question set, against which predictions are checked.
        prompts: Names of its prompts.
        loops: Names of its loops.
        phrasings: Numbers of its wordings.
        environment: Where the key is looked up.
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
