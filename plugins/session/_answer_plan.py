"""How answers are written in a run: by whom, and from what."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kg.errors import InputError
from plugins.session._options import Options
from plugins.session._players import named_player, player_name, reader_for
from prompts.answering import Limits, text_hashes
from prompts.models import ModelSpec

CONTEXTS = ("rows",)


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """How answers are written.

    Attributes:
        writers: The model that writes them, by the label of the model that wrote the query.
        limits: How much it is given.
    """

    writers: Mapping[str, ModelSpec]
    limits: Limits

    def to_json(self) -> dict[str, Any]:
        """Return the plan for the manifest."""
        return {
            "writers": {label: spec.to_json() for label, spec in self.writers.items()},
            "limits": asdict(self.limits),
            "texts": text_hashes(),
        }


def answer_plan(
    options: Options, models: Sequence[ModelSpec], environment: Mapping[str, str]
) -> AnswerPlan | None:
    """Resolve and check ``--answer`` and what goes with it; None where no answers are written.

    Args:
        options: What the user asked for.
        models: The models of the run.
        environment: Where keys are looked up.

    Raises:
        InputError: A model, a context or weights cannot be used, or nobody can write.
    """
    if not options.answer:
        return None
    if options.answer_context not in CONTEXTS:
        raise InputError(
            f"--answer-context {options.answer_context}: no such context; choose from {', '.join(CONTEXTS)}"
        )
    given = None
    if options.answer_model is not None:
        given = named_player(options.answer_model, "--answer-model", environment)
    writers = {
        spec.label: given or reader_for(spec, "--answer", "write answers", "--answer-model", environment)
        for spec in models
    }
    text, graph = _weights(options.answer_weights)
    limits = Limits(
        rows=options.answer_rows,
        characters=options.answer_budget,
        text_weight=text,
        graph_weight=graph,
    )
    return AnswerPlan(writers, limits)


def answer_lines(plan: AnswerPlan | None, options: Options) -> Iterator[str]:
    """Yield the line of the terminal's header that says who writes answers, and from what."""
    if plan is not None:
        writers = ", ".join(dict.fromkeys(map(player_name, plan.writers.values())))
        yield f"answers written by {writers}, from {options.answer_context}"
    elif options.answer_model is not None:
        yield f"note: --answer-model {options.answer_model} has no effect without --answer"


def _weights(text: str) -> tuple[float, float]:
    parts = text.split(",")
    try:
        weights = [float(part) for part in parts]
    except ValueError:
        weights = []
    if len(weights) != 2 or not all(0 <= each <= 1 for each in weights) or not math.isclose(sum(weights), 1):
        raise InputError(
            f"--answer-weights {text}: not two weights; give those of passages and of rows, which sum to 1, "
            "such as 0.6,0.4"
        )
    return weights[0], weights[1]
