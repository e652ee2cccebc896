"""The optional family of questions about reactions that the graph cannot answer."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.questions.question import UNANSWERABLE, Question, Setting, seeded_rank

PER_SETTING = 100
"""Questions of each setting."""

_FILE = Path(__file__).with_name("unanswerable.yaml")
_STEPS = (2, 3, 4)
_SALT = "unanswerable"


def unanswerable(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return the family, filled with molecules of a question set; the same set gives the same questions.

    Each template takes its share of the targets, ordered by a hash, and each target is asked about once.
    """
    settings: tuple[Setting, ...] = ("single_step", "multi_step")
    targets = sorted({each.target for each in questions}, key=lambda name: seeded_rank(0, _SALT, name))
    found: list[Question] = []
    for setting in settings:
        templates = _templates()[setting]
        for number in range(min(PER_SETTING, len(targets) // len(settings))):
            template = templates[number % len(templates)]
            target = targets[len(found)]
            steps = _STEPS[number % len(_STEPS)] if setting == "multi_step" else 1
            slots: dict[str, Any] = {"target": target}
            if setting == "multi_step":
                slots["steps"] = steps
            found.append(
                Question(
                    id=f"{UNANSWERABLE}-{len(found) + 1:03d}",
                    task=UNANSWERABLE,
                    setting=setting,
                    steps=steps,
                    text=template["text"].format(target=target, steps=steps),
                    slots=slots,
                    reference_cypher="",
                    gold=[],
                    target=target,
                    discriminating=True,
                )
            )
    return tuple(found)


@cache
def _templates() -> dict[str, list[dict[str, str]]]:
    read: dict[str, list[dict[str, str]]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return read
