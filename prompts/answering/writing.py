"""Written answers: what a model is given of rows and passages, its answer, and the claims it lists."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs, to_builtins

from retrocypher.kg.claims.extracted import MOST_ENTRIES, AnyEntry, claims_form, entry_of
from retrocypher.kg.claims.sentences import Cited, Sentences, sentences_of
from retrocypher.kg.evidence.lookup import GraphEvidence
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.prompts.answering.passages import FoundPassage, PassageEntry
from retrocypher.prompts.answering.ranking import Citable, RankedRow, check_citations, rank_rows
from retrocypher.prompts.answering.roles import CLAIMS_ROLE, TEXT_ROLE, Citations
from retrocypher.prompts.extraction.candidates import visible_text
from retrocypher.prompts.extraction.extract import sole_json
from retrocypher.prompts.loops.interface import Step
from retrocypher.prompts.models.interface import Completion, Message, ModelError
from retrocypher.prompts.templates.template import Texts


@dataclass(frozen=True, slots=True)
class StatedClaims:
    """The claims of an answer as a model lists them.

    Attributes:
        entries: Those in the form asked for, each once.
        refused: For each of the others, why it is left out.
        malformed: Why the whole list cannot be read; None where it can.
    """

    entries: tuple[AnyEntry, ...] = ()
    refused: tuple[str, ...] = ()
    malformed: str | None = None

    @property
    def verdict(self) -> str:
        """``listed``, ``partly`` (some claims refused) or ``malformed``."""
        return "malformed" if self.malformed else "partly" if self.refused else "listed"

    @property
    def usable(self) -> tuple[AnyEntry, ...] | None:
        """The entries; None if the list, or each of its claims, is unreadable. Then rules read the text."""
        return None if self.malformed or (self.refused and not self.entries) else self.entries

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What a record says of the refused claims; empty where there are none."""
        refusals = {"malformed": self.malformed, "refused": list(self.refused)}
        kept = {name: value for name, value in refusals.items() if value}
        return [kept] if kept else []


def read_stated(reply: str, sentences: int) -> StatedClaims:
    """Read a list of claims: one JSON array and nothing else (`sole_json`).

    Text that the reply quotes from an answer is thus not taken for the model's list.

    Args:
        sentences: How many sentences the answer has.
    """
    try:
        values = sole_json(reply)
    except ValueError as error:
        return StatedClaims(malformed=str(error))
    if not isinstance(values, list):
        return StatedClaims(malformed="not a JSON array")
    if len(values) > MOST_ENTRIES:
        return StatedClaims(malformed=f"more than {MOST_ENTRIES} claims")
    entries: list[AnyEntry] = []
    refused: list[str] = []
    for number, value in enumerate(values, 1):
        try:
            entry = entry_of(value, sentences)
        except ValueError as error:
            refused.append(f"claim {number}: {error}")
            continue
        if entry not in entries:
            entries.append(entry)
    return StatedClaims(tuple(entries), tuple(refused))


_TEXTS = Texts(Path(__file__).with_name("texts"))

text_hashes = _TEXTS.hashes

INSUFFICIENT = _TEXTS.text("insufficient", {})
"""The written answer where the rows hold none."""

Search = Callable[[str, Sequence[str], Sequence[Sequence[Any]]], Sequence[FoundPassage]]
"""Finds passages for a question, the columns of its query and the rows it returned."""

_CUT = " … (cut)"


def passages_text(passages: Iterable[FoundPassage]) -> str:
    """Return passages as they are shown; empty without one.

    Each of their lines is quoted, so that no text of a patent looks like a line of the prompt.
    """
    shown = "\n\n".join(_shown(number, each) for number, each in enumerate(passages, 1))
    return f"\n{_TEXTS.text('passages', {'passages': shown})}\n" if shown else ""


def _shown(number: int, found: FoundPassage) -> str:
    lines = "\n".join(f"> {line}" for line in found.passage.text.splitlines())
    return f"Passage {number}, on reaction {found.passage.reaction} (relevance {found.score:.2f}):\n{lines}"


def facts_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Yield each row as one line of JSON, values by column.

    Nodes and relationships are their properties, paths alternate between nodes and types of relationships:
    labels and internal ids would only cost room. A line break within a value is escaped, as JSON has it, so
    that no value can look like a line of its own. Rows are in the JSON form of a record.
    """
    for row in rows:
        fact = {column: _plain(value) for column, value in zip(columns, row, strict=True)}
        yield json.dumps(fact, ensure_ascii=False)


def tells_nothing(rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether no row holds a value other than null and empty texts and lists."""
    return not any(_holds(value) for row in rows for value in row)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    match next(iter(value.items()), ("", None)):
        case ("$node" | "$relationship", {"properties": properties}):
            return _plain(properties)
        case ("$path", {"nodes": nodes, "relationships": relationships}):
            return [*_along(nodes, relationships)]
        case ("$temporal", {"value": written}):
            return written
        case ("$map" | "$float" | "$bytes", held):
            return _plain(held)
    return {name: _plain(each) for name, each in value.items()}


def _along(nodes: Sequence[Any], relationships: Sequence[Any]) -> Iterator[Any]:
    for number, node in enumerate(nodes):
        if number:
            between = relationships[number - 1]
            held = _plain(between["properties"])
            yield {between["type"]: held} if held else between["type"]
        yield _plain(node["properties"])


def _holds(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_holds, value))
    return value is not None and value != ""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many rows, passages and characters of both a model is given, and weights for their order."""

    rows: int = 50
    characters: int = 6_000
    passages: int = 3
    text_weight: float = 0.6
    graph_weight: float = 0.4


class ContextEntry(Struct, frozen=True):
    """What a record says of a context."""

    rows: int
    of: int
    characters: int | UnsetType = UNSET
    passages: list[PassageEntry] | UnsetType = UNSET
    combined_score: float | UnsetType = UNSET
    fallback: bool | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Context:
    """What a model is given: rows, a line each, and passages, the most relevant first.

    Attributes:
        row_count: How many rows there were.
        characters: Of facts and passages together.
        combined: Weighted mean relevance of passages and facts (Hybrid retrieval of GraphBuilder-RAG: weight
            of the text times the mean score of its chunks, plus weight of the graph times that of its
            matches); None where no passages were looked for.
        ranked: The rows of the facts; None where they are not ranked, and citations are not asked for.
    """

    facts: tuple[str, ...]
    row_count: int
    passages: tuple[FoundPassage, ...] = field(default=())
    characters: int = 0
    combined: float | None = None
    ranked: tuple[RankedRow, ...] | None = None

    @property
    def entry(self) -> ContextEntry:
        """What a record says of the context."""
        if self.combined is None:
            return ContextEntry(len(self.facts), self.row_count, self.characters)
        passages = [each.entry for each in self.passages]
        return ContextEntry(
            len(self.facts), self.row_count, self.characters, passages, round(self.combined, 6)
        )


def context_of(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    row_count: int,
    found: Sequence[FoundPassage] | None,
    limits: Limits,
    ranked_rows: Sequence[RankedRow] | None = None,
) -> Context:
    """Choose the rows and passages that fit, in one order by weight times relevance.

    Rows that are not ranked have a score of 1. The first row or passage that does not fit ends its kind. At
    least one row is given, cut off at its end if it alone is too long. Rows are shown in the order of the
    result. `row_count` counts the rows that the query returned, also those not kept; `found` is None where no
    passages were looked for.
    """
    plain = (RankedRow(number=n, shown=line) for n, line in enumerate(facts_of(columns, rows), 1))
    known = islice(plain, limits.rows) if ranked_rows is None else ranked_rows
    best = sorted(known, key=lambda each: -each.score)[: limits.rows]
    passages = sorted(found or (), key=lambda each: -each.score)[: limits.passages]
    if len(first := best[0].shown) > limits.characters:
        best = [replace(best[0], shown=first[: max(0, limits.characters - len(_CUT))] + _CUT)]
    ranked = [
        (limits.graph_weight * each.score, 0, number, len(each.shown)) for number, each in enumerate(best)
    ]
    ranked += [
        (limits.text_weight * each.score, 1, number, len(each.passage.text))
        for number, each in enumerate(passages)
    ]
    ranked.sort(key=lambda each: (-each[0], *each[1:]))
    # The first row before all else: without it there is nothing to answer from.
    ranked.sort(key=lambda each: each[1:3] != (0, 0))
    room, taken, full = limits.characters, [0, 0], [False, False]
    for _, kind, _, size in ranked:
        if full[kind] or size > room:
            full[kind] = True
            continue
        room -= size
        taken[kind] += 1
    kept, best = tuple(passages[: taken[1]]), best[: taken[0]]
    combined = None
    if found is not None:
        of_text = fmean(each.score for each in kept) if kept else 0.0
        of_graph = fmean(each.score for each in best)
        combined = limits.text_weight * of_text + limits.graph_weight * of_graph
    best.sort(key=lambda each: each.number)
    facts = tuple(each.shown for each in best)
    shown = None if ranked_rows is None else tuple(best)
    return Context(facts, row_count, kept, limits.characters - room, combined, shown)


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """A written answer.

    Attributes:
        text: The answer without ``<think>`` parts; empty where the model said nothing; None where it could
            not be asked.
        stated: The claims of the answer, as the model lists them; None where it was not asked.
        given: The rows and passages that the model was given, each as a text.
        citations: What it cites, checked; None where no citations were asked for.
    """

    text: str | None
    stated: StatedClaims | None = None
    given: tuple[str, ...] = ()
    citations: Citations | None = None

    @property
    def insufficient(self) -> bool:
        """Whether the answer begins by saying that the context holds no answer."""
        return self.text is not None and _bare(self.text).startswith(_bare(INSUFFICIENT))

    @property
    def claims_nothing(self) -> bool:
        """Whether there is nothing to check: no answer, an empty one, or only that there is none."""
        return not self.text or _bare(self.text) == _bare(INSUFFICIENT)


@dataclass(frozen=True, slots=True)
class AnswerWriter:
    """Has a model write answers, and list what they claim; without `search`, from rows alone.

    With `evidence` of the graph the rows are ranked, and the model is asked for citations.
    """

    limits: Limits
    search: Search | None = None
    evidence: GraphEvidence | None = None

    def write(
        self,
        question: str,
        execution: Execution,
        ask: Callable[[list[Message]], Completion],
        note: Callable[[Step], None],
        extract: Callable[[list[Message]], Completion] | None = None,
        fallback_hops: int | None = None,
    ) -> WrittenAnswer:
        """Write an answer; without values in the rows no model is asked.

        The writer lists the claims itself unless `extract` asks another model.

        A ModelError becomes a step with the verdict ``error``: the query has its scores by then.

        Args:
            fallback_hops: How far the rows of a fallback reach from the molecules of the question; None for
                rows of the query.
        """
        if tells_nothing(execution.rows):
            said = Completion(INSUFFICIENT)
            finding = {"context": to_builtins(ContextEntry(rows=0, of=0))}
            note(Step(TEXT_ROLE, None, "insufficient", [finding], answer=said))
            return WrittenAnswer(INSUFFICIENT)
        found = None
        if self.search is not None:
            found = self.search(question, execution.columns, execution.rows)
        columns, rows = execution.columns, execution.rows
        ranked = None
        if self.evidence is not None:
            lines = list(facts_of(columns, rows))
            ranked = rank_rows(self.evidence, question, columns, rows, lines)
        context = context_of(columns, rows, execution.row_count, found, self.limits, ranked)
        messages = answer_messages(question, context, execution.truncated, fallback_hops)
        entry = context.entry if fallback_hops is None else structs.replace(context.entry, fallback=True)
        finding = {"context": to_builtins(entry)}
        answer = _asked(TEXT_ROLE, messages, finding, ask, note)
        if answer is None:
            return WrittenAnswer(None)
        given = (*context.facts, *(each.passage.text for each in context.passages))
        text = visible_text(answer.text)
        citations = None
        if self.evidence is not None:
            citations = check_citations(text, _citable(context, self.evidence.reactions))
        written = WrittenAnswer(text, given=given, citations=citations)
        verdict = "insufficient" if written.insufficient else "written" if written.text else "empty"
        note(Step(TEXT_ROLE, None, verdict, [finding], messages=messages, answer=answer))
        if not written.text or written.claims_nothing:
            return written
        return replace(written, stated=_stated(written.text, extract or ask, note))


def _citable(context: Context, reactions: Mapping[int, Reaction]) -> dict[Cited, Citable]:
    """Return what citations of an answer may name; a passage is about the molecules of its reaction."""
    ids = (each.passage.reaction for each in context.passages)
    return {
        **{Cited("row", each.number): each for each in context.ranked or ()},
        **{
            Cited("passage", n): Citable({*reactions[each].molecules}, {each})
            for n, each in enumerate(ids, 1)
        },
    }


def answer_messages(
    question: str, context: Context, truncated: bool = False, fallback_hops: int | None = None
) -> list[Message]:
    """Return the messages that ask for an answer; `truncated` if there were more rows than counted."""
    note = "" if fallback_hops is None else _TEXTS.text("fallback", {"hops": str(fallback_hops)}) + "\n\n"
    name = "answer" if context.ranked is None else "hybrid"
    shown, of = len(context.facts), f"{context.row_count:,}{' or more' if truncated else ''}"
    best = "first" if context.ranked is None else "best"
    cut = f" (the {best} {shown:,} of {of})" if truncated or shown < context.row_count else ""
    values = {
        "question": question.strip(),
        "facts": "\n".join(context.facts),
        "cut": cut,
        "note": note,
        "passages": passages_text(context.passages),
        "insufficient": INSUFFICIENT,
    }
    return _TEXTS.messages(name, values)


def claims_messages(answer: Sentences) -> list[Message]:
    """Return the messages that ask for the claims of an answer; they show neither question nor rows."""
    schema = msgspec.json.format(msgspec.json.encode(claims_form()), indent=0).decode()
    return _TEXTS.messages("claims", {"answer": answer.shown(), "schema": schema})


def _stated(
    answer: str,
    ask: Callable[[list[Message]], Completion],
    note: Callable[[Step], None],
) -> StatedClaims | None:
    sentences = sentences_of(answer)
    messages = claims_messages(sentences)
    listed = _asked(CLAIMS_ROLE, messages, {}, ask, note)
    if listed is None:
        return None
    stated = read_stated(visible_text(listed.text), len(sentences.all))
    note(Step(CLAIMS_ROLE, None, stated.verdict, stated.findings, messages=messages, answer=listed))
    return stated


def _asked(
    role: str,
    messages: list[Message],
    found: Mapping[str, Any],
    ask: Callable[[list[Message]], Completion],
    note: Callable[[Step], None],
) -> Completion | None:
    try:
        return ask(messages)
    except ModelError as error:
        failed = {"error": {"stage": "model", "kind": error.kind, "message": str(error)}}
        note(Step(role, None, "error", [*([dict(found)] if found else []), failed], messages=messages))
        return None


def _bare(text: str) -> str:
    return text.strip(" \n\t.\"'*`").casefold()
