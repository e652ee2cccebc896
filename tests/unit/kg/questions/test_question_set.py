"""Candidates, how they are allocated, the shipped questions, samples, and paraphrases by number."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.candidates import (
    MAXIMUM_ROUTES,
    Candidate,
    Eligibility,
    Kind,
    common_auxiliaries,
    is_organic_co_product,
    is_synthesis_target,
    multi_step_candidates,
    single_step_candidates,
)
from retrocypher.kg.questions.carried import is_implausible
from retrocypher.kg.questions.choice import allocate, limit_repetition, with_smaller_sets
from retrocypher.kg.questions.gold import ReactionNetwork
from retrocypher.kg.questions.plan import read_plan, with_counts
from retrocypher.kg.questions.question import (
    MULTI_STEP_TASKS,
    PARAPHRASE_COUNT,
    TASKS,
    Question,
    parse_paraphrases,
    select,
    setting_of,
)
from retrocypher.kg.questions.question_set import build_questions
from retrocypher.kg.questions.reading import SHIPPED_QUESTIONS, load_questions, question_folder

SHIPPED = load_questions()
QUESTIONS = SHIPPED.questions
REACTIONS = read_graph()

UPPER = Eligibility(is_target=str.isupper)
PRECURSORS, PRODUCING, BEST = Kind("precursors"), Kind("producing_reactions"), Kind("best_yield")
TWO, BETWEEN = Kind("chains_to_target", steps=2), Kind("chains_between", steps=2)
KINDS = (Kind("precursors"), Kind("best_yield"), Kind("conditions", role="agents"))


def of_task(task: str) -> list[Question]:
    return [each for each in QUESTIONS if each.task == task]


@pytest.mark.parametrize(("name", "folder"), SHIPPED_QUESTIONS.items())
def test_the_shipped_sets_are_of_the_default_graph_and_can_be_named(name: str, folder: Path) -> None:
    assert question_folder(name) == folder
    shipped = load_questions(folder)
    assert shipped.fingerprint == fingerprint_of(REACTIONS)
    assert len(shipped.questions) == 2400


def test_there_are_2400_questions_in_the_proportions_of_the_paper() -> None:
    counts = Counter((each.task, each.steps) for each in QUESTIONS)
    single = ("precursors", "producing_reactions", "best_yield", "multi_product", "co_products", "conditions")
    multi = ("chains_to_target", "chains_between", "intermediates", "multi_step_precursors")
    assert counts == {
        **{(task, 1): 200 for task in single},
        **{(task, steps): 100 for task in multi for steps in (2, 3, 4)},
    }
    sizes = Counter(len(each.slots["products"]) for each in of_task("multi_product"))
    assert sizes == {2: 191, 3: 8, 4: 1}
    assert Counter(each.slots["role"] for each in of_task("conditions")) == {"agents": 100, "solvents": 100}
    assert len({each.text for each in QUESTIONS}) == len(QUESTIONS)


def test_the_manifest_tells_trivial_questions_and_shared_targets() -> None:
    trivial = Counter(each.task for each in QUESTIONS if not each.discriminating)
    found = {task: stated["questions"] for task, stated in SHIPPED.manifest["trivial"].items()}
    assert found == {task: trivial[task] for task in found}
    asked = Counter(each.target for each in QUESTIONS)
    targets = SHIPPED.manifest["targets"]
    assert targets["distinct"] == len(asked)
    assert targets["questions_sharing_a_target"] == sum(count for count in asked.values() if count > 1)
    assert SHIPPED.manifest["not_as_planned"] == {
        "multi_product 2 products": {"planned": 150, "made": 191},
        "multi_product 3 products": {"planned": 45, "made": 8},
        "multi_product 4 products": {"planned": 5, "made": 1},
    }


def test_every_route_of_the_shipped_set_carries_carbon_and_no_pair_of_reactions_is_in_many_questions() -> (
    None
):
    asked: Counter[tuple[str, int, int]] = Counter()
    for each in QUESTIONS:
        if each.setting == "multi_step":
            assert each.carried_share
            asked.update({(each.task, *pair) for row in each.gold for pair in pairwise(row["route"])})
        else:
            assert each.carried_share is None
    limits = SHIPPED.manifest["most_questions_with_a_pair_of_reactions"]
    assert limits == dict.fromkeys(MULTI_STEP_TASKS, 5)
    assert max(asked.values()) == 5


def test_targets_of_the_shipped_set_are_molecules_to_set_out_for_and_flaws_are_counted() -> None:
    asked = {each.target for each in QUESTIONS if each.task != "multi_product"}
    assert [name for name in asked if not is_synthesis_target(name)] == []
    disputed = {each.id for each in REACTIONS if each.yields_disputed}
    network = ReactionNetwork.of(REACTIONS)
    for each in of_task("best_yield"):
        assert disputed.isdisjoint(maker.id for maker in network.makers_of(each.target))
    # Few sets of products, and few targets with organic co-products, have no flaw.
    assert SHIPPED.manifest["flaws"] == {
        "inorganic product": 12,
        "ion as product": 55,
        "no organic co-product": 64,
    }
    by_id = {each.id: each for each in REACTIONS}
    used = {step for each in QUESTIONS for row in each.gold for step in row.get("route", [row.get("id")])}
    assert [step for step in used if is_implausible(by_id[step])] == []


@st.composite
def repetitive(draw: st.DrawFn) -> list[Candidate]:
    pairs = st.frozensets(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=3)
    found = draw(st.lists(st.tuples(pairs, st.integers(0, 2)), max_size=30))
    return [Candidate(TWO, {}, "X", tier, discriminating=True, pairs=own) for own, tier in found]


@given(repetitive(), st.integers(0, 30))
def test_no_pair_of_reactions_is_in_more_questions_than_the_count_needs(
    candidates: list[Candidate], wanted: int
) -> None:
    wanted = min(wanted, len(candidates))
    limit, kept = limit_repetition({TWO: candidates}, {TWO: wanted})
    assert len(kept[TWO]) >= wanted
    assert max(Counter(pair for each in kept[TWO] for pair in each.pairs).values(), default=0) <= limit
    # A larger limit than five is only allowed where one less would not do.
    assert limit == 5 or len(limit_repetition({TWO: candidates}, {TWO: 0})[1][TWO]) < wanted
    # What was left out would break the limit.
    uses = Counter(pair for each in kept[TWO] for pair in each.pairs)
    assert all(
        any(uses[pair] == limit for pair in each.pairs) for each in candidates if each not in kept[TWO]
    )


def test_targets_chosen_at_random_are_any_molecules() -> None:
    reactions = [
        Reaction(number, ("C" * number,), ("C" * (number + 1),), (), (), (None,)) for number in range(1, 6)
    ]
    built = build_questions(reactions, 0, {PRECURSORS: 3, TWO: 1}, "random")
    assert [each.task for each in built.questions] == ["precursors"] * 3 + ["chains_to_target"]
    assert built.manifest["chosen_targets"] == "random"
    # None of them is large enough for a chemist to set out to make it.
    with pytest.raises(GraphError, match="no unambiguous question"):
        build_questions(reactions, 0, {PRECURSORS: 3, TWO: 1})


@st.composite
def problems(draw: st.DrawFn) -> tuple[dict[Kind, list[Candidate]], dict[Kind, int]]:
    candidates = {}
    counts = {}
    for kind in KINDS:
        pairs = draw(st.lists(st.tuples(st.sampled_from("ABCDE"), st.integers(0, 1)), min_size=1, max_size=5))
        candidates[kind] = [Candidate(kind, {}, target, tier, tier == 0) for target, tier in pairs]
        counts[kind] = draw(st.integers(1, len(pairs)))
    return candidates, counts


def cost(chosen: list[Candidate]) -> int:
    return sum(count**2 for count in Counter(each.target for each in chosen).values())


def tiers(chosen: list[Candidate]) -> list[int]:
    return sorted(each.tier for each in chosen)


@given(problems())
def test_tiers_are_used_up_in_order_and_no_choice_shares_targets_less(
    problem: tuple[dict[Kind, list[Candidate]], dict[Kind, int]],
) -> None:
    candidates, counts = problem
    chosen = allocate(candidates, counts)
    options = []
    for kind in KINDS:
        best = sorted(each.tier for each in candidates[kind])[: counts[kind]]
        assert tiers(chosen[kind]) == best
        assert len(set(map(id, chosen[kind]))) == counts[kind]
        options.append(
            [pick for pick in combinations(candidates[kind], counts[kind]) if tiers(list(pick)) == best]
        )
    least = min(cost([each for pick in picks for each in pick]) for picks in product(*options))
    assert cost([each for kind in KINDS for each in chosen[kind]]) == least


def question(task: str, steps: int, number: int) -> Question:
    return Question(
        id=f"{task}-{number:03d}",
        task=task,
        setting=setting_of(task),
        steps=steps,
        text="?",
        slots={},
        reference_cypher="RETURN 1",
        gold=[],
        target="C",
        discriminating=True,
    )


def strata(questions: tuple[Question, ...]) -> Counter[tuple[str, int]]:
    return Counter((each.task, each.steps) for each in questions)


@given(sample=st.integers(1, 2400), seed=st.integers())
def test_a_sample_has_the_size_asked_for_and_fair_shares(sample: int, seed: int) -> None:
    chosen = select(QUESTIONS, sample=sample, seed=seed)
    assert len(chosen) == len({each.id for each in chosen}) == sample
    found = strata(chosen)
    for stratum, size in strata(QUESTIONS).items():
        assert abs(found[stratum] - sample * size / len(QUESTIONS)) < 1


@given(sample=st.integers(1, 300), seed=st.integers(0, 50), shuffle=st.integers())
def test_a_sample_does_not_depend_on_the_order_it_is_taken_from(sample: int, seed: int, shuffle: int) -> None:
    shuffled = list(QUESTIONS[::4])
    random.Random(shuffle).shuffle(shuffled)
    expected = {each.id for each in select(QUESTIONS[::4], sample=sample, seed=seed)}
    assert {each.id for each in select(shuffled, sample=sample, seed=seed)} == expected


def test_a_sample_keeps_the_order_of_the_set() -> None:
    chosen = {each.id for each in select(QUESTIONS, sample=100, seed=3)}
    assert [each for each in QUESTIONS if each.id in chosen] == list(select(QUESTIONS, sample=100, seed=3))


def test_a_seed_stands_for_the_same_sample_for_good() -> None:
    made_up = [question("precursors", 1, n) for n in range(9)]
    made_up += [question("intermediates", 3, n) for n in range(9)]
    chosen = [each.id for each in select(made_up, sample=4, seed=0)]
    assert chosen == ["precursors-005", "precursors-006", "intermediates-004", "intermediates-007"]
    assert select(made_up, sample=4, seed=0) != select(made_up, sample=4, seed=1)


def test_tasks_are_kept_whole_without_a_sample() -> None:
    chosen = select(QUESTIONS, tasks=("conditions", "intermediates"))
    assert Counter(each.task for each in chosen) == {"conditions": 200, "intermediates": 300}
    assert select(QUESTIONS) == QUESTIONS
    assert select(QUESTIONS, tasks=(), sample=5000) == QUESTIONS


SINGLE_STEP = [each for each in QUESTIONS if each.setting == "single_step"]


@pytest.mark.parametrize(
    ("questions", "options", "message"),
    [
        (QUESTIONS, {"sample": 0}, "ask for at least 1"),
        (QUESTIONS, {"sample": -1}, "ask for at least 1"),
        ([], {}, "no question is left"),
        (SINGLE_STEP, {"tasks": ("intermediates",)}, "no question is left: the set holds none of intermed"),
    ],
    ids=["none", "fewer than none", "empty", "task of the other setting"],
)
def test_a_selection_of_nothing_is_refused(
    questions: Sequence[Question], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        select(questions, **options)


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (["1"], (1,)),
        (["3, 1", "2,3"], (3, 1, 2)),
        (["2", "all"], tuple(range(1, PARAPHRASE_COUNT + 1))),
    ],
)
def test_numbers_come_with_commas_repeated_or_all_at_once(names: list[str], numbers: tuple[int, ...]) -> None:
    assert parse_paraphrases(names) == numbers


@pytest.mark.parametrize(
    ("names", "message"),
    [(["0"], "--phrasing 0"), (["1,x"], "--phrasing x"), ([], "names none"), ([","], "names none")],
)
def test_what_is_no_wording_is_refused(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=rf"{message}.*choose from 1 to {PARAPHRASE_COUNT}, or all"):
        parse_paraphrases(names)


def reaction(number: int, text: str) -> Reaction:
    """Read reactants, agents and products with one-letter names: A>K>X, or A>K>X 50 with a yield."""
    equation, _, percent = text.partition(" ")
    reactants, agents, products = map(tuple, equation.split(">"))
    yields = (float(percent),) if percent else (None,) * len(products)
    return Reaction(number, reactants, products, agents, (), yields)


def network(*texts: str) -> list[Reaction]:
    return [reaction(number, text) for number, text in enumerate(texts, 1)]


def single(reactions: Sequence[Reaction], kind: Kind) -> dict[str, bool]:
    """The targets that may be asked for, and whether they discriminate."""
    found = single_step_candidates(ReactionNetwork.of(reactions), kind, UPPER)
    return {each.target: each.discriminating for each in found}


def multi(reactions: Sequence[Reaction], kind: Kind) -> list[Candidate]:
    return list(multi_step_candidates(ReactionNetwork.of(reactions), kind, UPPER, seed=0))


@pytest.mark.parametrize(
    ("kind", "texts", "targets"),
    [
        # No one reaction has all precursors of X.
        (PRECURSORS, "A>>X B>>X AB>>Y A>>Y A>>Z", {"X": True, "Y": False, "Z": False}),
        (PRECURSORS, ">>X A>>X", {}),
        # The two reactions that make X differ in their agents.
        (PRODUCING, "A>K>X A>L>X A>>Y", {"X": True, "Y": False}),
        # All that the third reaction has, the others have, too.
        (PRODUCING, "A>K>X A>L>X A>KL>X", {"X": False}),
        # Nobody would ask for x.
        (PRODUCING, "A>>x", {}),
        (Kind("co_products"), "A>>Xb B>>Xc A>>Yb B>>Y A>>Zb", {"X": True, "Z": False}),
    ],
)
def test_a_target_discriminates_where_its_reactions_differ(
    kind: Kind, texts: str, targets: dict[str, bool]
) -> None:
    assert single(network(*texts.split()), kind) == targets


def test_the_best_yield_must_be_known_and_unique() -> None:
    without_yield = ["A>>U", "B>>V"]
    known = ["A>>T 50", "B>>T 50.0000001", "A>>V 70", "A>>W 70", "A>>X 70", "B>>X 60", "C>>X 60"]
    assert single(network(*known, *without_yield), BEST) == {"V": True, "W": False, "X": True}
    disputed = [replace(each, yields_disputed=True) for each in network("A>>S 80")]
    assert single([*disputed, *network("B>>S 60")], BEST) == {}


@pytest.mark.parametrize("role", ["agents", "solvents"])
def test_conditions_must_be_known_for_every_reaction(role: str) -> None:
    reactions = network("A>K>X", "A>L>X", "A>K>Y", "A>>Y", "A>K>Z", "A>KL>Z")
    if role == "solvents":
        reactions = [replace(each, agents=(), solvents=each.agents) for each in reactions]
    assert single(reactions, Kind("conditions", role=role)) == {"X": True, "Z": False}


def test_of_reactions_that_only_differ_in_conditions_others_are_asked_for_first() -> None:
    reactions = ReactionNetwork.of(network("A>K>X", "A>L>X", "A>>Y", "B>>Y", "A>>Z"))
    found = list(single_step_candidates(reactions, PRODUCING, UPPER))
    assert {each.target: (each.tier, each.one_transformation) for each in found} == {
        "X": (1, True),
        "Y": (0, False),
        "Z": (2, False),
    }


def test_solvents_that_are_reagents_come_last() -> None:
    reactions = [
        replace(each, agents=(), solvents=each.agents) for each in network("A>K>X", "A>L>Y", "B>M>Y")
    ]
    eligible = replace(UPPER, reagents=frozenset("L"))
    found = single_step_candidates(
        ReactionNetwork.of(reactions), Kind("conditions", role="solvents"), eligible
    )
    assert [(each.target, each.flaw) for each in sorted(found, key=lambda each: each.tier)] == [
        ("X", None),
        ("Y", "reagent as solvent"),
    ]


def test_product_sets_with_ions_come_late_and_those_with_inorganic_molecules_last() -> None:
    # CO stands for a counter-ion.
    eligible = Eligibility(is_target=lambda name: name != "Cl", is_co_product=lambda name: name != "CO")
    for ion in ("C[O-]", "CO"):
        reactions = ReactionNetwork.of([Reaction(1, ("N",), ("CC", "CCC", ion, "Cl"), (), (), (None,) * 4)])
        found = single_step_candidates(reactions, Kind("multi_product", products=2), eligible)
        flaws = [each.flaw for each in sorted(found, key=lambda each: each.tier)]
        assert flaws == [None, *["ion as product"] * 2, *["inorganic product"] * 3]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CO", True),
        ("Cl", False),
        ("O=C([O-])c1ccccc1", False),
        # Counter-ions, of any size.
        ("O=C(O)C(=O)O", False),
        ("O=C(O)[C@H](O)[C@@H](O)C(=O)O", False),
        ("not a molecule", False),
    ],
)
def test_what_counts_as_an_organic_co_product(name: str, expected: bool) -> None:
    assert is_organic_co_product(name) is expected


def test_targets_whose_co_products_are_not_organic_come_last() -> None:
    reactions = ReactionNetwork.of(network("A>>Xb", "A>>Yb", "B>>Yc", "A>>Zbc"))
    eligible = replace(UPPER, is_co_product=lambda name: name == "b")
    found = single_step_candidates(reactions, Kind("co_products"), eligible)
    flaws = {each.target: each.flaw for each in sorted(found, key=lambda each: each.tier)}
    assert list(flaws.items())[-1] == ("Y", "no organic co-product")
    assert flaws == {"X": None, "Z": None, "Y": "no organic co-product"}


@pytest.mark.parametrize(
    ("kind", "texts", "flawed"),
    [
        (PRODUCING, "A>K>X A>L>X B>>Y", {"X": True, "Y": False}),
        (TWO, "A>>B B>>X C>>D D>>Y", {"X": True, "Y": False}),
        (Kind("multi_product", products=2), "A>>XZ A>>YV", {"X": True, "V": False}),
    ],
)
def test_questions_with_an_implausible_reaction_in_their_gold_come_last(
    kind: Kind, texts: str, flawed: dict[str, bool]
) -> None:
    reactions, eligible = (
        ReactionNetwork.of(network(*texts.split())),
        replace(UPPER, implausible=frozenset({1})),
    )
    if kind == TWO:
        found = list(multi_step_candidates(reactions, kind, eligible, seed=0))
    else:
        found = list(single_step_candidates(reactions, kind, eligible))
    assert {each.target: each.flaw == "implausible reaction" for each in found} == flawed
    assert max(found, key=lambda each: each.tier).flaw == "implausible reaction"


def test_the_worst_flaw_of_a_question_counts_and_reactions_outside_gold_do_not() -> None:
    eligible = replace(UPPER, implausible=frozenset({1}), is_co_product=lambda _name: False)
    reactions = ReactionNetwork.of(network("A>>Xb 50", "B>>Xb 60", "A>>Yb"))
    co_products = single_step_candidates(reactions, Kind("co_products"), eligible)
    assert [(each.target, each.flaw) for each in sorted(co_products, key=lambda each: each.tier)] == [
        ("Y", "no organic co-product"),
        ("X", "implausible reaction"),
    ]
    # The best yield is that of another reaction.
    best = single_step_candidates(reactions, BEST, eligible)
    assert [(each.target, each.flaw) for each in best] == [("X", None)]


def test_a_product_set_discriminates_where_one_product_alone_is_another_question() -> None:
    reactions = ReactionNetwork.of(network("A>>XY", "B>>Y", "C>>VW"))
    found = list(single_step_candidates(reactions, Kind("multi_product", products=2), UPPER))
    discriminating = {tuple(each.slots["products"]): each.discriminating for each in found}
    assert discriminating == {("X", "Y"): True, ("V", "W"): False}
    # fewer reactions make X than Y, so X names the set
    assert {each.target for each in found} == {"X", "V"}


def test_missing_product_sets_are_made_up_for_by_the_next_smaller_ones() -> None:
    pairs, triples, quadruples = (Kind("multi_product", products=size) for size in (2, 3, 4))
    plan = {PRECURSORS: 200, pairs: 150, triples: 45, quadruples: 5}
    available = {PRECURSORS: 900, pairs: 600, triples: 31, quadruples: 4}
    assert list(with_smaller_sets(plan, available).values()) == [200, 165, 31, 4]
    assert with_smaller_sets(plan, dict.fromkeys(plan, 1000)) == plan


def test_a_plan_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("- {task: best_yield, count: 3}\n- {task: intermediates, steps: 2, count: 1}\n")
    assert read_plan(file) == {BEST: 3, Kind("intermediates", steps=2): 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as YAML"),
        ("precursors: 5", "a plan is a list"),
        ("[]", "a plan is a list"),
        ("- precursors", "entry 1: not a mapping"),
        ("- {task: yields, count: 5}", f"entry 1: there is no task 'yields'; choose from {TASKS[0]}"),
        ("- {task: [], count: 5}", "entry 1: there is no task"),
        ("- {task: precursors}", "entry 1: count must be a whole number of at least 1, not None"),
        ("- {task: precursors, count: 0}", "at least 1, not 0"),
        ("- {task: precursors, count: true}", "at least 1, not True"),
        ("- {task: precursors, count: 1, steps: 2}", "precursors takes no 'steps'"),
        ("- {task: intermediates, count: 1}", "steps of intermediates must be one of 2, 3, 4, not None"),
        ("- {task: intermediates, count: 1, steps: 2.0}", "must be one of 2, 3, 4, not 2.0"),
        ("- {task: conditions, count: 1, role: heat}", "must be one of agents, solvents, not 'heat'"),
        ("- {task: precursors, count: 1}\n- {task: precursors, count: 2}", "entry 2: 'precursors' is there"),
    ],
)
def test_a_malformed_plan_is_refused_with_its_entry(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "plan.yaml").write_text(text)
    with pytest.raises(InputError, match=rf"plan\.yaml.*{message}"):
        read_plan(tmp_path / "plan.yaml")


def test_counts_keep_the_proportions_of_the_kinds_and_leave_other_tasks_out() -> None:
    counts = with_counts(read_plan(), "multi_product=40, precursors=3,conditions=1")
    assert {str(kind): count for kind, count in counts.items()} == {
        "precursors": 3,
        "multi_product 2 products": 30,
        "multi_product 3 products": 9,
        "multi_product 4 products": 1,
        "conditions agents": 1,
    }


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "'' is not TASK=N"),
        ("precursors", "'precursors' is not TASK=N"),
        ("precursor=3", "'precursor=3' is not TASK=N.*tasks are precursors"),
        ("precursors=0", "'precursors=0' is not TASK=N"),
        ("precursors=-1", "is not TASK=N"),
        (f"precursors={'9' * 5000}", "is not TASK=N"),
        ("precursors=1,precursors=2", "names precursors more than once"),
        ("best_yield=1", "the plan has no entry of best_yield"),
    ],
)
def test_counts_that_cannot_be_used_are_refused(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=f"--counts.*{message}"):
        with_counts({PRECURSORS: 10}, spec)


def test_a_graph_gives_the_questions_that_it_has_and_the_manifest_tells_the_rest() -> None:
    acid, ester, amide = "OC(=O)c1ccccc1", "COC(=O)c1ccccc1", "NC(=O)c1ccccc1"
    reactions = [
        Reaction(1, (acid, "CO"), (ester,), (), (), (None,)),
        Reaction(2, (ester, "N"), (amide,), (), (), (None,)),
    ]
    built = build_questions(reactions, seed=0)
    made = {kind: count for kind, count in built.manifest["counts"].items() if count}
    routes = [f"{task} 2 steps" for task in TASKS if setting_of(task) == "multi_step"]
    assert made == {"precursors": 2, "producing_reactions": 2, **dict.fromkeys(routes, 1)}
    assert built.manifest["not_as_planned"]["best_yield"] == {"planned": 200, "made": 0}
    assert built.manifest["not_as_planned"]["precursors"] == {"planned": 200, "made": 2}
    with pytest.raises(GraphError, match=r"graph of 2 reactions has no .* planned: best_yield\."):
        build_questions(reactions, 0, {BEST: 5})


@pytest.mark.parametrize(
    ("texts", "targets"),
    [
        ("A>>B C>>B B>>X D>>E E>>Y", [("X", True), ("Y", False)]),
        # Two molecules on the way of one pair of reactions are one route.
        ("A>>BC BC>>X", [("X", False)]),
        # Intermediates must be molecules that one may ask for; what a route starts from need not.
        ("A>>b b>>X", []),
        ("a>>B B>>X", [("X", False)]),
        # A walk that comes back makes routes ambiguous, beside a simple route too.
        ("X>>B B>>X", []),
        ("AX>>B B>>X", []),
    ],
)
def test_routes_to_a_target(texts: str, targets: list[tuple[str, bool]]) -> None:
    found = [(each.target, each.discriminating) for each in multi(network(*texts.split()), TWO)]
    assert found == targets


def test_a_walk_that_uses_a_reaction_twice_makes_routes_ambiguous() -> None:
    # A and B both react in and come out of reaction 1
    reactions = network("AB>>BC", "C>>X")
    assert multi(reactions, Kind("chains_to_target", steps=3)) == []
    assert [each.target for each in multi(reactions, TWO)] == ["X"]


def test_a_target_with_too_many_routes_is_left_out() -> None:
    def fan(count: int) -> list[Reaction]:
        return network(*(f"A>{chr(number + 1000)}>B" for number in range(count)), "B>>X")

    assert [each.target for each in multi(fan(MAXIMUM_ROUTES), TWO)] == ["X"]
    assert multi(fan(MAXIMUM_ROUTES + 1), TWO) == []
    assert multi(fan(2000), TWO) == []


@pytest.mark.parametrize(
    ("texts", "asked"),
    [
        # A start with several routes, but not all, comes first.
        ("A>>B AE>K>B C>>B B>>X", [("A", "X", 0, True)]),
        # Next best are routes that only differ in conditions.
        ("A>>B A>K>B C>>B B>>X", [("A", "X", 1, True)]),
        # Of two starts with the same routes one is asked for.
        ("AD>>B ADE>K>B C>>B B>>X", [("A", "X", 0, True)]),
        ("A>>B C>>B B>>X A>>D D>>Y", [("A", "X", 2, True), ("A", "Y", 3, False)]),
    ],
)
def test_routes_between_a_start_and_a_target(texts: str, asked: list[tuple[str, str, int, bool]]) -> None:
    best: dict[str, Candidate] = {}
    for each in multi(network(*texts.split()), BETWEEN):
        best[each.target] = min(best.get(each.target, each), each, key=lambda each: each.tier)
    found = best.values()
    assert [(each.slots["start"], each.target, each.tier, each.discriminating) for each in found] == asked


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("c1ccccc1C(=O)O", True),
        ("CCOC(C)=O", False),
        ("[Cl-]", False),
        ("O=S(=O)(O)OS(=O)(=O)O", False),
        ("CCCCCCCC.Cl", False),
        # One half of a salt.
        ("C[N+](C)(C)Cc1ccccc1", False),
        ("O=C([O-])c1ccccc1", False),
        ("O=C(O)/C=C/C(=O)O", False),
        ("O=C(O)[C@H](O)[C@@H](O)C(=O)O", False),
        # Charges that cancel out.
        ("O=[N+]([O-])c1ccccc1", True),
        ("not a molecule", False),
    ],
)
def test_a_synthesis_target_is_one_organic_molecule_of_some_size(name: str, expected: bool) -> None:
    assert is_synthesis_target(name) is expected


def test_what_many_reactions_use_is_a_common_auxiliary() -> None:
    nine = [replace(each, solvents=("S",)) for each in network(*["A>K>X"] * 9)]
    assert common_auxiliaries(nine) == set()
    assert common_auxiliaries([*nine, replace(nine[0], id=10, agents=("S",))]) == {"S"}
