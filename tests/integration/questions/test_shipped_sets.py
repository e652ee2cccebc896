"""The shipped question sets, made anew."""

import pytest

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.questions.question_set import Targets, build_questions
from retrocypher.kg.questions.reading import SHIPPED_QUESTIONS

pytestmark = pytest.mark.scale


@pytest.mark.parametrize(("name", "targets"), [("set-2", "telling"), ("random", "random")])
def test_a_shipped_set_is_what_its_seed_makes_of_the_default_graph(name: str, targets: Targets) -> None:
    built = build_questions(read_graph(), 0, targets=targets)
    folder = SHIPPED_QUESTIONS[name]
    assert built.files.keys() == {file.name for file in folder.iterdir()}
    for file, content in built.files.items():
        assert (folder / file).read_bytes() == content
