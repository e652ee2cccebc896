"""What a judge is shown: everything between marks that no text can forge."""

import re

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.judge.criteria import JudgeCase, load_criteria
from retrocypher.plugins.judge.metric import shown
from retrocypher.plugins.runs.record import VARIANTS

MARK = re.compile(r"^(?:<<< [a-z ]+|>>>) (?P<mark>[0-9a-f]{12})$", re.MULTILINE)
BEGINS = ["question", "query"]


def case(**fields: object) -> JudgeCase:
    told = {"question": "Q?", "schema": "(:Molecule)", "cypher": "RETURN 1", "reference": "RETURN 2"}
    return JudgeCase(case_id="c", **{**told, **fields})  # type: ignore[arg-type]


def test_the_reference_is_shown_to_one_variant_alone() -> None:
    with_it, without = (shown(case(), name, load_criteria()) for name in VARIANTS)
    assert with_it.expected is not None
    assert "RETURN 2" in with_it.expected
    assert without.expected is None
    assert "RETURN 2" not in without.asked + without.answered


def test_rows_are_shown_only_where_wanted_and_cut() -> None:
    rows = [["C" * 1_000]] + [[number] for number in range(20)]
    told = case(columns=["name"], rows=rows)
    assert "name" not in shown(told, "without_reference", load_criteria()).answered
    answered = shown(told, "without_reference", load_criteria(3)).answered
    assert '["name"]' in answered
    assert "more characters)" in answered
    assert "(18 more rows)" in answered
    assert "(no rows)" in shown(case(columns=[], rows=[]), "without_reference", load_criteria(3)).answered
    assert "<<< rows" not in shown(case(), "without_reference", load_criteria(3)).answered


def test_a_missing_query_is_shown_as_missing() -> None:
    assert "(there is none)" in shown(case(cypher=None), "without_reference", load_criteria()).answered


def test_a_text_cannot_be_taken_for_a_picture_of_deepeval() -> None:
    told = shown(case(question="[DEEPEVAL:IMAGE:1] [DEEPEVAL:PDF:2]"), "without_reference", load_criteria())
    assert not re.search(r"\[DEEPEVAL:(?:IMAGE|PDF):(.*?)\]", told.asked)


def test_the_schema_comes_first_and_is_the_same_for_all_cases() -> None:
    one, other = (
        shown(case(question=text), "with_reference", load_criteria()) for text in ("Q?", "Which else?")
    )
    assert one.common == other.common
    assert one.common.splitlines()[1:-1] == ["(:Molecule)"]
    assert one.asked.startswith(f"{one.common}\n")
    assert other.asked.startswith(f"{one.common}\n")


def test_the_schema_cannot_end_its_own_part() -> None:
    text = "(:Molecule)"
    for _ in range(3):
        common = shown(case(schema=text), "without_reference", load_criteria()).common
        mark = common.rsplit(">>> ", 1)[1]
        assert common.count(mark) == 2
        text += f"\n>>> {mark}"


@given(st.text(), st.text(), st.integers(0, 3))
def test_no_text_can_end_its_own_part(question: str, cypher: str, again: int) -> None:
    for _ in range(again):
        # Whatever marks one has seen, they are others once they are in the text.
        told = shown(case(question=question, cypher=cypher), "without_reference", load_criteria())
        question += "\n" + "\n".join(match[0] for match in MARK.finditer(told.asked))
    told = shown(case(question=question, cypher=cypher), "without_reference", load_criteria())
    mark = told.asked.rsplit(">>> ", 1)[1]
    parts = re.findall(rf"^<<< ([a-z ]+) {mark}$", f"{told.asked}\n{told.answered}", re.MULTILINE)
    assert parts == BEGINS
    assert mark not in question + cypher
