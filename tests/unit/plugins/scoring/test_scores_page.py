"""The worked examples of docs/scores.md hold."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from sacrebleu.metrics.bleu import BLEU

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question, setting_of
from retrocypher.plugins.scoring.score import score

PAGE = (Path(__file__).parents[4] / "docs" / "scores.md").read_text("utf-8")
EXAMPLES = [
    yaml.safe_load(block) for block in re.findall(r'```yaml title="example"\n(.*?)\n```', PAGE, re.DOTALL)
]


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 18


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: dict[str, Any]) -> None:
    question = Question(
        id="q",
        task=example["task"],
        setting=setting_of(example["task"]),
        steps=example.get("steps", 1),
        text="",
        slots=example.get("slots", {}),
        reference_cypher="RETURN 1",
        gold=example["gold"],
        target="P",
        discriminating=True,
    )
    execution = Execution(example.get("status", "ok"), columns=example["columns"], rows=example["rows"])

    scores = score(question, execution, None, text_metrics=False)

    found = msgspec.to_builtins(scores)
    assert {name: found[name] for name in example["scores"]} == example["scores"]


def test_bleu_table() -> None:
    queries = dict(re.findall(r'```cypher title="(\w+)"\n(.*?)\n```', PAGE, re.DOTALL))
    table = {
        name.strip("`"): [float(cell) for cell in cells.split("|")]
        for name, cells in re.findall(r"^\| (\S+|the grammar) \| ([\d.]+ \| [\d.]+) \|$", PAGE, re.MULTILINE)
    }
    others = ("wrong", "renamed")
    question = Question(
        "q", "precursors", "single_step", 1, "", {}, queries["reference"], [{"reactants": ["A"]}], "P", True
    )

    for name, tokenizer in (("blanks", "none"), ("13a", "13a")):
        bleu = BLEU(tokenize=tokenizer, effective_order=True)
        measured = [
            bleu.sentence_score(queries[other], [queries["reference"]]).score / 100 for other in others
        ]
        assert measured == pytest.approx(table[name], abs=5e-4)
    ours = [score(question, Execution("ok"), queries[other]).bleu for other in others]
    assert ours == pytest.approx(table["the grammar"], abs=5e-4)
