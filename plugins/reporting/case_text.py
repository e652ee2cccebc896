"""Two queries in colour, with what tells them apart."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from retrocypher.kg.cypher.edits import differing, is_word
from retrocypher.kg.cypher.tokens import Token, TokenKind, tokens
from retrocypher.kg.errors import GraphError
from retrocypher.plugins.formatting.text import counted, one_line, safe, usd
from retrocypher.plugins.judge.criteria import judgements_of
from retrocypher.plugins.reporting.case_view import ShownCase
from retrocypher.plugins.runs.record import Record, Round, was_run
from retrocypher.plugins.scoring.verdict import claim_line, verification_lines

_STYLES = {TokenKind.STRING: "green", TokenKind.NUMBER: "cyan", TokenKind.ERROR: "red"}
_WORD = "bold blue"
_MOST = 1_500


def compared(query: str, reference: str) -> tuple[Text, Text, str]:
    """Return query and reference, coloured, and what each has that the other has not, in plain words.

    Args:
        query: The query; whatever a model wrote.
        reference: The reference.
    """
    try:
        first, second = tokens(query), tokens(reference)
    except GraphError:
        return Text(safe(query, None)), Text(safe(reference, None)), ""
    if max(len(first), len(second)) > _MOST:
        return _coloured(query, first, set(), ""), _coloured(reference, second, set(), ""), ""
    mine, theirs = differing(first, second)
    said = [
        f"only in the {name}: {', '.join(_runs(text, found, marked))}"
        for name, text, found, marked in (
            ("query", query, first, mine),
            ("reference", reference, second, theirs),
        )
        if marked
    ]
    return (
        _coloured(query, first, mine, "reverse red"),
        _coloured(reference, second, theirs, "reverse green"),
        "\n".join(said),
    )


def _coloured(text: str, found: Sequence[Token], marked: set[int], mark: str) -> Text:
    shown, end = Text(), 0
    for number, token in enumerate(found):
        shown.append(safe(text[end : token.start], None), "dim")
        style = _WORD if is_word(token) else _STYLES.get(token.kind, "")
        shown.append(safe(token.text, None), mark if number in marked else style)
        end = token.stop
    shown.append(safe(text[end:], None), "dim")
    return shown


def _runs(text: str, found: Sequence[Token], marked: set[int]) -> Iterator[str]:
    """Neighbouring tokens that are marked, together as they stand."""
    for number in sorted(marked):
        if number - 1 not in marked:
            last = number
            while last + 1 in marked:
                last += 1
            yield " ".join(safe(text[found[number].start : found[last].stop], 200).split())


_ROWS = 20
_ROW = 1_000
_NO_QUERY = "(no query in the answer)"
_NO_ANSWER = "(no answer)"


def render_case(shown: ShownCase) -> Group:
    """Return all that is known of a case; text of models, servers and files cannot steer the terminal."""
    return Group(*_parts(shown))


def _parts(shown: ShownCase) -> Iterator[RenderableType]:
    record = shown.record
    yield Text(one_line(record.case_id), "bold")
    yield _verdict(shown)
    yield from _facts(
        {
            "task": f"{record.task}, {counted(record.steps, 'step')}",
            "asked with": f"{record.prompt}, {record.shot}, loop {record.loop}, model {record.model}, "
            f"wording {record.phrasing}",
            "exemplar": _exemplar(shown),
            "run": str(shown.run),
        }
    )
    yield from _section("question", Text(safe(record.question, None)))
    if record.exemplar_id is not None and shown.exemplar is not None and shown.messages is not None:
        yield from _section("exemplar", Text(f"{shown.exemplar.question}\n{shown.exemplar.cypher}"))
    for number, turn in enumerate(record.rounds, 1):
        yield from _section(f"round {number}: {_headed(turn)}", *_round(turn, shown))
    query, reference, differs = compared(
        record.cypher or (_NO_QUERY if record.rounds else _NO_ANSWER), record.reference_cypher
    )
    yield from _section("query", query)
    yield from _section("reference", reference)
    if record.cypher is not None and differs:
        yield Text(differs)
    yield from _section("execution", *_execution(shown))
    yield from _section("returned rows", *_rows((record.execution or {}).get("rows") or []))
    if shown.question is not None:
        yield from _section("expected rows", *_rows(shown.question.gold))
    if shown.difference:
        signs = {"-": "red", "+": "green"}
        lines = [Text(one_line(line), signs.get(line[:1], "")) for line in shown.difference]
        yield from _section("difference (- missing, + too much)", *lines)
    if record.scores:
        yield from _section("scores", *_scores(record.scores))
    yield from _answer(record)
    if record.judge:
        yield from _section(f"judge: {one_line(str(record.judge['model']))}", *_judged(shown))
    if shown.labels:
        told = [Text(one_line(f"{each['label']}: {each['meaning']}")) for each in shown.labels]
        yield from _section("labels", *told)
    if shown.why:
        yield from _section("why", *_facts(shown.why))


def _verdict(shown: ShownCase) -> Text:
    record = shown.record
    error = record.infrastructure_error
    if error and not was_run(record.to_json()):
        return Text(safe(f"not run: {error['stage']} {error['kind']}: {error['message']}", None), "yellow")
    f1 = (record.scores or {}).get("f1")
    told = "" if f1 is None else f", F1 {f1:.3f}"
    return Text("passed" + told, "green") if record.passed else Text("failed" + told, "red")


def _exemplar(shown: ShownCase) -> str:
    if shown.record.exemplar_id is None:
        return "none"
    asked = f": {shown.exemplar.question}" if shown.exemplar else ""
    return shown.record.exemplar_id + asked


def _section(title: str, *body: RenderableType) -> Iterator[RenderableType]:
    yield Rule(Text(one_line(title), "bold"), align="left", style="dim")
    yield from (Padding(each, (0, 0, 0, 2)) for each in body)


def _facts(facts: Mapping[str, str]) -> Iterator[RenderableType]:
    for name, text in facts.items():
        yield Text.assemble((f"{name}: ", "bold"), safe(text, None))


def _headed(turn: Round) -> str:
    tokens = sum((turn.tokens or {}).values())
    parts = [
        turn.role,
        turn.verdict or "",
        f"{turn.time_s:.2f} s" if turn.time_s else "",
        counted(tokens, "token") if tokens else "",
        "" if turn.cost is None else usd(turn.cost),
        "from the cache" if turn.cached else "",
    ]
    return ", ".join(filter(None, parts))


def _round(turn: Round, shown: ShownCase) -> Iterator[RenderableType]:
    for message in (shown.messages or {}).get(turn.messages_sha256 or "", ()):
        yield Text.assemble(
            (f"[{one_line(str(message.get('role')))}]\n", "bold"), safe(str(message.get("content")), None)
        )
    if turn.answer:
        yield Text(safe(turn.answer, None))
    if turn.cypher is not None and turn.cypher.strip() != turn.answer.strip():
        yield Text.assemble(("query: ", "bold"), safe(turn.cypher, None))
    for finding in turn.findings:
        yield Text(_as_json(finding), "dim")


def _execution(shown: ShownCase) -> Iterator[RenderableType]:
    execution = shown.record.execution
    if execution is None:
        error = shown.record.infrastructure_error or {}
        yield Text(f"the graph {'could not be' if error.get('stage') == 'graph' else 'was not'} asked")
        return
    cut = ", cut" if execution["truncated"] else ""
    yield Text(
        f"{execution['status']}, {counted(execution['row_count'], 'row')}{cut}, {execution['time_s']:.3f} s"
    )
    if execution["message"]:
        yield Text(safe(f"{execution['code']}: {execution['message']}", None))
    if fallback := execution.get("fallback"):
        yield Text(f"fallback: {_as_json(fallback)}", "dim")


def _rows(rows: Sequence[Any]) -> Iterator[RenderableType]:
    yield from (Text(_as_json(_short(row))) for row in rows[:_ROWS])
    if len(rows) > _ROWS:
        yield Text(f"and {len(rows) - _ROWS:,} more (--json has all that are on record)")
    if not rows:
        yield Text("none", "dim")


def _scores(scores: Mapping[str, Any]) -> Iterator[RenderableType]:
    numbers = {name: value for name, value in scores.items() if isinstance(value, int | float)}
    yield Text(", ".join(f"{name} {value:.3f}" for name, value in numbers.items()))
    for key, each in (scores.get("per_key") or {}).items():
        yield Text(f"{key}: {_as_json(each)}", "dim")
    if scores.get("unmatched_columns"):
        yield Text(f"unmatched columns: {_as_json(scores['unmatched_columns'])}")


def _answer(record: Record) -> Iterator[RenderableType]:
    if record.answer is not None:
        yield from _section("answer", Text(safe(record.answer or _NO_ANSWER, None)))
    if record.verification is not None:
        claims = [Text(one_line(claim_line(claim))) for claim in record.claims or ()]
        yield from _section("claims", *map(Text, verification_lines(record.verification)), *claims)


def _judged(shown: ShownCase) -> Iterator[RenderableType]:
    for variant, judgement in judgements_of(shown.record.to_json()):
        name = variant.replace("_", " ")
        if worth := shown.calibrations.get(variant):
            yield Text(one_line(f"{name}, calibration: {worth}"), "dim")
        if judgement.score is None:
            error = judgement.error or {}
            yield Text(safe(f"{name}: no score: {error.get('kind')}: {error.get('message')}", None), "yellow")
            continue
        how = "weighted by probabilities" if judgement.weighted else "as said"
        yield Text.assemble(
            (f"{name}: {judgement.score:.3f}", "bold"), f" ({how}): ", safe(judgement.reason, None)
        )


def _short(value: Any) -> Any:
    """A value of a row, its nodes as Cypher writes them: their internal ids tell a person nothing."""
    if isinstance(value, list):
        return [_short(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    node = value.get("$node")
    if isinstance(node, Mapping) and isinstance(node.get("properties"), Mapping):
        within = ", ".join(f"{name}: {each}" for name, each in node["properties"].items())
        return f"(:{':'.join(map(str, node.get('labels') or ()))} {{{within}}})"
    return {name: _short(each) for name, each in value.items()}


def _as_json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return one_line(text if len(text) <= _ROW else f"{text[:_ROW]}… ({len(text):,} characters)")
