"""The shipped questions, and how candidates are allocated."""

from collections import Counter, defaultdict
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.questions.candidates import Candidate, Kind
from retrocypher.kg.questions.gold import ReactionNetwork, is_simple
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.question_set import allocate, draft_questions, read_plan
from retrocypher.kg.questions.reading import load_questions

SHIPPED = load_questions()
REACTIONS = read_graph()
NETWORK = ReactionNetwork.of(REACTIONS)

KINDS = (Kind("precursors"), Kind("best_yield"), Kind("conditions", role="agents"))


def of_task(task: str) -> list[Question]:
    return [each for each in SHIPPED.questions if each.task == task]


def test_the_shipped_set_is_what_its_seed_makes_of_the_default_graph() -> None:
    assert SHIPPED.fingerprint == fingerprint_of(REACTIONS)
    assert draft_questions(REACTIONS, SHIPPED.manifest["seed"], read_plan()) == SHIPPED.questions


def test_there_are_2400_questions_in_the_proportions_of_the_paper() -> None:
    counts = Counter((each.task, each.steps) for each in SHIPPED.questions)
    single = ("precursors", "producing_reactions", "best_yield", "multi_product", "co_products", "conditions")
    multi = ("chains_to_target", "chains_between", "intermediates", "multi_step_precursors")
    assert counts == {
        **{(task, 1): 200 for task in single},
        **{(task, steps): 100 for task in multi for steps in (2, 3, 4)},
    }
    sizes = Counter(len(each.slots["products"]) for each in of_task("multi_product"))
    assert sizes == {2: 165, 3: 31, 4: 4}
    assert Counter(each.slots["role"] for each in of_task("conditions")) == {"agents": 100, "solvents": 100}
    assert len({each.text for each in SHIPPED.questions}) == len(SHIPPED.questions)


def test_the_best_yield_is_unique() -> None:
    for each in of_task("best_yield"):
        known = sorted(
            found
            for reaction in NETWORK.makers_of(each.target)
            if (found := reaction.yields[reaction.products.index(each.target)]) is not None
        )
        assert len(each.gold) == 1
        assert each.gold[0]["target_yield"] == known[-1]
        assert known[-1] - known[-2] > 1e-6 if len(known) > 1 else True


def test_what_is_asked_for_is_empty_in_no_row() -> None:
    for each in [*of_task("co_products"), *of_task("conditions")]:
        asked = [row[each.slots.get("role", "co_products")] for row in each.gold]
        assert all(asked), each.id
        assert each.task == "conditions" or not any(each.target in names for names in asked), each.id


def test_every_walk_of_a_route_question_is_a_simple_path() -> None:
    for each in SHIPPED.questions:
        if each.setting == "multi_step":
            start = each.slots.get("start")
            walks = NETWORK.walks_to(each.target, each.steps)
            assert all(is_simple(walk) for walk in walks if start in (None, walk[0])), each.id
            assert len(each.gold) <= 100


def test_the_manifest_tells_trivial_questions_and_shared_targets() -> None:
    trivial = Counter(each.task for each in SHIPPED.questions if not each.discriminating)
    told = {task: stated["questions"] for task, stated in SHIPPED.manifest["trivial"].items()}
    assert told == {task: trivial[task] for task in told}
    asked = Counter(each.target for each in SHIPPED.questions)
    targets = SHIPPED.manifest["targets"]
    assert targets["distinct"] == len(asked)
    assert targets["questions_sharing_a_target"] == sum(count for count in asked.values() if count > 1)
    assert SHIPPED.manifest["not_as_planned"] == {
        "multi_product 2 products": {"planned": 150, "made": 165},
        "multi_product 3 products": {"planned": 45, "made": 31},
        "multi_product 4 products": {"planned": 5, "made": 4},
    }


def test_a_target_serves_at_most_three_of_the_ten_tasks() -> None:
    tasks = defaultdict(set)
    for each in SHIPPED.questions:
        tasks[each.target].add(each.task)
    assert max(map(len, tasks.values())) == 3


def test_every_task_that_can_be_has_telling_questions_first() -> None:
    # more than the graph has are not asked for, so all questions of these tasks discriminate
    for task in ("precursors", "producing_reactions", "conditions", "chains_to_target", "intermediates"):
        assert all(each.discriminating for each in of_task(task))


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


def test_a_chain_of_exchanges_is_found() -> None:
    first, second, _ = KINDS
    candidates = {
        first: [Candidate(first, {}, "A", 0, True)],
        second: [Candidate(second, {}, "A", 0, True), Candidate(second, {}, "B", 0, True)],
    }
    chosen = allocate(candidates, {first: 1, second: 1})
    assert [each.target for each in chosen[second]] == ["B"]
