"""Written answers for ``verify`` and queries for ``check``, made from the gold rows and reference queries."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scripted_models import Choices, broken, wrapped, wrong

COLUMNS = ("reactants", "products", "agents", "solvents")


def answers(questions: Sequence[Mapping[str, Any]], count: int) -> Iterator[dict[str, str]]:
    """Yield questions with answers in several styles; two in five contain an error."""
    for number, question in enumerate(questions[:: max(1, len(questions) // count)][:count]):
        choices = Choices(f"answer\n{question['id']}")
        rows = copy.deepcopy(question["gold"])
        if choices.below(5) < 2:
            _make_false(choices.one_of(rows), choices)
        style = (_prose, _bullets, _table)[number % 3]
        yield {"question": question["text"], "answer": style(rows)}


def queries(questions: Sequence[Mapping[str, Any]], count: int) -> Iterator[dict[str, str | None]]:
    """Yield questions with queries that are right, wrong, broken, wrapped or missing."""
    for number, question in enumerate(questions[1 :: max(1, len(questions) // count)][:count]):
        choices = Choices(f"query\n{question['id']}")
        right = question["reference_cypher"]
        error = wrong(right, choices)
        variants = [right, error, wrong(error, choices), broken(right, choices)]
        variants += [wrapped(right, choices), wrapped(error, choices), wrong(right, choices)]
        query = None if number % 40 == 39 else variants[number % len(variants)]
        yield {"question": question["text"], "cypher": query}


def _make_false(row: dict[str, Any], choices: Choices) -> None:
    if "route" in row:
        route = row["route"]
        row["route"] = choices.one_of([route[::-1], route[1:], [route[0] + 1, *route[1:]]])
        return
    changes: list[dict[str, Any]] = [
        {"id": int(row.get("id", 3)) + 1},
        {"reactants": row.get("products", []), "products": row.get("reactants", [])},
        {"agents": [*row.get("agents", []), "C1CC1N=[N+]=[N-]"]},
        {"solvents": [f"{each}C" for each in row.get("solvents") or ["CCO"]]},
    ]
    row.update(choices.one_of(changes))


def _parts(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: ", ".join(map(str, row[name])) for name in COLUMNS if row.get(name)}


def _prose(rows: Sequence[Mapping[str, Any]]) -> str:
    sentences = []
    for row in rows:
        if "route" in row:
            sentences.append(f"The route takes reaction {', then reaction '.join(map(str, row['route']))}.")
        else:
            parts = "; the ".join(f"{name} {values}" for name, values in _parts(row).items())
            sentences.append(f"Reaction {row.get('id')} has the {parts}.")
    return " ".join(sentences)


def _bullets(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for row in rows:
        if "route" in row:
            lines.append(f"- {' → '.join(map(str, row['route']))}")
        else:
            lines.append(f"- **Reaction {row.get('id')}**")
            lines += [f"  - {name.title()}: {values}" for name, values in _parts(row).items()]
            lines.append(f"  - Yield: {row.get('yield', 50)} %")
    return "\n".join(lines)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    if "route" in rows[0]:
        width = max(len(row["route"]) for row in rows)
        cells = [[f"step {number}" for number in range(1, width + 1)], *(row["route"] for row in rows)]
    else:
        cells = [["reaction", *COLUMNS]]
        cells += [[row.get("id"), *(_parts(row).get(name, "") for name in COLUMNS)] for row in rows]
    lines = [f"| {' | '.join(map(str, line))} |" for line in cells]
    return "\n".join([lines[0], "|---" * len(cells[0]) + "|", *lines[1:]])
