"""Shows a case in the terminal; text of models, servers and files cannot steer the terminal."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from retrocypher.kg.cypher.edits import is_word
from retrocypher.kg.cypher.tokens import Token, TokenKind
from retrocypher.plugins.formatting.text import counted, one_line, safe, usd
from retrocypher.plugins.reporting.case_view import NO_QUERY, CaseView, compare_queries, main_scores
from retrocypher.plugins.runs.record import JsonValue, Leak, Round, fields_of

_STYLES = {TokenKind.STRING: "green", TokenKind.NUMBER: "cyan", TokenKind.ERROR: "red"}
_WORD = "bold blue"
_ROWS = 20
_ROW_CHARACTERS = 1_000
_NO_ANSWER = "(no answer)"


def render_case(view: CaseView, run: Path) -> Group:
    """Return all that is known of a case of a run."""
    return Group(*_parts(view, run))


def _parts(view: CaseView, run: Path) -> Iterator[RenderableType]:
    record, exemplar = view.record, view.exemplar
    is_of_table = record.setting == "table"
    yield Text(one_line(record.case_id), "bold")
    yield _verdict(view)
    asked = f": {exemplar.question}" if exemplar else ""
    yield from _facts(
        {
            "task": record.task + ("" if is_of_table else f", {counted(record.steps, 'step')}"),
            "asked with": f"{record.prompt}, {record.shot}, loop {record.loop}, model {record.model}, "
            f"paraphrase {record.phrasing}" + (f", repeat {record.repeat}" if record.repeat > 1 else ""),
            "exemplar": "none" if record.exemplar_id is None else f"{record.exemplar_id}{asked}",
            **({"exemplar alone": _leak(record.leak)} if record.leak else {}),
            "run": str(run),
        }
    )
    yield from _section("question", Text(safe(record.question, None)))
    if exemplar is not None and view.messages:
        yield from _section("exemplar", Text(f"{exemplar.question}\n{exemplar.cypher}"))
    for number, turn in enumerate(record.rounds, 1):
        yield from _section(f"round {number}: {_round_title(turn)}", *_round(turn, view))
    yield from _queries(view)
    yield from _section("execution", *_execution(view))
    yield from _section("returned rows", *_rows(record.execution.rows if record.execution else []))
    if view.question is not None:
        gold = [row["row"] for row in view.question.gold] if is_of_table else view.question.gold
        stored = gold or not is_of_table
        rows = _rows(gold) if stored else [Text("not stored with the question")]
        yield from _section("expected rows", *rows)
    if difference := view.explanation.difference:
        signs = {"-": "red", "+": "green"}
        lines = [Text(one_line(line), signs.get(line[:1], "")) for line in difference]
        yield from _section("difference (- missing, + too much)", *lines)
    if record.scores is not None:
        yield from _section("scores", *_scores(view))
    if record.answer is not None:
        yield from _section("answer", Text(safe(record.answer or _NO_ANSWER, None)))
    if record.verification is not None:
        claims = [Text(one_line(line)) for line in view.claims]
        yield from _section("claims", *map(Text, view.verification), *claims)
    if record.judge is not None:
        yield from _section(f"judge: {one_line(record.judge.model)}", *_judgements(view))
    if view.labels:
        lines = [Text(one_line(f"{label}: {meaning}")) for label, meaning in view.labels]
        yield from _section("labels", *lines)
    if reasons := view.explanation.why.texts:
        yield from _section("why", *_facts(reasons))


def _leak(leak: Leak) -> str:
    edited = f", {leak.edited:.3f} with one edit ({leak.edit})" if leak.edit else ""
    return f"F1 {leak.as_is:.3f} as is{edited}"


def _verdict(view: CaseView) -> Text:
    if (fault := view.fault) is not None:
        return Text(safe(f"not run: {fault.stage} {fault.kind}: {fault.message}", None), "yellow")
    scores = view.record.scores
    found = "" if scores is None else f", {main_scores(scores)}"
    return Text(f"passed{found}", "green") if view.record.passed else Text(f"failed{found}", "red")


def _section(title: str, *body: RenderableType) -> Iterator[RenderableType]:
    yield Rule(Text(one_line(title), "bold"), align="left", style="dim")
    yield from (Padding(each, (0, 0, 0, 2)) for each in body)


def _facts(facts: Mapping[str, str]) -> Iterator[RenderableType]:
    for name, text in facts.items():
        yield Text.assemble((f"{name}: ", "bold"), safe(text, None))


def _round_title(turn: Round) -> str:
    tokens = turn.token_count
    parts = [
        turn.role,
        turn.verdict or "",
        f"{turn.time_s:.2f} s" if turn.time_s else "",
        counted(tokens, "token") if tokens else "",
        "" if turn.cost is None else usd(turn.cost),
        "from the cache" if turn.cached else "",
    ]
    return ", ".join(filter(None, parts))


def _round(turn: Round, view: CaseView) -> Iterator[RenderableType]:
    for message in view.messages.get(turn.messages_sha256 or "", ()):
        role, content = one_line(str(message.get("role"))), safe(str(message.get("content")), None)
        yield Text.assemble((f"[{role}]\n", "bold"), content)
    if turn.answer:
        yield Text(safe(turn.answer, None))
    if turn.cypher is not None and turn.cypher.strip() != turn.answer.strip():
        yield Text.assemble(("query: ", "bold"), safe(turn.cypher, None))
    for finding in turn.findings:
        yield Text(_as_json(finding), "dim")


def _queries(view: CaseView) -> Iterator[RenderableType]:
    """Yield the query and its reference, coloured, and lists of the tokens that only one of them has."""
    record = view.record
    query = record.cypher or (NO_QUERY if record.rounds else _NO_ANSWER)
    found = compare_queries(query, record.reference_cypher)
    if found is None:
        yield from _section("query", Text(safe(query, None)))
        yield from _section("reference", Text(safe(record.reference_cypher, None)))
        return
    parts = (
        ("query", query, found.query, found.only_query, "reverse red"),
        ("reference", record.reference_cypher, found.reference, found.only_reference, "reverse green"),
    )
    for name, text, tokens, marked, mark in parts:
        yield from _section(name, _coloured(text, tokens, marked, mark))
    lines = [
        f"only in the {name}: {', '.join(_neighbours(text, tokens, marked))}"
        for name, text, tokens, marked, _ in parts
        if marked
    ]
    if record.cypher is not None and lines:
        yield Text("\n".join(lines))


def _coloured(text: str, tokens: Sequence[Token], marked: set[int], mark: str) -> Text:
    shown, end = Text(), 0
    for number, token in enumerate(tokens):
        shown.append(safe(text[end : token.start], None), "dim")
        style = _WORD if is_word(token) else _STYLES.get(token.kind, "")
        shown.append(safe(token.text, None), mark if number in marked else style)
        end = token.stop
    shown.append(safe(text[end:], None), "dim")
    return shown


def _neighbours(text: str, tokens: Sequence[Token], marked: set[int]) -> Iterator[str]:
    """Yield the texts of marked tokens; neighbouring ones are one text."""
    for number in sorted(marked):
        if number - 1 not in marked:
            last = number
            while last + 1 in marked:
                last += 1
            yield " ".join(safe(text[tokens[number].start : tokens[last].stop], 200).split())


def _execution(view: CaseView) -> Iterator[RenderableType]:
    execution, fault = view.record.execution, view.record.infrastructure_error
    if execution is None:
        yield Text(f"the graph {'could not be' if fault and fault.stage == 'graph' else 'was not'} queried")
        return
    cut = ", cut" if execution.truncated else ""
    yield Text(f"{execution.status}, {counted(execution.row_count, 'row')}{cut}, {execution.time_s:.3f} s")
    if execution.message:
        yield Text(safe(f"{execution.code}: {execution.message}", None))
    if execution.fallback:
        yield Text(f"fallback: {_as_json(execution.fallback)}", "dim")


def _rows(rows: Sequence[JsonValue]) -> Iterator[RenderableType]:
    yield from (Text(_as_json(_nodes_as_cypher(row))) for row in rows[:_ROWS])
    if len(rows) > _ROWS:
        yield Text(f"and {len(rows) - _ROWS:,} more (--json has all that are on record)")
    if not rows:
        yield Text("none", "dim")


def _scores(view: CaseView) -> Iterator[RenderableType]:
    yield Text(", ".join(f"{name} {value:.3f}" for name, value in view.record.numbers.items()))
    if (scores := view.record.scores) is not None:
        for key, each in (scores.per_key or {}).items():
            yield Text(f"{key}: {_as_json(each)}", "dim")
        if scores.unmatched_columns:
            yield Text(f"unmatched columns: {_as_json(scores.unmatched_columns)}")


def _judgements(view: CaseView) -> Iterator[RenderableType]:
    for variant, judgement in view.judgements:
        name = variant.replace("_", " ")
        if calibration := view.calibrations.get(variant):
            yield Text(one_line(f"{name}, calibration: {calibration}"), "dim")
        if (error := judgement.error) is not None:
            yield Text(safe(f"{name}: no score: {error.kind}: {error.message}", None), "yellow")
            continue
        how = "weighted by probabilities" if judgement.weighted else "as given"
        score, reason = (f"{name}: {judgement.score:.3f}", "bold"), safe(judgement.reason, None)
        yield Text.assemble(score, f" ({how}): ", reason)


def _nodes_as_cypher(value: JsonValue) -> JsonValue:
    """Return a value of a row with nodes in Cypher's notation, without their internal ids."""
    if isinstance(value, list):
        return [_nodes_as_cypher(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    node = value.get("$node")
    if isinstance(node, Mapping) and isinstance(node.get("properties"), Mapping):
        within = ", ".join(f"{name}: {each}" for name, each in node["properties"].items())
        return f"(:{':'.join(map(str, node.get('labels') or ()))} {{{within}}})"
    return {name: _nodes_as_cypher(each) for name, each in value.items()}


def _as_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=fields_of)
    cut = f"{text[:_ROW_CHARACTERS]}… ({len(text):,} characters)"
    return one_line(text if len(text) <= _ROW_CHARACTERS else cut)
