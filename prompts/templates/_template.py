"""What a prompt is, and how its slots are filled."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from kg.questions import Setting
from prompts.exemplars import Exemplar
from prompts.validation import Convention

USER_MARK = re.compile(r"^=== user ===[ \t]*(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt template.

    Attributes:
        id: ``P1`` to ``P10``.
        setting: The setting it applies to.
        text: The template, with the slots ``{schema}`` and ``{question}``; other braces are plain text.
        exemplar_text: How an exemplar is shown, with the slots ``{exemplar_question}`` and
            ``{exemplar_cypher}``.
        convention: What it wants returned: ``benchmark`` for the full context of each reaction or whole
            routes of reactions, ``as-asked`` for what the question's words ask for.
    """

    id: str
    setting: Setting
    text: str
    exemplar_text: str
    convention: Convention = "benchmark"

    @property
    def sha256(self) -> str:
        """Hash of all that shapes the messages: the template and the way an exemplar is shown."""
        return hashlib.sha256(f"{self.text}\0{self.exemplar_text}".encode()).hexdigest()

    def render(self, schema: str, question: str) -> str:
        """Return the zero-shot prompt as one text: what all messages say, without their roles."""
        return "\n\n".join(message["content"] for message in build_messages(self, schema, question, None))


def build_messages(
    prompt: Prompt, schema: str, question: str, exemplar: Exemplar | None
) -> list[dict[str, str]]:
    """Return the chat messages of a case.

    The system message holds role, schema and guidelines and is the same with and without an exemplar; the
    user message holds the exemplar, where there is one, and the question (the paper's appendix 5.1 and 5.2).
    A template without the line ``=== user ===`` is one user message.

    Args:
        prompt: The template.
        schema: Schema text of the live graph.
        question: The question, as asked.
        exemplar: The exemplar to show; None with zero-shot.
    """
    values = {"schema": schema.strip(), "question": question.strip()}
    system, user = split(prompt.text)
    content = fill(user, values)
    if exemplar is not None:
        shown = {"exemplar_question": exemplar.question, "exemplar_cypher": exemplar.cypher}
        content = f"{fill(prompt.exemplar_text, shown)}\n\n{content}"
    messages = [{"role": "user", "content": content}]
    if system:
        messages.insert(0, {"role": "system", "content": fill(system, values)})
    return messages


def split(text: str) -> tuple[str, str]:
    """Return the system and the user part of a template; the system part is empty where there is no mark."""
    mark = USER_MARK.search(text)
    return (text[: mark.start()], text[mark.end() :]) if mark else ("", text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fill slots in one pass: what is filled in is never read as a template, whatever braces it has."""
    slot = re.compile("|".join(re.escape("{" + name + "}") for name in values))
    return slot.sub(lambda match: values[match[0][1:-1]], text).strip()
