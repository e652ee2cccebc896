"""The check by rule of a question that a model rewrote."""

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.suites.questions import TableQuestion
from retrocypher.plugins.operations.rewriting import fault_of_text


def _question(text: str, *entities: str, cypher: str | None = None) -> TableQuestion:
    return TableQuestion("q", "task", text, cypher, entities=list(entities))


PLAYERS = _question(
    'List the names of all players that in 2005 played for the team "Team 1" and are born before 1990-05-05.',
    "Team:Team 1",
)


@pytest.mark.parametrize(
    "text",
    [
        'Who, born before 1990-05-05, played for "Team 1" in 2005?',
        'In 2005, which players of "Team 1" were there whose birth was before 1990-05-05? Name them.',
        'Whose birthday is before 1990-05-05, and who was one of "Team 1"\'s players in 2005?',
    ],
)
def test_other_words_with_the_same_names_and_numbers_pass(text: str) -> None:
    assert fault_of_text(PLAYERS, text) is None


@pytest.mark.parametrize(
    ("text", "kind", "detail"),
    [
        ("", "form", "empty"),
        (PLAYERS.question, "form", "as it was"),
        ('Who played for "Team 1" in 2005?', "names or numbers", "Missing: 1990-05-05"),
        ('Who, born before 1990-05-05, played for "Team 1" in 2006?', "names or numbers", "Added: 2006"),
        ('Who, born before 5 May 1990, played for "Team 1" in 2005?', "names or numbers", "1990-05-05"),
        ('Who, born before 1990-05-05, played for "team 1" in 2005?', "names or numbers", '"Team 1"'),
        ("Who, born before 1990-05-05, played for Team 1 in 2005?", "names or numbers", '"Team 1"'),
        ('Who, born before 1990-05-05, played for "Team 1" in 2005 or 2005?', "names or numbers", "2005"),
        ("""Who 'really', born before 1990-05-05, played for "Team 1" in 2005?""", "names or numbers", "re"),
        ('Which 10 born before 1990-05-05 played for "Team 1" in 2005?', "names or numbers", "Added: 10"),
        ('Sure!\nWho, born before 1990-05-05, played for "Team 1" in 2005?', "form", "one line"),
        ('Who, born before 1990-05-05, played\x1b[ for "Team 1" in 2005?', "form", "cannot be printed"),
        ('Who, born before 1990-05-05, played \u202efor "Team 1" in 2005?', "form", "cannot be printed"),
        ('**Who**, born before 1990-05-05, played for "Team 1" in 2005?', "form", "marks: *"),
        ('Who, born before 1990-05-05, <b>played for "Team 1" in 2005?', "form", "marks: < >"),
        ('“Who”, born before 1990-05-05, played for "Team 1" in 2005?', "form", "marks: “ ”"),
        (f'Who, born before 1990-05-05, played for "Team 1" in 2005? {"Yes. " * 40}', "form", "too long"),
    ],
)
def test_a_text_that_may_ask_or_write_something_else_is_refused(text: str, kind: str, detail: str) -> None:
    found = fault_of_text(PLAYERS, text)
    assert found is not None
    assert found[0] == kind
    assert detail in found[1]


def test_values_of_the_query_count_as_names_although_they_have_quotes() -> None:
    title = quote('The "best" of all')
    query = f"MATCH (n:Award) WHERE n.title <> {title} RETURN n.title"
    question = _question('Which awards have a title that is not "The "best" of all"?', cypher=query)
    assert fault_of_text(question, 'Name the awards whose title is other than "The "best" of all".') is None
    found = fault_of_text(question, 'Name the awards whose title is other than "The "worst" of all".')
    assert found is not None
    assert found[0] == "names or numbers"


NAME = st.one_of(st.text(min_size=1, max_size=12), st.text("ab1 ,\"'-", min_size=1, max_size=6))
NUMBER = st.one_of(
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.dates().map(str),
)


def _template(parts: list[str]) -> str:
    return f"List the names of all airports that are reached from {' and from '.join(parts)}."


def _reworded(parts: list[str]) -> str:
    return f"Which airports can people reach? They start at {', at '.join(parts)}."


@given(st.lists(NAME, max_size=3), st.lists(NUMBER, min_size=1, max_size=3), st.data())
def test_a_text_that_loses_or_changes_a_name_or_number_is_refused(
    names: list[str], numbers: list[str], data: st.DataObject
) -> None:
    parts = [*(f'"{name}"' for name in names), *numbers]
    question = _question(_template(parts), *(f"Airport:{name}" for name in names))
    assert fault_of_text(question, _reworded(parts)) is None

    place = data.draw(st.integers(0, len(parts) - 1))
    other = data.draw(NAME.map(lambda name: f'"{name}"') if place < len(names) else NUMBER)
    changed = [
        *parts[:place],
        *data.draw(st.sampled_from([[], [other], [parts[place], other]])),
        *parts[place + 1 :],
    ]
    assume(Counter(changed) != Counter(parts))
    assert fault_of_text(question, _reworded(changed)) is not None
