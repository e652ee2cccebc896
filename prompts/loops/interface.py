"""The interface of self-correction loops: what a loop is given, what it returns, its steps on the record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self, runtime_checkable

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.semantics.schema import Schema
from retrocypher.prompts.models.interface import Completion, Message
from retrocypher.prompts.validation.finding import Convention, Validation

ValidatorName = Literal["checklist", "schema", "both"]


class Graph(Protocol):
    """Guarded access of a loop to the graph."""

    def explain(self, cypher: str | None) -> Execution:
        """Plan a query without running it; raises GraphError if the graph cannot be asked."""

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        """Run a query under guard; raises GraphError if the graph cannot be asked."""


class RuleValidator(Protocol):
    """The validator that needs no model."""

    def validate(self, query: str, question: str) -> Validation:
        """Return the verdict on a query, which may be any text."""


@dataclass(frozen=True, slots=True)
class LoopQuestion:
    """What a loop knows before the first completion; neither reference query nor gold answer nor task.

    Attributes:
        convention: What the prompt wants returned.
        schema_text: The schema as the prompt shows it.
        messages: The first messages to the model.
    """

    question: str
    setting: Setting
    convention: Convention
    schema_text: str
    schema: Schema
    messages: list[Message]

    @property
    def of_reactions(self) -> bool:
        """Whether the question is about reactions, so that the names in it are SMILES of molecules."""
        return self.setting != "table"


@dataclass(frozen=True, slots=True)
class LoopCase(LoopQuestion):
    """What a loop starts from: a question and its first completion.

    Attributes:
        answer: The first completion.
        cypher: The query in it; None where there is none.
    """

    answer: Completion
    cypher: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a loop, as it is recorded.

    Attributes:
        role: Who acted: ``explain``, ``direction``, ``validator:schema``, ``corrector`` and so on.
        cypher: The query that was proposed or examined.
        verdict: The result in a word; see ``docs/errors-and-loops.md``.
        findings: Details as JSON objects: errors found, the edit made.
        time_s: Wall-clock seconds; where a model was asked, those of its completion.
        messages: The messages to a model; None where none was asked.
        answer: Its completion.
        cached: Whether the completion existed before and cost this case nothing.
    """

    role: str
    cypher: str | None
    verdict: str
    findings: list[dict[str, Any]] = field(default_factory=list)
    time_s: float = 0.0
    messages: list[Message] | None = None
    answer: Completion | None = None
    cached: bool = False

    @classmethod
    def of_execution(cls, query: str | None, execution: Execution) -> Self:
        """Return the step that ran a query."""
        finding = {name: getattr(execution, name) for name in ("code", "message", "row_count", "truncated")}
        return cls("executor", query, execution.status, [finding], time_s=execution.time_s)


class OnceARun(Protocol):
    """Texts that are made once a run and shared by all its processes."""

    def get(self, key: str, make: Callable[[], Completion]) -> str:
        """Return the text of a key, made by the first process that asks while the others wait."""


@dataclass(frozen=True, slots=True)
class LoopTools:
    """What a loop works with.

    Attributes:
        validator: The validator of the run.
        rules: The validator without a model, for what the prompt of the case wants returned.
        ask: Asks the model of a role; raises ModelError if it cannot be asked. Not for loops that need no
            model.
        note: Puts a step on the record.
        once: Texts made once a run.
        player: Label of the model of the roles; empty where there is none.
        guidelines: Text of ``--guidelines``; empty without it.
    """

    graph: Graph
    validator: ValidatorName
    rules: RuleValidator
    ask: Callable[[str, list[Message]], Completion]
    note: Callable[[Step], None]
    once: OnceARun
    player: str = ""
    guidelines: str = ""


@dataclass(frozen=True, slots=True)
class LoopResult:
    """What a loop ends with.

    Attributes:
        cypher: The query to be executed and scored.
        execution: Its result, where the loop has executed it in its own way; None to have it executed.
        fallback: Rows that do not come from the query, with how they were found; stored and scored apart.
    """

    cypher: str | None
    execution: Execution | None = None
    fallback: Mapping[str, Any] | None = None


@runtime_checkable
class Loop(Protocol):
    """What happens between the first completion and the query that is scored.

    An optional attribute ``validates`` says whether the loop uses the validator of the run; the terminal then
    leaves out what has no effect.
    """

    @property
    def name(self) -> str:
        """Name in ``--loop``, ids and tables: letters, digits, ``.``, ``_``, ``+`` and ``-``."""

    @property
    def needs_model(self) -> bool:
        """Whether it asks a model in roles of its own; that must be a model that reads messages."""

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Run the loop on one case. It must end: bound the number of its questions.

        A ModelError or GraphError makes the case an infrastructure error.
        """


@runtime_checkable
class FirstMessages(Protocol):
    """A loop that writes the messages of the first completion itself, in place of those of the prompt."""

    def first_messages(self, case: LoopQuestion, tools: LoopTools) -> list[Message]:
        """Return the messages to the model under test, made from those of the prompt.

        A ModelError or GraphError makes the case an infrastructure error.
        """
