"""Rewrites the questions of a suite through a model: a check by rule, then a verification by the model.

After CypherBench (section 4.5), which lets a model rewrite a question once, and then verify it in three
rounds, each of which replaces a text that differs by a corrected one. Here a text is used only if a round has
passed it; CypherBench uses the last correction as it is, and its authors read all test questions.
"""

import logging
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec import Struct

from retrocypher.kg.cypher.edits import string_literals
from retrocypher.kg.suites.questions import TableQuestion
from retrocypher.plugins.formatting.progress import throttled
from retrocypher.plugins.formatting.text import counted, one_line, shortened
from retrocypher.prompts.extraction.candidates import visible_text
from retrocypher.prompts.extraction.extract import sole_json, yes_or_no
from retrocypher.prompts.models.calls import GatewaySettings
from retrocypher.prompts.models.gateway_client import GatewayModel, choice_of
from retrocypher.prompts.models.interface import Chat, Completion, ModelError
from retrocypher.prompts.models.pool import UnfinishedError, open_pool
from retrocypher.prompts.models.spec import ModelSpec
from retrocypher.prompts.templates.template import Texts

_logger = logging.getLogger(__name__)

ROUNDS = 3
"""Attempts for a question; each is a rewriting, the check by rule, and the verification."""

Reason = Literal["ambiguous", "form", "names or numbers", "meaning", "unreadable verdict"]
"""Why a question keeps its template text: several readings, so never rewritten; or what failed last."""

_TEXTS = Texts(Path(__file__).with_name("texts"))
_LONGEST_REASON = 300
_QUOTED = r""""[^"\n]*"|(?<!\w)'[^'\n]*'(?!\w)"""
_NUMBER = r"[+-]?\d+(?:[.,:/-]\d+)*(?:[eE][+-]?\d+)?%?"
_MARKS = '"<>&`*_#|[]{}\\~^=$“”„«»‹›‘‚'  # noqa: RUF001
"""Marks of quotes, Markdown, HTML and TeX; outside of names, a text has no more of each than its template."""


class Rewriting(Struct, kw_only=True):
    """What rewriting the questions of a suite gave."""

    model: str
    questions: int
    rounds: list[int]
    """How many were rewritten in the first round, the second, and the third."""
    kept: dict[Reason, int]
    """How many keep their template text, by the reason."""
    requested: int
    """Completions requested from the model."""
    from_cache: int
    tokens: dict[str, int]
    """``prompt`` and ``completion`` tokens of those requested, where known."""
    cost: float | None
    """Cost of those requested in USD, at list prices; None if no price is known."""


def _copied(question: TableQuestion) -> re.Pattern[str]:
    """Return what finds the parts that are copied: names and values in quotes, numbers and dates."""
    names = {name.partition(":")[2] for name in question.entities}
    names |= {each.value for each in string_literals(question.cypher or "")}
    # The longest first: a name may have quotes in it.
    exact = sorted((re.escape(f'"{name}"') for name in names), key=lambda each: (-len(each), each))
    return re.compile("|".join([*exact, _QUOTED, _NUMBER]))


def fault_of_text(question: TableQuestion, text: str) -> tuple[Reason, str] | None:
    """Return why a text cannot replace that of a question, by rule: what kind of fault, and what it is.

    The text must be one line of printable characters, at most twice as long as the template text and 40
    characters more, with each name in quotes, number and date to the character and as often, no others, and
    no more marks of Markdown or HTML.
    """
    template = question.question
    if not text or text == template:
        return "form", "It is empty." if not text else "It is the question as it was; use other words."
    if len(text) > _longest(template):
        return "form", "It is too long."
    copied = _copied(question)
    before, after = Counter(copied.findall(template)), Counter(copied.findall(text))
    if before != after:
        missing, added = (", ".join(each.elements()) for each in (before - after, after - before))
        return "names or numbers", f"Missing: {missing or 'nothing'}. Added: {added or 'nothing'}."
    rest_before, rest = copied.sub("", template), copied.sub("", text)
    if not all(each.isprintable() or each in rest_before for each in rest):
        return "form", "It has more than one line, or characters that cannot be printed."
    if marks := [mark for mark in _MARKS if rest.count(mark) > rest_before.count(mark)]:
        return "form", f"Leave out these marks: {' '.join(marks)}"
    return None


def _longest(template: str) -> int:
    return 2 * len(template) + 40


def rewrite(
    questions: Sequence[TableQuestion], spec: ModelSpec, settings: GatewaySettings, seed: int
) -> Rewriting:
    """Give questions a more natural text, where one passes; those of the training split, too.

    A question with several readings keeps its text: no rule can tell whether another is as ambiguous. Either
    all questions are done, or none is changed; what was answered before is in the cache.

    Raises InputError if the model cannot be started, RefusedError if its API refuses the key or the name,
    UnfinishedError if the budget is spent or the model could not be asked about a question.
    """
    todo = [each for each in questions if not each.readings]
    attempts: dict[str, _Attempts] = {}
    where = f"responses are kept in {settings.cache}" if settings.cache else "no response is kept"
    _logger.info(f"{spec.label} rewrites {counted(len(todo), 'question')}; {where}")
    log = throttled(_logger)
    with open_pool(spec, replace(settings, seed=seed)) as pool:
        model = GatewayModel(choice_of(spec), pool.connections)
        for done in pool.run(partial(_attempts, model), todo):
            attempts[done.question] = done
            log(f"{len(attempts):,} of {counted(len(todo), 'question')}")
    in_order = [attempts[each.id] for each in todo]
    if errors := [each.error for each in in_order if each.error]:
        raise UnfinishedError(
            f"{spec.label} could not be asked about {counted(len(errors), 'question')}, so nothing "
            f"was written. Repeat the command to ask again. The first reason: {one_line(str(errors[0]))}"
        )
    kept: Counter[Reason] = Counter({"ambiguous": len(questions) - len(todo)})
    kept.update(each.failed for each in in_order if each.failed)
    for question, each in zip(todo, in_order, strict=True):
        if not each.failed:
            question.template_text, question.question = question.question, each.text
    calls = [call for each in in_order for call in each.calls]
    requested = [call for call in calls if not call.cached]
    tokens = Counter[str]()
    for call in requested:
        tokens.update(call.tokens or {})
    costs = [call.cost for call in requested if call.cost is not None]
    rounds = Counter(each.round for each in in_order if not each.failed)
    return Rewriting(
        model=spec.label,
        questions=len(questions),
        rounds=[rounds[number] for number in range(1, ROUNDS + 1)],
        kept={reason: number for reason, number in kept.most_common() if number},
        requested=len(requested),
        from_cache=len(calls) - len(requested),
        tokens=dict(tokens),
        cost=math.fsum(costs) if costs or not requested else None,
    )


@dataclass(slots=True)
class _Attempts:
    """The attempts to rewrite one question."""

    question: str
    """Its id."""
    text: str = ""
    round: int = 0
    failed: Reason | None = None
    error: ModelError | None = None
    """Why the model could not be asked."""
    calls: list[Completion] = field(default_factory=list)


def _attempts(model: GatewayModel, question: TableQuestion) -> _Attempts:
    """Return the attempts to rewrite a question, of which the last may have passed."""
    made, again = _Attempts(question.id), ""
    shown = {"question": question.question, "query": question.cypher or "(The graph has no query for it.)"}
    copied = "\n".join(dict.fromkeys(_copied(question).findall(question.question))) or "(nothing)"
    try:
        while made.round < ROUNDS:
            made.round += 1
            made.text = _asked(model, made, "rewrite", {**shown, "copied": copied, "again": again})
            fault = fault_of_text(question, made.text) or _difference(model, made, shown)
            made.failed = fault[0] if fault else None
            if fault is None:
                break
            attempt = one_line(shortened(made.text, _longest(question.question))) or "(none)"
            reason = one_line(shortened(fault[1], _LONGEST_REASON))
            again = f"\n{_TEXTS.text('again', {'attempt': attempt, 'reason': reason})}\n"
    except ModelError as error:
        made.error = error
    return made


def _difference(model: GatewayModel, made: _Attempts, shown: Mapping[str, str]) -> tuple[Reason, str] | None:
    """Return the difference in meaning that the model finds; None if it finds none."""
    try:
        verdict = sole_json(_asked(model, made, "verify", {**shown, "rewritten": made.text}))
    except ValueError:
        verdict = None
    same = yes_or_no(verdict.get("same")) if isinstance(verdict, dict) else None
    if same is None:
        return "unreadable verdict", "It could not be verified. Write it in other words."
    return None if same else ("meaning", str(verdict.get("reason") or "It asks for something else."))


def _asked(model: GatewayModel, made: _Attempts, name: str, values: Mapping[str, str]) -> str:
    completion = model.answer(Chat(_TEXTS.messages(name, values), f"{made.question} {name}"))
    made.calls.append(completion)
    return visible_text(completion.text)
