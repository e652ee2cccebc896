"""The rounds of a case as they go on its record."""

import hashlib
from dataclasses import dataclass, field

from plugins.records import Record, Round, json_line
from prompts.loops import Step
from prompts.models import Answer, Message


@dataclass(slots=True)
class Outcome:
    """A case that was run.

    Attributes:
        record: Its record.
        messages: The messages of its rounds, by their hash.
        finding: What the text of its query shows of the primary label; None where it shows nothing of it.
    """

    record: Record
    messages: dict[str, list[Message]] = field(default_factory=dict)
    finding: str | None = None

    def keep_messages(self, messages: list[Message]) -> str:
        """Keep messages and return their hash."""
        sha256 = hashlib.sha256(json_line(messages).encode()).hexdigest()
        self.messages[sha256] = messages
        return sha256

    def add_answer(self, messages: list[Message], answer: Answer, cypher: str | None) -> None:
        """Put the first answer on the record."""
        self.add(Step("generator", cypher, "", messages=messages, answer=answer))

    def add(self, step: Step) -> None:
        """Put a step on the record."""
        answer = step.answer
        self.record.rounds.append(
            Round(
                role=step.role,
                messages_sha256=None if step.messages is None else self.keep_messages(step.messages),
                answer=answer.text if answer else "",
                cypher=step.cypher,
                verdict=step.verdict or None,
                findings=[*step.findings, *([answer.details] if answer and answer.details else [])],
                time_s=step.time_s or (answer.time_s if answer else 0.0),
                tokens=answer.tokens if answer else None,
                cost=answer.cost if answer and not step.cached else None,
                cached=step.cached or bool(answer and answer.cached),
            )
        )
