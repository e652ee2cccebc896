"""The loops of a run, and which model plays their roles."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from kg.errors import InputError
from plugins.session._options import Options
from plugins.session._players import named_player, player_name, reader_for
from prompts.loops import Loop, ValidatorName, loops_by_name, text_hashes
from prompts.models import ModelSpec

_VALIDATORS = get_args(ValidatorName)
_DEFAULT_VALIDATOR = "schema"


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """The loops of a run.

    Attributes:
        loops: The loops by name, in the order asked for.
        validator: The validator they use.
        players: The model that plays the roles of loops, by the label of the model that answered first;
            empty where no loop needs one.
        notes: What was asked for and has no effect.
    """

    loops: Mapping[str, Loop]
    validator: ValidatorName
    players: Mapping[str, ModelSpec]
    notes: tuple[str, ...] = ()

    @property
    def active(self) -> bool:
        """Whether any loop but ``none`` is run."""
        return any(name != "none" for name in self.loops)

    def to_json(self) -> dict[str, Any]:
        """Return the plan for the manifest."""
        players = {label: spec.to_json() for label, spec in self.players.items()}
        texts = text_hashes() if self.active else {}
        return {"names": list(self.loops), "validator": self.validator, "players": players, "texts": texts}

    @property
    def needs_model(self) -> bool:
        """Whether a loop of the run asks a model in roles of its own."""
        return any(loop.needs_model for loop in self.loops.values())

    @property
    def validates(self) -> bool:
        """Whether a loop of the run uses a validator; one that does not say may."""
        return _validates(self.loops.values())


def loop_lines(plan: LoopPlan) -> list[str]:
    """Return the lines of the terminal's header that say which loops are run, and with which model."""
    notes = [f"note: {note}" for note in plan.notes]
    if not plan.active:
        return notes
    players = ", ".join(dict.fromkeys(map(player_name, plan.players.values())))
    played = f", their roles played by {players}" if players else ""
    validator = f", validator {plan.validator}" if plan.validates else ""
    return [f"loops: {', '.join(plan.loops)}{validator}{played}", *notes]


def _validates(loops: Iterable[Loop]) -> bool:
    return any(getattr(loop, "validates", True) for loop in loops)


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
        wrong = unknown[0] if unknown else "names none"
        raise InputError(f"--loop {wrong}: no such loop; choose from {', '.join(known)}")
    named = options.validator or _DEFAULT_VALIDATOR
    if named not in _VALIDATORS:
        raise InputError(f"--validator {named}: no such validator; choose from {', '.join(_VALIDATORS)}")
    loops = {name: known[name] for name in options.loop}
    validator = cast(ValidatorName, named)
    given = None
    if options.loop_model is not None:
        given = named_player(options.loop_model, "--loop-model", environment)
    needing = next((loop.name for loop in loops.values() if loop.needs_model), None)
    notes = tuple(_without_effect(options, loops.values()))
    if needing is None:
        return LoopPlan(loops, validator, {}, notes)
    players = {
        spec.label: given
        or reader_for(spec, f"--loop {needing}", "correct itself", "--loop-model", environment)
        for spec in models
    }
    return LoopPlan(loops, validator, players, notes)


def _without_effect(options: Options, loops: Collection[Loop]) -> Iterator[str]:
    if options.validator is not None and not _validates(loops):
        yield f"--validator {options.validator} has no effect: no loop of this run uses a validator"
    if options.loop_model is not None and not any(loop.needs_model for loop in loops):
        yield f"--loop-model {options.loop_model} has no effect: no loop of this run asks a model"
