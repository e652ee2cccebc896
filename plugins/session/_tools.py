"""What a case is run with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kg.questions import Setting
from kg.schema import Schema
from plugins.answering import Checker
from plugins.assessment import Assessor
from plugins.session._judging import CaseJudge
from prompts.encoders import Encoder
from prompts.exemplars import Exemplar
from prompts.loops import Graph, Loop, OnceARun, ValidatorName
from prompts.models import Model
from prompts.templates import Prompt

if TYPE_CHECKING:
    from plugins.answer_metrics import AnswerMetrics
    from prompts.answering import AnswerWriter


class Graphs(Protocol):
    """What cases ask."""

    def of(self, case_id: str) -> Graph:
        """Return the graph for one case."""


@dataclass(frozen=True, slots=True)
class LiveGraph:
    """The same graph for all cases.

    Attributes:
        graph: The graph.
    """

    graph: Graph

    def of(self, case_id: str) -> Graph:
        """Return the graph."""
        return self.graph


@dataclass(frozen=True, slots=True)
class Answering:
    """What written answers are made with.

    Attributes:
        writer: Has them written.
        models: The model that writes them, by the label of the model that wrote the query.
        checker: Says what the graph holds of what they claim.
        metrics: Has a judge measure them; None without a judge.
    """

    writer: "AnswerWriter"
    models: Mapping[str, Model]
    checker: Checker
    metrics: "AnswerMetrics | None" = None


@dataclass(frozen=True, slots=True)
class Tools:
    """What a case is run with.

    Attributes:
        prompts: Prompts by name.
        schema: Schema text of the graph.
        graph_schema: The same, read.
        banks: Exemplar bank of each setting.
        encoder: Encoder of 1S-D-S.
        models: Models by label.
        loops: Loops by name.
        players: By label of a model, the model that plays the other roles of its loops.
        validator: The validator of the loops.
        once: Texts made once a run.
        graphs: Guarded access to the graph, for each case.
        seed: Seed of 1S-D-R.
        assessor: Scores and labels what comes of queries.
        answering: What written answers are made with; None where none are.
        judge: Judges queries that have their scores; None where nobody does.
    """

    prompts: Mapping[str, Prompt]
    schema: str
    graph_schema: Schema
    banks: Mapping[Setting, tuple[Exemplar, ...]]
    encoder: Encoder
    models: Mapping[str, Model]
    loops: Mapping[str, Loop]
    players: Mapping[str, Model]
    validator: ValidatorName
    once: OnceARun
    graphs: Graphs
    seed: int
    assessor: Assessor
    answering: Answering | None = None
    judge: CaseJudge | None = None
