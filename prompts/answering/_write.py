"""Writes the answer to a question from what its query returned."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg.execution import Execution
from prompts.answering._claims import StatedClaims, read_stated
from prompts.answering._context import Context, Limits, context_of
from prompts.answering._facts import tells_nothing
from prompts.answering._texts import INSUFFICIENT, messages_for, passages_text
from prompts.extraction import said_aloud
from prompts.loops import Step
from prompts.models import Answer, Message, ModelError
from prompts.retrieval import Found

Search = Callable[[str, Sequence[str], Sequence[Sequence[Any]]], Sequence[Found]]
"""Finds passages for a question, the columns of its query and the rows it returned."""

TEXT_ROLE = "answer:text"
CLAIMS_ROLE = "answer:claims"


@dataclass(frozen=True, slots=True)
class Written:
    """A written answer.

    Attributes:
        text: The answer without what the model thought aloud; empty where the model said nothing; None where
            it could not be asked.
        stated: The claims of the answer, as the model lists them; None where it was not asked, or could not
            be.
        given: The rows and passages that the model was given, each as a text.
    """

    text: str | None
    stated: StatedClaims | None = None
    given: tuple[str, ...] = ()

    @property
    def insufficient(self) -> bool:
        """Whether the answer is that there is no answer in what was given."""
        return self.text is not None and _bare(self.text).startswith(_bare(INSUFFICIENT))

    @property
    def claims_nothing(self) -> bool:
        """Whether there is nothing to check: no answer, an empty one, or that there is none and no more."""
        return not self.text or _bare(self.text) == _bare(INSUFFICIENT)


@dataclass(frozen=True, slots=True)
class AnswerWriter:
    """Has a model write answers, and list what they claim.

    Attributes:
        limits: How much the model is given.
        search: Finds passages for a question and its rows; None where answers are from rows alone.
    """

    limits: Limits
    search: Search | None = None

    def write(
        self,
        question: str,
        execution: Execution,
        ask: Callable[[list[Message]], Answer],
        note: Callable[[Step], None],
    ) -> Written:
        """Write an answer. Without rows nobody is asked: nothing can be said.

        A model that cannot be asked is put on the record as a step with the verdict ``error``, and raises
        nothing: what the query is worth is known by then.

        Args:
            question: The question as asked.
            execution: What came of its query.
            ask: Asks the model; raises ModelError where it cannot be asked.
            note: Puts a step on the record.
        """
        if tells_nothing(execution.rows):
            said = Answer(INSUFFICIENT)
            note(Step(TEXT_ROLE, None, "insufficient", [{"context": {"rows": 0, "of": 0}}], answer=said))
            return Written(INSUFFICIENT)
        found = None
        if self.search is not None:
            found = self.search(question, execution.columns, execution.rows)
        context = context_of(execution.columns, execution.rows, execution.row_count, found, self.limits)
        messages = answer_messages(question, context, execution.truncated)
        answer = _asked(TEXT_ROLE, messages, {"context": context.to_json()}, ask, note)
        if answer is None:
            return Written(None)
        given = (*context.facts, *(each.passage.text for each in context.passages))
        written = Written(said_aloud(answer.text), given=given)
        verdict = "insufficient" if written.insufficient else "written" if written.text else "empty"
        findings = [{"context": context.to_json()}]
        note(Step(TEXT_ROLE, None, verdict, findings, messages=messages, answer=answer))
        if not written.text or written.claims_nothing:
            return written
        return replace(written, stated=_stated(question, written.text, ask, note))


def answer_messages(question: str, context: Context, truncated: bool = False) -> list[Message]:
    """Return the messages that ask for an answer.

    Args:
        question: The question as asked.
        context: What the model may answer from.
        truncated: Whether the query returned more rows than were counted.
    """
    shown, of = len(context.facts), f"{context.row_count:,}{' or more' if truncated else ''}"
    cut = f" (the first {shown:,} of {of})" if truncated or shown < context.row_count else ""
    values = {
        "question": question.strip(),
        "facts": "\n".join(context.facts),
        "cut": cut,
        "passages": passages_text(context.passages),
        "insufficient": INSUFFICIENT,
    }
    return messages_for("answer", values)


def claims_messages(question: str, answer: str) -> list[Message]:
    """Return the messages that ask for the claims of an answer."""
    return messages_for("claims", {"question": question.strip(), "answer": answer})


def _stated(
    question: str,
    answer: str,
    ask: Callable[[list[Message]], Answer],
    note: Callable[[Step], None],
) -> StatedClaims | None:
    messages = claims_messages(question, answer)
    listed = _asked(CLAIMS_ROLE, messages, {}, ask, note)
    if listed is None:
        return None
    stated = read_stated(said_aloud(listed.text))
    note(Step(CLAIMS_ROLE, None, stated.verdict, stated.findings, messages=messages, answer=listed))
    return stated


def _asked(
    role: str,
    messages: list[Message],
    told: Mapping[str, Any],
    ask: Callable[[list[Message]], Answer],
    note: Callable[[Step], None],
) -> Answer | None:
    try:
        return ask(messages)
    except ModelError as error:
        failed = {"error": {"stage": "model", "kind": error.kind, "message": str(error)}}
        note(Step(role, None, "error", [*([dict(told)] if told else []), failed], messages=messages))
        return None


def _bare(text: str) -> str:
    return text.strip(" \n\t.\"'*`").casefold()
