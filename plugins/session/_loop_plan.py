"""The loops of a run, and which model plays their roles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from kg.errors import InputError
from plugins.session._options import Options
from prompts.loops import Loop, ValidatorName, loops_by_name
from prompts.models import DEFAULT_MODEL, TEXT_KINDS, ModelSpec, check_models, parse_spec

_VALIDATORS = get_args(ValidatorName)


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """The loops of a run.

    Attributes:
        loops: The loops by name, in the order asked for.
        validator: The validator they use.
        players: The model that plays the roles of loops, by the label of the model that answered first;
            empty where no loop needs one.
    """

    loops: Mapping[str, Loop]
    validator: ValidatorName
    players: Mapping[str, ModelSpec]

    @property
    def active(self) -> bool:
        """Whether any loop but ``none`` is run."""
        return any(name != "none" for name in self.loops)

    def to_json(self) -> dict[str, Any]:
        """Return the plan for the manifest."""
        players = {label: spec.to_json() for label, spec in self.players.items()}
        return {"names": list(self.loops), "validator": self.validator, "players": players}

    @property
    def needs_model(self) -> bool:
        """Whether a loop of the run asks a model in roles of its own."""
        return any(loop.needs_model for loop in self.loops.values())


def loop_lines(plan: LoopPlan) -> list[str]:
    """Return the lines of the terminal's header that say which loops are run, and with which model."""
    if not plan.active:
        return []
    players = ", ".join(dict.fromkeys(spec.label for spec in plan.players.values()))
    played = f", their roles played by {players}" if players else ""
    return [f"loops: {', '.join(plan.loops)}, validator {plan.validator}{played}"]


def loop_plan(
    options: Options,
    models: Sequence[ModelSpec],
    registered: Iterable[object],
    environment: Mapping[str, str],
) -> LoopPlan:
    """Resolve and check ``--loop``, ``--validator`` and ``--loop-model``.

    Args:
        options: What the user asked for.
        models: The models of the run.
        registered: Loops that a user has registered.
        environment: Where keys are looked up.

    Raises:
        InputError: A loop, the validator or a model does not exist, or a loop needs a model and has none.
    """
    known = loops_by_name(registered)
    unknown = [name for name in options.loop if name not in known]
    if unknown or not options.loop:
        named = unknown[0] if unknown else "names none"
        raise InputError(f"--loop {named}: no such loop; choose from {', '.join(known)}")
    if options.validator not in _VALIDATORS:
        raise InputError(
            f"--validator {options.validator}: no such validator; choose from {', '.join(_VALIDATORS)}"
        )
    loops = {name: known[name] for name in options.loop}
    validator = cast(ValidatorName, options.validator)
    given = _given(options.loop_model, environment) if options.loop_model is not None else None
    needing = next((loop.name for loop in loops.values() if loop.needs_model), None)
    if needing is None:
        return LoopPlan(loops, validator, {})
    players = {spec.label: given or _player(spec, needing, environment) for spec in models}
    return LoopPlan(loops, validator, players)


def _given(text: str, environment: Mapping[str, str]) -> ModelSpec:
    try:
        spec = parse_spec(text, environment)
        if spec.kind in TEXT_KINDS:
            check_models([spec], [], [], every_question=[], prompts=[], environment=environment)
    except InputError as error:
        raise InputError(str(error).replace("--model", "--loop-model", 1)) from None
    if spec.kind not in TEXT_KINDS:
        raise InputError(
            f"--loop-model {text}: {spec.kind} reads no messages and can play no role; choose gguf:PATH, "
            "local, or the name of a model behind an OpenAI-compatible API"
        )
    return spec


def _player(spec: ModelSpec, loop: str, environment: Mapping[str, str]) -> ModelSpec:
    """The model itself where it reads what it is asked, else the default model, as for ``--model``."""
    if spec.kind in TEXT_KINDS:
        return spec
    if not environment.get("OPENAI_API_KEY"):
        raise InputError(
            f"--loop {loop} --model {spec.label}: {spec.kind} reads no messages and cannot correct itself. "
            "Name the model that plays the other roles with --loop-model, or set OPENAI_API_KEY for the "
            f"default ({DEFAULT_MODEL})."
        )
    return ModelSpec(DEFAULT_MODEL, "openai", DEFAULT_MODEL)
