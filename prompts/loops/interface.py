"""What a loop is, what it is given, and what it hands back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.semantics.schema import Schema
from retrocypher.prompts.models.interface import Answer, Message
from retrocypher.prompts.validation.finding import Convention

ValidatorName = Literal["checklist", "schema", "both"]


class Graph(Protocol):
    """All that a loop may do with the graph: guarded, and never a driver."""

    def explain(self, cypher: str | None) -> Execution:
        """Return whether a query may run, without rows; raises GraphError where nobody can say."""

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        """Run a query under guard; raises GraphError where nobody can say."""


@dataclass(frozen=True, slots=True)
class LoopCase:
    """What a loop starts from. It holds neither the reference query nor the gold answer nor the task.

    Attributes:
        question: The question as asked.
        setting: Which of the two settings the prompt is for.
        convention: What the prompt wants returned.
        schema_text: The schema as the prompt shows it.
        schema: The same, read.
        messages: What the model was asked first.
        answer: What it answered.
        cypher: The query in that answer; None where there is none.
    """

    question: str
    setting: Setting
    convention: Convention
    schema_text: str
    schema: Schema
    messages: list[Message]
    answer: Answer
    cypher: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One round of a loop, as it goes on the record.

    Attributes:
        role: Who acted: ``explain``, ``direction``, ``validator:schema``, ``corrector`` and so on.
        cypher: The query proposed, or the one looked at.
        verdict: What came of it, in a word: see ``docs/errors-and-loops.md``.
        findings: What else there is to know, JSON objects: errors found, the edit made.
        time_s: Wall-clock seconds; where a model was asked, those of its answer.
        messages: What a model was asked; None where none was.
        answer: What it answered.
        cached: Whether the answer was had before and cost this case nothing.
    """

    role: str
    cypher: str | None
    verdict: str
    findings: list[dict[str, Any]] = field(default_factory=list)
    time_s: float = 0.0
    messages: list[Message] | None = None
    answer: Answer | None = None
    cached: bool = False


class OnceARun(Protocol):
    """Texts that are made once a run and shared by all its processes."""

    def get(self, key: str, make: Callable[[], Answer]) -> str:
        """Return the text of a key; the first process to ask makes it, the others wait for it."""


@dataclass(frozen=True, slots=True)
class LoopTools:
    """What a loop works with.

    Attributes:
        graph: Guarded access to the graph.
        validator: The validator that was asked for.
        ask: Asks the model that plays a role; raises ModelError where it cannot be asked. Not to be called
            by a loop that does not need a model.
        note: Puts a step on the record.
        once: Texts made once a run.
        player: Label of the model that plays the roles; empty where there is none.
    """

    graph: Graph
    validator: ValidatorName
    ask: Callable[[str, list[Message]], Answer]
    note: Callable[[Step], None]
    once: OnceARun
    player: str = ""


@dataclass(frozen=True, slots=True)
class LoopResult:
    """What a loop ends with.

    Attributes:
        cypher: The query to be executed and scored.
        execution: What came of it, where the loop has executed it in its own way; None to leave that to the
            harness.
        fallback: Rows that do not come from the query, with how they were found; kept and scored apart.
    """

    cypher: str | None
    execution: Execution | None = None
    fallback: Mapping[str, Any] | None = None


@runtime_checkable
class Loop(Protocol):
    """What happens between the first answer and the query that is scored.

    A loop may also say with ``validates`` whether it uses the validator of the run; the terminal then leaves
    out what has no effect.
    """

    @property
    def name(self) -> str:
        """Name in ``--loop``, ids and tables: letters, digits, ``.``, ``_``, ``+`` and ``-``."""

    @property
    def needs_model(self) -> bool:
        """Whether it asks a model in roles of its own, which must be one that reads its messages."""

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Run the loop on one case. It must end: whatever it asks has to be bounded.

        Args:
            case: What it starts from.
            tools: What it may use.

        Raises:
            ModelError: A model cannot be asked; the case becomes an infrastructure error.
            GraphError: The graph cannot be asked; likewise.
        """
