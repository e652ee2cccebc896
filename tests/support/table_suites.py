"""A small suite of table questions, about teams and their players."""

import json
from pathlib import Path
from typing import Any

MATCH_TEAMS = "MATCH (n:Team)"
_PLAYS = "MATCH (n:Player)-[r0:playsFor]->(m0:Team {{name: '{0}'}})"


def question(identifier: str, task: str, text: str, cypher: str | None, **more: Any) -> dict[str, Any]:
    """Return a line of ``questions.jsonl``."""
    return {"id": identifier, "task": task, "question": text, "cypher": cypher, **more}


def plays_for(number: int, **more: Any) -> dict[str, Any]:
    """Return a question about one team."""
    match = _PLAYS.format(f"Team {number}")
    return question(
        f"players-{number}",
        "one_hop_named",
        f"Which players play for Team {number}?",
        f"{match} WITH DISTINCT n RETURN n.name",
        match=match,
        entities=[f"Team:Team {number}"],
        template="name",
        facts={"length": "short"},
        **more,
    )


TEAMS = question(
    "teams",
    "all_nodes",
    "List the names of all teams.",
    f"{MATCH_TEAMS} WITH DISTINCT n RETURN n.name",
    match=MATCH_TEAMS,
    template="name",
    answer=[[f"Team {number}"] for number in range(6)],
)
TALLEST = question(
    "tallest",
    "all_nodes",
    "List all players, the tallest first.",
    "MATCH (n:Player) WITH DISTINCT n RETURN n.name ORDER BY n.height_cm DESC",
    match="MATCH (n:Player)",
    template="sort",
)
QUESTIONS = [TEAMS, TALLEST, *(plays_for(number) for number in range(6))]
TRAINING = [
    plays_for(0, split="train") | {"id": "train-players"},
    question(
        "train-count", "all_nodes", "How many players?", "MATCH (n:Player) RETURN count(n)", split="train"
    ),
]


def graph() -> dict[str, Any]:
    """Return the graph as SimpleKG: six teams and 24 players, of whom two share each name."""
    teams = [
        {"eid": f"t{n}", "label": "Team", "name": f"Team {n}", "properties": {"inception_year": 1900 + n}}
        for n in range(6)
    ]
    players = [
        {
            "eid": f"p{n}",
            "label": "Player",
            "name": f"Player {n % 12}",
            "properties": {"height_cm": 150.5 + n},
        }
        for n in range(24)
    ]
    plays = [
        {
            "rid": f"r{n}",
            "label": "playsFor",
            "subj_id": f"p{n}",
            "obj_id": f"t{n % 6}",
            "properties": {"start_year": 2000 + n},
        }
        for n in range(24)
    ]
    return {
        "schema": {
            "name": "teams",
            "entities": [
                {"label": "Team", "properties": {"inception_year": "int"}},
                {"label": "Player", "properties": {"height_cm": "float"}},
            ],
            "relations": [
                {
                    "label": "playsFor",
                    "subj_label": "Player",
                    "obj_label": "Team",
                    "properties": {"start_year": "int"},
                }
            ],
        },
        "entities": [*teams, *players],
        "relations": plays,
    }


def write_suite_folder(
    folder: Path, questions: list[dict[str, Any]] | None = None, about: str = "graph: {file: graph.json}\n"
) -> Path:
    """Write a suite and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.yaml").write_text(f"name: teams\nversion: '1'\n{about}")
    (folder / "graph.json").write_text(json.dumps(graph()))
    lines = [*QUESTIONS, *TRAINING] if questions is None else questions
    (folder / "questions.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    return folder
