"""How many planted conflicts the audit finds, and how often it errs on clean reactions."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from retrocypher.kg.audit.finding import AUDIT_RULES
from retrocypher.kg.audit.rules import audit
from retrocypher.kg.graph.reaction import ROLES, Reaction
from retrocypher.plugins.cli.console import emit, json_option

_FOLDER = Path(__file__).with_name("planted")


def rows_of(name: str) -> list[dict[str, Any]]:
    """Return the planted or the clean reactions, as their README describes them."""
    with gzip.open(_FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def found_in(rows: Sequence[Mapping[str, Any]]) -> dict[int, set[str]]:
    """Return which rules find something in each row, by its id; each set is audited as one graph."""
    found: dict[int, set[str]] = defaultdict(set)
    for number in {row["set"] for row in rows}:
        _audit([row for row in rows if row["set"] == number], found)
    return found


def _audit(rows: Iterable[Mapping[str, Any]], found: Mapping[int, set[str]]) -> None:
    reactions: list[Reaction] = []
    texts: dict[int, str] = {}
    owner: dict[int, int] = {}
    for row in rows:
        for each in row["reactions"]:
            number = len(reactions) + 1
            reactants, products, agents, solvents = (tuple(each[role]) for role in ROLES)
            yields, disputed = tuple(each["yields"]), each["yields_disputed"]
            reactions.append(Reaction(number, reactants, products, agents, solvents, yields, None, disputed))
            owner[number] = row["id"]
            texts[number] = row["text"] or ""
    for finding in audit(reactions, texts):
        for number in finding.reactions:
            found[owner[number]].add(finding.rule)


@click.command("audit")
@click.option("--misses", type=click.IntRange(0), default=3, show_default=True, help="How many to show.")
@json_option
def audit_command(misses: int, as_json: bool) -> None:
    """Count the planted conflicts that the audit finds, and its findings in clean reactions."""
    planted, clean = rows_of("planted"), rows_of("clean")
    found = found_in([*planted, *clean])
    totals = Counter(row["rule"] for row in planted)
    missed = [row for row in planted if row["rule"] not in found[row["id"]]]
    lost = Counter(row["rule"] for row in missed)
    rates = {rule: {"planted": totals[rule], "found": totals[rule] - lost[rule]} for rule in AUDIT_RULES}
    alarms = [{"note": row["note"], "rules": sorted(found[row["id"]])} for row in clean if found[row["id"]]]
    emit(
        as_json,
        {"rules": rates, "missed": [row["note"] for row in missed], "clean": len(clean), "alarms": alarms},
        *_lines(rates),
        f"{len(planted) - len(missed)} of {len(planted)} planted conflicts found",
        *(f"  missed: {row['rule']}: {row['note']}" for row in missed[:misses]),
        f"{len(alarms)} of {len(clean)} clean reactions with a finding",
        *(f"  {', '.join(each['rules'])}: {each['note']}" for each in alarms[:misses]),
    )


def _lines(rates: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for rule, each in rates.items():
        if each["planted"]:
            yield f"{each['found']:>4} of {each['planted']:>3}  {rule}"
