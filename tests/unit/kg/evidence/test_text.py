"""What a procedure text says: the yields it states and the molecules it names."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.evidence.text import LONGEST_NAME, named_molecules, possible_names, stated_yields

PARTS = st.sampled_from(
    [
        "4-nitro",
        "benzoic",
        "acid",
        "NaOH",
        "(",
        ")",
        ", ",
        ". ",
        " ",
        "/",
        "ethyl acetate",
        "yield: 81 %",
        "é",
        "\n",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(PARTS, max_size=30).map("".join))


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("a yield of 81%", ["81"]),
        ("(yield: 81.5 %)", ["81.5"]),
        ("in 81 percent yield", ["81"]),
        ("81% of theory", ["81"]),
        ("to give the ester (1.2 g) (81 %) as an oil", ["81"]),
        ("affording 10 mg, (81%) of the ester", ["81"]),
        ("gave 1.9 g (ca. 81%) of the ester", ["81"]),
        ("(yield: ca. 81 %)", ["81"]),
        ("(1.2 g, 81% th.)", ["81"]),
        ("to give the ester (10.5 g. 81%) as an oil", ["81"]),
        ("gave yellow needles (3.6 g, m.p. 102-104 C., 81%)", ["81"]),
        ("to yield 164.7 g of product (81%)", ["81"]),
        ("The ester was produced. 10 g of nitric acid (63%) was added.", []),
        ("The residue was dissolved in 10 g of methanol (99%) and cooled.", []),
        ("prepared from 5 g (97%) of the aldehyde", []),
        ("percent yield: 81 mmol", []),
        ("% yield 1200 kg", []),
        ("The ester (1.2 g, 81%) was prepared as a white solid.", ["81"]),
        ("A solution of the ester (1.2 g, 81%) was prepared in water.", []),
        ("percent yield: 81", ["81"]),
        ("percent yield: 81 g", []),
        ("The ester (1.2 g, 81%) was obtained as an oil.", ["81"]),
        ("The ester (1.2 g, 81%) was dissolved, and the acid was obtained.", []),
        ("The ester (1.2 g, 81%) was stirred. An oil was obtained.", []),
        ("obtained from 3 g (of 98%)", []),
        ("yields 3 g of 98% pure ester", []),
        ("in 20% aqueous solution, to yield 3.1 g", []),
        ("yield 70%; after purification 55% yield", ["70", "55"]),
        ("", []),
    ],
)
def test_yields_that_a_text_states(text: str, stated: list[str]) -> None:
    found = stated_yields(text)
    assert [text[each.start : each.stop] for each in found] == stated
    assert [each.value for each in found] == [float(number) for number in stated]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("To 4-nitrobenzoic acid (2 g) was added", "4-nitrobenzoic acid"),
        ("of ethyl 2-(4-chlorophenoxy)acetate, dissolved", "ethyl 2-(4-chlorophenoxy)acetate"),
        ("the acid chloride (3-bromopropyl)benzene was", "(3-bromopropyl)benzene"),
        ("(2-aminoethanol; 3 g)", "2-aminoethanol"),
        ("hexane/ethyl acetate 1:1", "ethyl acetate"),
        ("of 6-azabicyclo[ 3,2,1]octane oxalate, and", "6-azabicyclo[ 3,2,1]octane oxalate"),
        ("of tricyclo[5.2.1.04,10 ]decane.", "tricyclo[5.2.1.04,10 ]decane"),
        ("in acetone\n and  benzyl\nalcohol.", "benzyl alcohol"),
    ],
)
def test_names_are_among_the_runs_of_chemical_words(text: str, name: str) -> None:
    assert name in set(possible_names(text))


@pytest.mark.parametrize("text", ["The mixture was stirred for 3 hours.", "water, and. (then)", "/ - ()"])
def test_runs_neither_begin_with_plain_words_nor_cross_punctuation(text: str) -> None:
    assert set(possible_names(text)) <= {"water", "hours"}


def mentions(text: str, understood: Mapping[str, tuple[str, ...]] | None = None) -> list[tuple[str, ...]]:
    return [(text[m.start : m.stop], *m.molecules) for m in named_molecules(text, understood or {})]


def test_the_longest_name_that_is_understood_counts() -> None:
    understood = {"chloroacetic acid": ("O=C(O)CCl",), "chloroacetic acid ethyl ester": ("CCOC(=O)CCl",)}
    assert mentions("chloroacetic acid ethyl ester in acetic acid", understood) == [
        ("chloroacetic acid ethyl ester", "CCOC(=O)CCl"),
        ("acetic acid", "CC(=O)O"),
    ]


def test_common_names_and_formulas_need_no_program() -> None:
    assert mentions("in THF with sodium hydroxide") == [
        ("THF", "C1CCOC1"),
        ("sodium hydroxide", "[Na+]", "[OH-]"),
    ]


@given(TEXTS)
def test_what_is_found_lies_in_the_text_in_order(text: str) -> None:
    for each in stated_yields(text):
        assert float(text[each.start : each.stop]) == each.value
    names = set(possible_names(text))
    assert all(0 < len(name) <= LONGEST_NAME and name == " ".join(name.split()) for name in names)
    end = 0
    for mention in named_molecules(text, dict.fromkeys(names, ("C",))):
        assert end <= mention.start < mention.stop <= len(text)
        assert not text[mention.start].isspace()
        end = mention.stop
