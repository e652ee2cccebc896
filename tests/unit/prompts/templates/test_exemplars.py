"""Exemplars: their banks, which one a question is shown, and how they are filled in."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, Setting
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.templates.encoder import Vectors
from retrocypher.prompts.templates.exemplars import (
    SHOTS,
    Exemplar,
    canonical_shot,
    choose_exemplar,
    exemplar_text,
    fill_exemplar,
    load_bank,
    masked_text,
    molecules_of,
    require_vectors,
    shot_encoder,
    texts_to_encode,
)

QUESTIONS = load_questions().questions
SETTINGS: tuple[Setting, ...] = ("single_step", "multi_step")


def test_the_banks_are_those_of_the_paper() -> None:
    assert [each.task for each in load_bank("single_step")] == [
        "Product Identification",
        "Reactant-to-Reaction Mapping",
        "Best-Yielding Reaction Given Reactant",
        "Multi-Precursor Reaction",
        "Co-reactant Identification",
    ]
    assert [each.task for each in load_bank("multi_step")] == [
        "Reaction Pathway Discovery",
        "Reaction Chains Between Molecules",
        "Multi-Step Product Discovery",
        "Forward-Synthesis Intermediate Discovery",
    ]


@pytest.mark.parametrize("setting", SETTINGS)
def test_exemplars_are_valid_cypher_without_smiles(setting: Setting) -> None:
    bank = load_bank(setting)
    assert len({each.id for each in bank}) == len(bank)
    for each in bank:
        parsed = parse(each.cypher)
        assert not parsed.errors, each.id
        literals = {literal.value for literal in string_literals(each.cypher)}
        assert literals <= {"<MOLECULE>", "<MOLECULE_1>", "<MOLECULE_2>"}
        assert all(literal in each.question for literal in literals)
        assert each.intent.endswith(".")
        assert "<STEPS>" not in each.question + each.cypher
        assert "<HOPS>" not in each.cypher
        if setting == "multi_step":
            assert (each.steps, "5 " in each.question, "*10]" in each.cypher) == (5, True, True)


def test_molecules_come_start_first_and_products_in_order() -> None:
    assert molecules_of({"target": "B", "start": "A", "steps": 2}) == ("A", "B")
    assert molecules_of({"products": ["C", "A", "B"], "target": "A"}) == ("C", "A", "B")
    assert molecules_of({"target": "B", "role": "agents"}) == ("B",)
    assert molecules_of({}) == ()


def test_molecules_and_steps_are_filled_in() -> None:
    chains = next(each for each in load_bank("multi_step") if each.id == "reaction-chains-between-molecules")
    query = fill_exemplar(chains, {"start": "C/C=C\\C", "target": "CC'O", "steps": 3})
    assert query is not None
    assert {literal.value for literal in string_literals(query)} == {"C/C=C\\C", "CC'O"}
    assert quote("C/C=C\\C") in query
    assert "*6]" in query
    assert fill_exemplar(chains, {"target": "CC", "steps": 2}) is None
    assert fill_exemplar(chains, {"start": "C", "target": "CC"}) is None


def test_an_exemplar_of_one_molecule_can_be_filled_from_any_question() -> None:
    for question in QUESTIONS[::9]:
        for exemplar in load_bank(question.setting):
            query = fill_exemplar(exemplar, question.slots)
            if "<MOLECULE_2>" in exemplar.cypher and len(molecules_of(question.slots)) < 2:
                assert query is None
            else:
                assert query is not None
                assert "<" not in "".join(literal.value for literal in string_literals(query))


class TableEncoder:
    """Vectors by text; zero for a text it does not know."""

    name = "table"

    def __init__(self, vectors: dict[str, Sequence[float]]) -> None:
        self._vectors = vectors

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.array([self._vectors.get(text, (0.0, 0.0)) for text in texts], dtype=np.float32)


def _question(text: str, slots: dict[str, object]) -> Question:
    return Question("q", "precursors", "single_step", 1, text, slots, "", [], "", True)


def id_of(exemplar: Exemplar | None) -> str | None:
    return exemplar and exemplar.id


def test_shot_names() -> None:
    assert [canonical_shot(name) for name in (*SHOTS, "1S")] == [*SHOTS, "1S-S"]
    with pytest.raises(InputError, match=r"--shot 2S: no such shot; choose from ZS, 1S-S, 1S-D-R, 1S-D-S"):
        canonical_shot("2S")


def test_zero_shot_and_static() -> None:
    named = {0: "product-identification", -1: "multi-step-product-discovery"}
    for question, name in ((QUESTIONS[number], name) for number, name in named.items()):
        bank = load_bank(question.setting)
        assert choose_exemplar("ZS", question, bank, 0, None) is None
        for shot in ("1S-S", "1S"):
            assert id_of(choose_exemplar(shot, question, bank, 0, None)) == name


def test_random_is_pinned_by_seed_and_question_and_spread_over_the_bank() -> None:
    for setting in SETTINGS:
        bank, asked = load_bank(setting), [each for each in QUESTIONS if each.setting == setting]
        chosen = Counter(choose_exemplar("1S-D-R", each, bank, 7, None) for each in asked)
        assert min(chosen[each] for each in bank) > 0.75 * len(asked) / len(bank)
    bank = load_bank("single_step")
    question = replace(QUESTIONS[0], id="precursors-001")
    assert [id_of(choose_exemplar("1S-D-R", question, bank, seed, None)) for seed in range(4)] == [
        "reactant-to-reaction-mapping",
        "reactant-to-reaction-mapping",
        "best-yielding-reaction-given-reactant",
        "multi-precursor-reaction",
    ]


def test_semantic_takes_the_highest_cosine_and_the_first_of_ties() -> None:
    question, bank = QUESTIONS[0], load_bank("single_step")
    texts = [exemplar_text(each) for each in bank]
    asked = masked_text(question)
    best = TableEncoder({asked: (1, 0), texts[1]: (0.6, 0.8), texts[3]: (0.8, 0.6)})
    assert choose_exemplar("1S-D-S", question, bank, 0, best) == bank[3]
    tied = TableEncoder({asked: (1, 0), texts[2]: (0.6, 0.8), texts[4]: (0.6 + 1e-8, 0.8)})
    assert choose_exemplar("1S-D-S", question, bank, 0, tied) == bank[2]


def test_semantic_matches_each_task_with_its_forward_counterpart() -> None:
    encoder = shot_encoder()
    chosen = {
        (each.task, id_of(choose_exemplar("1S-D-S", each, load_bank(each.setting), 0, encoder)))
        for each in QUESTIONS
    }
    assert dict(chosen) == {
        "precursors": "product-identification",
        "producing_reactions": "reactant-to-reaction-mapping",
        "best_yield": "best-yielding-reaction-given-reactant",
        "multi_product": "multi-precursor-reaction",
        "co_products": "co-reactant-identification",
        "conditions": "reactant-to-reaction-mapping",
        "chains_to_target": "reaction-pathway-discovery",
        "chains_between": "reaction-chains-between-molecules",
        "intermediates": "forward-synthesis-intermediate-discovery",
        "multi_step_precursors": "multi-step-product-discovery",
    }
    assert len(chosen) == 10


@given(
    names=st.lists(st.text(alphabet="CNO()[]=#@+-\\/.123", min_size=1), min_size=1, max_size=4, unique=True),
    mark=st.sampled_from(["", "?", ",", ".", ")", '"', "'."]),
)
def test_masking_replaces_exactly_the_molecules(names: list[str], mark: str) -> None:
    text = " and ".join(name + mark for name in names)
    # "C." before a full stop and "C" before two read alike.
    assume(len({name.rstrip(".)") for name in names}) == len(names))
    question = _question(text, {"products": names})
    expected = ["<MOLECULE>"] if len(names) == 1 else [f"<MOLECULE_{n + 1}>" for n in range(len(names))]
    assert masked_text(question) == " and ".join(each + mark for each in expected)


def test_masking_leaves_no_molecule_and_all_words() -> None:
    masked = {masked_text(each) for each in QUESTIONS}
    assert len(masked) < 40
    assert not [text for text in masked if "<MOLECULE" not in text]
    question = _question("Is CO or COC made of O?", {"target": "O"})
    assert masked_text(question) == "Is CO or COC made of <MOLECULE>?"


def test_a_text_without_a_vector_is_refused_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrocypher.prompts.templates.encoder.extra_installed", lambda: False)
    asked = [replace(QUESTIONS[0], text="Name what CC is made of, please", slots={"target": "CC"})]
    with pytest.raises(InputError, match=r'"Name what <MOLECULE> is made of, please".*pip install'):
        require_vectors(asked, ["ZS", "1S-D-S"])
    require_vectors(asked, ["ZS", "1S-S", "1S-D-R"])
    assert shot_encoder().missing(texts_to_encode(QUESTIONS)) == []
    require_vectors(QUESTIONS, SHOTS)
