"""How answers are written in a run: by whom, and from what."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kg.errors import InputError
from plugins.session._options import Options
from plugins.session._players import named_player, player_name, reader_for
from prompts.models import ModelSpec

if TYPE_CHECKING:
    from plugins.verification import Thresholds
    from prompts.answering import Limits

_ROWS = "rows"
_HYBRID = "hybrid"
_CONTEXTS: Mapping[str, str] = {
    _ROWS: "rows",
    _HYBRID: "rows and passages found by vectors",
    "hybrid-lexical": "rows and passages found by words (BM25)",
}


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """How answers are written.

    Attributes:
        writers: The model that writes them, by the label of the model that wrote the query.
        limits: How much it is given.
        thresholds: Where verdicts on answers begin.
        context: What it is given: ``rows``, with ``hybrid`` also passages found by vectors, with
            ``hybrid-lexical`` also passages found by words. Neither stands in for the other unasked.
        encoder: What passages are found by with ``hybrid``; None with another context.
    """

    writers: Mapping[str, ModelSpec]
    limits: "Limits"
    thresholds: "Thresholds"
    context: str = _ROWS
    encoder: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the plan for the manifest."""
        from prompts.answering import text_hashes

        return {
            "writers": {label: spec.to_json() for label, spec in self.writers.items()},
            "context": self.context,
            "encoder": self.encoder,
            "limits": asdict(self.limits),
            "thresholds": asdict(self.thresholds),
            "texts": text_hashes(),
        }


def answer_plan(
    options: Options, models: Sequence[ModelSpec], fingerprint: str, environment: Mapping[str, str]
) -> AnswerPlan | None:
    """Resolve and check ``--answer`` and what goes with it; None where no answers are written.

    Args:
        options: What the user asked for.
        models: The models of the run.
        fingerprint: Of the graph that the questions were made for.
        environment: Where keys are looked up.

    Raises:
        InputError: A model, a context or weights cannot be used, nobody can write, or passages are asked
            for that are not to be had.
    """
    if not options.answer:
        return None
    # What answers are made with takes a while to load, and most runs write none.
    from prompts.answering import Limits

    context = options.answer_context
    if context not in _CONTEXTS:
        raise InputError(f"--answer-context {context}: no such context; choose from {', '.join(_CONTEXTS)}")
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
    encoder = options.answer_encoder if context == _HYBRID else None
    if context != _ROWS:
        from plugins.answer_checks import require_passages

        require_passages(context, encoder, fingerprint)
    return AnswerPlan(writers, limits, _thresholds(options.answer_thresholds), context, encoder)


def answer_lines(plan: AnswerPlan | None, options: Options) -> Iterator[str]:
    """Yield the line of the terminal's header that says who writes answers, and from what."""
    if plan is not None:
        writers = ", ".join(dict.fromkeys(map(player_name, plan.writers.values())))
        by = f" of {plan.encoder}" if plan.encoder else ""
        yield f"answers written by {writers}, from {_CONTEXTS[plan.context]}{by}"
        return
    if options.answer_model is not None:
        yield f"note: --answer-model {options.answer_model} has no effect without --answer"
    if options.answer_context != _ROWS:
        yield f"note: --answer-context {options.answer_context} has no effect without --answer"


def _thresholds(text: str) -> "Thresholds":
    from plugins.verification import Thresholds

    shares = _shares(text)
    if len(shares) != 2 or shares[0] < shares[1]:
        raise InputError(
            f"--answer-thresholds {text}: not two shares; give those of supported claims from which an "
            "answer is verified, and partially verified, such as 0.9,0.7"
        )
    return Thresholds(shares[0], shares[1])


def _shares(text: str) -> list[float]:
    """Return numbers from 0 to 1; none where one is no such number."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return []
    return numbers if all(0 <= each <= 1 for each in numbers) else []


def _weights(text: str) -> tuple[float, float]:
    weights = _shares(text)
    if len(weights) != 2 or not math.isclose(sum(weights), 1):
        raise InputError(
            f"--answer-weights {text}: not two weights; give those of passages and of rows, which sum to 1, "
            "such as 0.6,0.4"
        )
    return weights[0], weights[1]
