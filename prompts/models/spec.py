"""The option ``--model``: which model, and its name in ids and tables."""

import difflib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from retrocypher.kg.errors import InputError
from retrocypher.kg.secrets import secrets_of

Kind = Literal["oracle", "exemplar", "mutant", "file", "local", "gguf", "openai"]

KINDS: tuple[Kind, ...] = get_args(Kind)
TEXT_KINDS: tuple[Kind, ...] = ("local", "gguf", "openai")
"""Kinds that answer what they are asked; the others look at the question alone."""

DEFAULT_MODEL = "gpt-4.1-mini-2025-04-14"
CHOICES = (
    "oracle, exemplar, mutant[:OPERATOR,...], file:PATH, gguf:PATH, local, "
    "or the name of a model behind an OpenAI-compatible API (needs OPENAI_API_KEY)"
)
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")
_KEY = re.compile(r"(?:^|=)sk-[A-Za-z0-9_-]{16,}")
"""What a key of an API looks like: a slip of the hand would have it in every id and file."""
_NO_ARGUMENT = ("oracle", "exemplar", "local")


def sampling_parameters(
    temperature: float | None = None,
    top_p: float | None = None,
    max_tokens: int | None = None,
    extra_body: str | None = None,
) -> dict[str, Any]:
    """Return the parameters of completions that are set; raise InputError if ``extra_body`` is no object."""
    named = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens}
    more: object = {}
    if extra_body:
        try:
            more = json.loads(extra_body, parse_constant=_refused)
        except ValueError:
            more = None
    if not isinstance(more, dict):
        raise InputError(
            f"--extra-body {extra_body}: not a JSON object. "
            "Write for example --extra-body '{\"top_k\": 20}'."
        )
    if taken := sorted({"model", "messages", "stream", "n"} & more.keys()):
        raise InputError(f"--extra-body: {taken[0]} is set by the suite. Leave it out.")
    if taken := sorted({*named, "seed"} & more.keys()):
        option = f"--{taken[0].replace('_', '-')}"
        raise InputError(f"--extra-body: {taken[0]} has an option of its own. Set it with {option}.")
    return {**{name: value for name, value in named.items() if value is not None}, **more}


def _refused(name: str) -> None:
    """Refuse NaN and infinities, which no request can hold."""
    raise ValueError(name)


def seeded(parameters: Mapping[str, Any], case_repeat: int) -> dict[str, Any]:
    """Return parameters with the seed of a repeat: that of the run for the first, one more for each next."""
    seed = parameters.get("seed")
    return {**parameters, **({"seed": seed + case_repeat - 1} if isinstance(seed, int) else {})}


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One ``--model``, read. Holds no secret, so it may travel to workers and into a manifest.

    Attributes:
        label: Name in ids and tables: letters, digits and ``._+-``, at most 80 characters.
        kind: One of `KINDS`.
        argument: Operators (``mutant``; empty for all), absolute path (``file``, ``gguf``), name of the
            model (``openai``), else empty.
    """

    label: str
    kind: Kind
    argument: str = ""


def parse_spec(text: str | None, env: Mapping[str, str] = os.environ) -> ModelSpec:
    """Read ``SPEC`` or ``LABEL=SPEC``; raise InputError if the text names no model.

    What stands before the first ``=`` is a label unless it contains ``:`` or ``/``, so paths and model
    names with an ``=`` in them are read whole. Without text the model is `DEFAULT_MODEL`, given a key.
    """
    if text is None or not text.strip():
        if not env.get("OPENAI_API_KEY"):
            raise InputError(
                f"--model: no model given, and without OPENAI_API_KEY there is no default. Choose {CHOICES}."
            )
        return ModelSpec(DEFAULT_MODEL, "openai", DEFAULT_MODEL)
    text = text.strip()
    if secrets_of(env).are_in(text) or _KEY.search(text):
        raise InputError(
            "--model: a key stands where the name of a model belongs (it is not shown here). "
            f"Set it as OPENAI_API_KEY, and choose {CHOICES}."
        )
    label, body = "", text
    before, equals, after = text.partition("=")
    if equals and ":" not in before and "/" not in before:
        label, body = before.strip(), after.strip()
        if not _LABEL.fullmatch(label):
            raise InputError(
                f"--model {text}: the label {label!r} may hold letters, digits, '.', '_', '+' and '-' only, "
                "starting with a letter or digit, at most 80 characters."
            )
    kind, argument = _kind_and_argument(body, text)
    return ModelSpec(label or _label_for(kind, argument), kind, argument)


def parse_specs(texts: Iterable[str], env: Mapping[str, str] = os.environ) -> tuple[ModelSpec, ...]:
    """Read every ``--model``; none is the default model. Labels must differ; raises as `parse_spec`."""
    specs = tuple(parse_spec(text, env) for text in texts) or (parse_spec(None, env),)
    seen: set[str] = set()
    for spec in specs:
        if spec.label in seen:
            raise InputError(
                f"--model: two models are called {spec.label!r}. Name them apart with LABEL=SPEC."
            )
        seen.add(spec.label)
    return specs


def _kind_and_argument(body: str, shown: str) -> tuple[Kind, str]:
    head, colon, rest = body.partition(":")
    rest = rest.strip()
    if not body:
        raise InputError(f"--model {shown}: no model after the label. Choose {CHOICES}.")
    if head in ("file", "gguf"):
        if not rest:
            raise InputError(f"--model {shown}: give a path, {head}:PATH.")
        return ("file" if head == "file" else "gguf"), str(Path(rest).expanduser().absolute())
    if head == "mutant":
        if colon and not rest:
            raise InputError(f"--model {shown}: name the operators, or leave out the colon to use all.")
        names = [name.strip() for name in rest.split(",")] if rest else []
        return "mutant", ",".join(names)
    for kind in KINDS:
        if kind in _NO_ARGUMENT and head == kind:
            if colon:
                raise InputError(f"--model {shown}: {kind} takes nothing after a colon.")
            return kind, ""
    _refuse_misspelling(body, shown)
    return "openai", body


def _refuse_misspelling(body: str, shown: str) -> None:
    """A slip in the name of a built-in model would otherwise be sent to the API as a model's name."""
    head = body.partition(":")[0]
    built_in = [kind for kind in KINDS if kind != "openai"]
    near = difflib.get_close_matches(head.lower(), built_in, n=1, cutoff=0.82)
    if near:
        raise InputError(f"--model {shown}: no model {head!r}; did you mean {near[0]!r}? Choose {CHOICES}.")
    if any(character.isspace() for character in body):
        raise InputError(f"--model {shown}: a model's name has no spaces. Choose {CHOICES}.")


def _label_for(kind: Kind, argument: str) -> str:
    if kind == "mutant" and argument:
        named = "mutant-" + argument.replace(",", "+")
    elif kind in ("file", "gguf"):
        named = Path(argument).stem
    else:
        named = argument or kind
    label = re.sub(r"[^A-Za-z0-9._+-]+", "-", named).lstrip("._+-")[:80]
    return label or kind
