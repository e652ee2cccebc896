"""The prompts of the paper's set hold the information that their list names, and nothing else."""

import re

import pytest
import yaml
from support.suite import CHECKOUT

from retrocypher.prompts.templates.template import load_prompts

LISTED = yaml.safe_load((CHECKOUT / "prompts/templates/paper/information.yaml").read_text(encoding="utf-8"))
PIECES = {each["piece"]: each for each in LISTED["pieces"]}
PROMPTS = load_prompts("paper")


def _words(text: str) -> str:
    return " ".join(text.split())


def _pieces(name: str) -> set[str]:
    return {piece for piece, each in PIECES.items() if name in each["prompts"]}


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_has_the_listed_pieces_and_no_other_text(name: str) -> None:
    text = _words(re.sub(r"^##.*$", "", PROMPTS[name].text, flags=re.MULTILINE))
    for piece, each in PIECES.items():
        phrase = _words(each["phrase"])
        assert (phrase in text) == (name in each["prompts"]), piece
        text = text.replace(phrase, "", 1)
    marks = re.sub(r"\{schema\}|\{question\}|=== user ===|Question:|``|[123]\.|-", "", text)
    assert marks.split() == []


@pytest.mark.parametrize("marker", LISTED["markers"])
def test_a_marker_is_only_in_the_prompts_that_may_have_it(marker: str) -> None:
    found = [name for name, prompt in PROMPTS.items() if marker in prompt.text]
    assert found == LISTED["markers"][marker]


@pytest.mark.parametrize("name", ["P6", "P7", "P8", "P9", "P10"])
def test_no_multi_step_prompt_shows_a_whole_pattern_or_anchors_a_molecule(name: str) -> None:
    text = PROMPTS[name].text
    assert not re.search(r"MATCH|->|<-|\{name|\(\w*:Molecule|\b(first|last|start|target|anchor)\b", text)


def test_prompts_build_on_one_another_as_in_the_paper() -> None:
    context = {"context", "context-bind", "context-names"}
    for smaller, larger, gone in (
        ("P1", "P2", set()),
        ("P1", "P3", set()),
        ("P3", "P4", set()),
        ("P4", "P5", context),
        ("P6", "P7", {"syntax"}),
        ("P6", "P8", set()),
        ("P7", "P8", set()),
        ("P8", "P9", set()),
        ("P9", "P10", set()),
    ):
        assert _pieces(smaller) - _pieces(larger) == gone, (smaller, larger)
        assert _pieces(larger) - _pieces(smaller), (smaller, larger)
    assert _pieces("P2") - _pieces("P1") == {"order"}
    assert not [name for name in ("P3", "P4", "P5") if "order" in _pieces(name)]


def test_the_docs_show_the_list_as_a_table() -> None:
    rows = [
        f"| {each['says']} | " + " | ".join("●" if name in each["prompts"] else "" for name in PROMPTS) + " |"
        for each in LISTED["pieces"]
    ]
    page = (CHECKOUT / "docs/prompts.md").read_text(encoding="utf-8")
    assert "\n".join(rows) in page
