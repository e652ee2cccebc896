"""The worked examples of docs/scores.md hold."""

import re
from dataclasses import replace
from typing import Any

import msgspec
import pytest
import yaml
from sacrebleu.metrics.bleu import BLEU
from support.scored import question_of
from support.suite import CHECKOUT

from retrocypher.kg.execution.execution import Execution
from retrocypher.plugins.scoring.score import score

PAGE = (CHECKOUT / "docs" / "scores.md").read_text("utf-8")
EXAMPLES = [
    yaml.safe_load(block) for block in re.findall(r'```yaml title="example"\n(.*?)\n```', PAGE, re.DOTALL)
]


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 18


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: dict[str, Any]) -> None:
    asked = replace(
        question_of(example["task"], example["gold"], example.get("slots")), steps=example.get("steps", 1)
    )
    execution = Execution(example.get("status", "ok"), columns=example["columns"], rows=example["rows"])
    found = msgspec.to_builtins(score(asked, execution, None, text_metrics=False))
    assert {name: found[name] for name in example["scores"]} == example["scores"]


def test_bleu_table() -> None:
    queries = dict(re.findall(r'```cypher title="(\w+)"\n(.*?)\n```', PAGE, re.DOTALL))
    table = {
        name.strip("`"): [float(cell) for cell in cells.split("|")]
        for name, cells in re.findall(r"^\| (\S+|the grammar) \| ([\d.]+ \| [\d.]+) \|$", PAGE, re.MULTILINE)
    }
    others = ("wrong", "renamed")
    asked = replace(question_of("precursors", [{"reactants": ["A"]}]), reference_cypher=queries["reference"])

    for name, tokenizer in (("blanks", "none"), ("13a", "13a")):
        bleu = BLEU(tokenize=tokenizer, effective_order=True)
        measured = [
            bleu.sentence_score(queries[other], [queries["reference"]]).score / 100 for other in others
        ]
        assert measured == pytest.approx(table[name], abs=5e-4)
    ours = [score(asked, Execution("ok"), queries[other]).bleu for other in others]
    assert ours == pytest.approx(table["the grammar"], abs=5e-4)
