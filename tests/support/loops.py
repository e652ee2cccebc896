"""A loop's surroundings without a model and without a server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.validation.validator import SchemaValidator
from retrocypher.prompts.loops.interface import (
    FirstMessages,
    Loop,
    LoopCase,
    LoopQuestion,
    LoopResult,
    LoopTools,
    Step,
    ValidatorName,
)
from retrocypher.prompts.models.interface import Completion, Message
from support.schemas import DEFAULT_SCHEMA_TEXT

TARGET = "CC(=O)OCC"
QUESTION = f"From which direct precursors is {TARGET} made?"
RIGHT = (
    f"MATCH (r:Reaction)-[:PRODUCES]->(t:Molecule {{name: '{TARGET}'}})\n"
    "OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(r)\n"
    "OPTIONAL MATCH (r)-[:PRODUCES]->(product:Molecule)\n"
    "OPTIONAL MATCH (r)-[:USES_AGENT]->(agent:Molecule)\n"
    "OPTIONAL MATCH (r)-[:USES_SOLVENT]->(solvent:Molecule)\n"
    "RETURN r.id AS id, collect(DISTINCT reactant.name) AS reactants, "
    "collect(DISTINCT product.name) AS products, "
    "collect(DISTINCT agent.name) AS agents, collect(DISTINCT solvent.name) AS solvents"
)
BROKEN = RIGHT.replace("RETURN", "RETRUN")


@dataclass
class FakeGraph:
    """Plans what the grammar takes; runs nothing and returns what it was given."""

    result: Execution = field(
        default_factory=lambda: Execution("ok", columns=["id"], rows=[[1]], row_count=1)
    )
    refused: str = "DELETE"
    ran: list[tuple[str | None, float | None, int | None]] = field(default_factory=list)

    def explain(self, cypher: str | None) -> Execution:
        if cypher is None:
            return Execution("no_query")
        if self.refused in cypher:
            return Execution("refused", message="only reading the graph is allowed")
        errors = parse(cypher).errors
        if errors:
            return Execution("syntax_error", code="Neo.X", message=f"{errors[0].message} in {cypher!r}")
        return Execution("ok")

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        self.ran.append((cypher, timeout_s, row_limit))
        if "db.labels()" in (cypher or ""):
            rows = [["label", "Molecule"], ["label", "Reaction"], ["type", "PRODUCES"]]
            return Execution("ok", columns=["kind", "name"], rows=rows, row_count=3)
        planned = self.explain(cypher)
        return self.result if planned.status == "ok" else planned


class Cast:
    """Answers by role, from a list for each; the last answer of a list comes again and again."""

    def __init__(self, **answers: str | list[str]) -> None:
        self._answers = {
            role: [said] if isinstance(said, str) else list(said) for role, said in answers.items()
        }
        self.asked: list[tuple[str, list[Message]]] = []

    def __call__(self, role: str, messages: list[Message]) -> Completion:
        self.asked.append((role, messages))
        left = self._answers[role]
        said = left.pop(0) if len(left) > 1 else left[0]
        return Completion(said, tokens={"prompt": 10, "completion": 5}, time_s=0.5)

    def texts(self, role: str) -> list[str]:
        """Return what a role was asked, the messages of a call joined."""
        return [
            "\n".join(message["content"] for message in messages)
            for asked, messages in self.asked
            if asked == role
        ]


class Once:
    """Makes each text once."""

    def __init__(self) -> None:
        self.made: dict[str, str] = {}

    def get(self, key: str, make: Callable[[], Completion]) -> str:
        if key not in self.made:
            self.made[key] = make().text
        return self.made[key]


@dataclass
class Played:
    """A loop that was run."""

    result: LoopResult
    steps: list[Step]
    cast: Cast
    graph: FakeGraph
    first_messages: list[Message]

    @property
    def story(self) -> list[tuple[str, str]]:
        """Role and verdict of each step."""
        return [(step.role, step.verdict) for step in self.steps]

    def finding(self, role: str) -> dict[str, Any]:
        """The findings of the first step of a role, as one."""
        step = next(step for step in self.steps if step.role == role)
        return {key: value for finding in step.findings for key, value in finding.items()}


def play(
    loop: Loop,
    cypher: str | None,
    cast: Cast | None = None,
    *,
    validator: ValidatorName = "checklist",
    graph: FakeGraph | None = None,
    question: str = QUESTION,
    once: Once | None = None,
    guidelines: str = "",
) -> Played:
    """Run a loop on one case."""
    cast, graph, steps = cast or Cast(), graph or FakeGraph(), list[Step]()
    facts: dict[str, Any] = {
        "question": question,
        "setting": "single_step",
        "convention": "benchmark",
        "schema_text": DEFAULT_SCHEMA_TEXT,
        "schema": default_schema(),
        "messages": [{"role": "system", "content": "Write Cypher."}, {"role": "user", "content": question}],
    }
    rules = SchemaValidator(facts["schema"], facts["convention"])
    tools = LoopTools(graph, validator, rules, cast, steps.append, once or Once(), "player", guidelines)
    if isinstance(loop, FirstMessages):
        facts["messages"] = loop.first_messages(LoopQuestion(**facts), tools)
    result = loop.run(LoopCase(**facts, answer=Completion(cypher or "I cannot say."), cypher=cypher), tools)
    return Played(result, steps, cast, graph, facts["messages"])
