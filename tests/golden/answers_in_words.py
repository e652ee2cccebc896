"""Written answers and queries for ``verify`` and ``check``, made from gold rows and references."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scripted_api import Dice, broken, spoiled, wrapped


def answers(questions: Sequence[Mapping[str, Any]], count: int) -> Iterator[dict[str, str]]:
    """Yield questions with answers in several styles; two in five hold something false.

    Args:
        questions: The questions, of all tasks in turn.
        count: How many.
    """
    step = max(1, len(questions) // count)
    for number, question in enumerate(questions[::step][:count]):
        dice = Dice(f"answer\n{question['id']}")
        rows = json.loads(json.dumps(question["gold"]))
        if dice.below(5) < 2:
            rows = _falsified(rows, questions, dice)
        style = STYLES[number % len(STYLES)]
        yield {"question": question["text"], "answer": style(rows, question)}


def queries(questions: Sequence[Mapping[str, Any]], count: int) -> Iterator[dict[str, str | None]]:
    """Yield questions with queries that are right, wrong, broken, wrapped, or not there."""
    step = max(1, len(questions) // count)
    for number, question in enumerate(questions[1::step][:count]):
        dice = Dice(f"query\n{question['id']}")
        right = question["reference_cypher"]
        kinds = [right, spoiled(right, dice), spoiled(spoiled(right, dice), dice), broken(right, dice)]
        kinds += [wrapped(right, dice), wrapped(spoiled(right, dice), dice), spoiled(right, dice)]
        query = None if number % 40 == 39 else kinds[number % len(kinds)]
        yield {"question": question["text"], "cypher": query}


def _falsified(rows: list[Any], questions: Sequence[Mapping[str, Any]], dice: Dice) -> list[Any]:
    row = rows[dice.below(len(rows))]
    if "route" in row:
        draw = dice.below(3)
        if draw == 0:
            row["route"] = row["route"][::-1]
        elif draw == 1:
            row["route"] = row["route"][1:]
        else:
            row["route"][0] += 1
        return rows
    draw = dice.below(5)
    if draw == 0:
        row["id"] = int(row.get("id", 3)) + 1
    elif draw == 1:
        row["reactants"], row["products"] = row.get("products", []), row.get("reactants", [])
    elif draw == 2:
        row["agents"] = [*row.get("agents", []), "C1CC1N=[N+]=[N-]"]
    elif draw == 3:
        other = questions[dice.below(len(questions))]["target"]
        row["products"] = [other]
    else:
        row["solvents"] = [str(each) + "C" for each in row.get("solvents") or ["CCO"]]
    return rows


def _prose(rows: Sequence[Mapping[str, Any]], question: Mapping[str, Any]) -> str:
    said = []
    for row in rows:
        if "route" in row:
            said.append(f"The route takes reaction {', then reaction '.join(map(str, row['route']))}.")
            continue
        parts = [f"{name} {', '.join(row[name])}" for name in ROLES if row.get(name)]
        said.append(f"Reaction {row.get('id')} has the {'; the '.join(parts)}.")
    return " ".join(said)


def _bullets(rows: Sequence[Mapping[str, Any]], question: Mapping[str, Any]) -> str:
    lines = []
    for row in rows:
        if "route" in row:
            lines.append("- " + " → ".join(map(str, row["route"])))
            continue
        lines.append(f"- **Reaction {row.get('id')}**")
        lines += [
            f"  - {name.title()}: {', '.join(f'`{each}`' for each in row[name])}"
            for name in ROLES
            if row.get(name)
        ]
        lines += [
            f"  - Yield: {row['yield']} %" for name in ("yield",) if isinstance(row.get(name), int | float)
        ]
    return f"For {question['target']}:\n\n" + "\n".join(lines)


def _table(rows: Sequence[Mapping[str, Any]], question: Mapping[str, Any]) -> str:
    if "route" in rows[0]:
        width = max(len(row["route"]) for row in rows)
        head = "| " + " | ".join(f"step {number}" for number in range(1, width + 1)) + " |"
        body = ["| " + " | ".join(map(str, row["route"])) + " |" for row in rows]
        return "\n".join([head, "|---" * width + "|", *body])
    head = "| reaction | " + " | ".join(ROLES) + " |"
    body = [
        f"| {row.get('id')} | " + " | ".join(", ".join(row.get(name) or []) for name in ROLES) + " |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 5 + "|", *body])


def _arrows(rows: Sequence[Mapping[str, Any]], question: Mapping[str, Any]) -> str:
    lines = []
    for number, row in enumerate(rows, 1):
        if "route" in row:
            lines.append(f"Route {number}: reaction {' -> reaction '.join(map(str, row['route']))}")
        else:
            sides = (".".join(row.get(name) or []) for name in ("reactants", "products"))
            lines.append(f"{row.get('id')}: {'>>'.join(sides)}")
    return "\n".join(lines)


def _as_json(rows: Sequence[Mapping[str, Any]], question: Mapping[str, Any]) -> str:
    return "```json\n" + json.dumps(rows, indent=1) + "\n```"


def _few(rows: Sequence[Mapping[str, Any]], question: Mapping[str, Any]) -> str:
    row = rows[0]
    if "route" in row:
        return f"One way, in {len(row['route'])} steps, is reaction {row['route'][0]} and what follows it."
    return f"{question['target']} is made from {' and '.join(row.get('reactants') or ['ethanol'])}."


ROLES = ("reactants", "products", "agents", "solvents")
STYLES = (_prose, _bullets, _table, _arrows, _as_json, _few)
