"""What holds for every answer."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.graph_values import reaction
from support.scored import question_of, scored

from retrocypher.kg.execution.execution import Execution
from retrocypher.plugins.runs.record import SCORE_METRICS, Scores
from retrocypher.plugins.scoring.routes import partial_path_recall
from retrocypher.plugins.scoring.score import score

Routes = set[tuple[int, ...]]

COLUMNS = ["id", "reactants", "products", "agents", "solvents", "target_yield"]

molecules = st.sets(st.sampled_from(["C", "CO", "CCO", "c1ccccc1", "N", "[Na+].[Cl-]"]), max_size=3).map(
    sorted
)
yields = st.none() | st.integers(0, 100) | st.floats(0, 100)
reactions = st.fixed_dictionaries(
    {
        "id": st.integers(0, 9),
        "reactants": molecules,
        "products": molecules,
        "agents": molecules,
        "solvents": molecules,
        "target_yield": yields,
    }
)
answers = st.lists(reactions, min_size=1, max_size=4, unique_by=lambda row: row["id"])
route_sets = st.sets(st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple), min_size=1, max_size=5)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["C", "12", 0, 1])
)
KEYS = [
    "id",
    "name",
    "yield",
    "step1",
    "step2",
    "reactants",
    "reaction",
    "labels",
    "properties",
    "nodes",
    "relationships",
    "start",
    "end",
]
TAGS = ["$node", "$path", "$relationship", "$map", "$float", "$temporal"]
keys = st.sampled_from([*KEYS, *TAGS]) | st.text(max_size=4)
labels = st.sampled_from([["Reaction"], ["Molecule"], [], None, "Reaction"])
nodes = st.builds(
    lambda labels, properties: {"$node": {"id": "x", "labels": labels, "properties": properties}},
    labels,
    st.dictionaries(keys, scalars, max_size=2),
)
values = st.recursive(
    scalars | nodes,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(keys, inner, max_size=3)
        | st.builds(lambda n, r: {"$path": {"nodes": n, "relationships": r}}, inner, inner)
        | st.builds(lambda v: {"$relationship": {"start": "x", "end": "y", "properties": v}}, inner)
    ),
    max_leaves=8,
)
columns = st.lists(
    st.sampled_from(["id", "products", "reactant", "rel.yield", "steps", "p", "r1.id", "step1", "step2"])
    | st.text(max_size=8),
    max_size=4,
    unique=True,
)


def rows_of(answer: list[dict[str, Any]]) -> list[list[Any]]:
    return [[row[name] for name in COLUMNS] for row in answer]


@given(answers)
def test_gold_scores_one(gold: list[dict[str, Any]]) -> None:
    scores = scored(question_of("producing_reactions", gold), COLUMNS, rows_of(gold))

    assert (scores.precision, scores.recall, scores.f1) == (1.0, 1.0, 1.0)
    assert (scores.row_f1, scores.focus_f1) == (1.0, 1.0)


@given(answers, answers, st.randoms())
def test_order_of_rows_and_columns_changes_nothing(
    gold: list[dict[str, Any]], answer: list[dict[str, Any]], random: Any
) -> None:
    made = question_of("best_yield", gold)
    shuffled = random.sample(answer, len(answer))
    names = random.sample(COLUMNS, len(COLUMNS))

    scores = scored(made, COLUMNS, rows_of(answer))

    assert scored(made, names, [[row[name] for name in names] for row in shuffled]) == scores


@given(answers, answers)
def test_swapping_the_sides_swaps_precision_and_recall_but_not_f1(
    left: list[dict[str, Any]], right: list[dict[str, Any]]
) -> None:
    there = scored(question_of("best_yield", left), COLUMNS, rows_of(right))
    back = scored(question_of("best_yield", right), COLUMNS, rows_of(left))

    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert (there.f1, there.row_f1) == (back.f1, back.row_f1)
    total = there.precision + there.recall
    expected = 2 * there.precision * there.recall / total if total else 0.0
    assert abs(there.f1 - expected) < 1e-12
    for key, entry in there.per_key.items():
        other = back.per_key[key]
        assert (entry.precision, entry.recall) == (other.recall, other.precision)


@given(
    st.sampled_from(["precursors", "multi_product", "best_yield", "chains_between"]),
    columns,
    st.lists(st.lists(values, max_size=5) | values, max_size=4),
    st.none() | st.text(max_size=30),
)
def test_any_rows_score_within_bounds(
    task: str, names: list[str], rows: list[Any], cypher: str | None
) -> None:
    rest = {"agents": [], "solvents": [], "target_yield": 1.0}
    row = {"id": 1, "reactants": ["C"], "products": ["N"], **rest}
    gold = [{"route": [1, 12]} if task == "chains_between" else row]

    scores = score(question_of(task, gold), Execution("ok", columns=names, rows=rows), cypher)

    assert all(value is None or 0.0 <= value <= 1.0 for value in map(scores.value, SCORE_METRICS))
    for entry in (scores.per_key or {}).values():
        assert all(each is None or 0.0 <= each <= 1.0 for each in (entry.precision, entry.recall, entry.f1))


@given(route_sets, st.sampled_from(["lists", "ids", "r", "reaction", "step_", "x"]), st.randoms())
def test_gold_routes_score_one_in_every_form(gold: Routes, form: str, random: Any) -> None:
    shuffled = random.sample(sorted(gold), len(gold))
    rows: list[Any]
    if form == "lists":
        rows = [[[reaction(step) for step in route]] for route in shuffled]
    elif form == "ids":
        rows = [[list(route)] for route in shuffled]
    else:
        rows = [[*route, *[None] * (4 - len(route))] for route in shuffled]
    names = ["route"] if form in ("lists", "ids") else [f"{form}{number}" for number in range(1, 5)]

    scores = scored(question_of("chains_to_target", [{"route": list(route)} for route in gold]), names, rows)

    assert (scores.f1, scores.partial_path_recall) == (1.0, 1.0)


@given(route_sets, route_sets, route_sets)
def test_swapping_route_sets_swaps_precision_and_recall(left: Routes, right: Routes, more: Routes) -> None:
    def run(gold: Routes, returned: Routes) -> Scores:
        made = question_of("chains_to_target", [{"route": list(route)} for route in gold])
        return scored(made, ["route"], [[list(route)] for route in returned])

    there, back = run(left, right), run(right, left)

    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert there.partial_path_recall >= there.exact_path_recall
    assert partial_path_recall(right | more, left) >= partial_path_recall(right, left)
