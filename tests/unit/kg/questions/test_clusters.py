"""Clusters of questions."""

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.questions.clusters import clusters_of
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions

routes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=2)
sets = st.lists(st.tuples(st.sampled_from("ABCDEF"), routes), max_size=8)


def question(name: str, target: str, gold: list[tuple[int, int]]) -> Question:
    rows = [{"route": list(route)} for route in gold] or [{"id": 1}]
    return Question(name, "task", "multi_step", 2, "?", {}, "RETURN 1", rows, target, discriminating=True)


def test_questions_that_share_a_target_or_a_gold_route_are_one_cluster() -> None:
    questions = [
        question("a", "X", []),
        question("b", "X", [(1, 2)]),
        question("c", "Y", [(1, 2), (3, 4)]),
        question("d", "Z", [(3, 4)]),
        # A part of a route, or the route the other way, is another one.
        question("e", "V", [(2, 1)]),
        question("f", "W", []),
    ]
    assert clusters_of(questions) == {"a": "a", "b": "a", "c": "a", "d": "a", "e": "e", "f": "f"}


@given(sets)
def test_clusters_are_the_connected_components(drawn: list[tuple[str, list[tuple[int, int]]]]) -> None:
    questions = [question(str(number), *each) for number, each in enumerate(drawn)]
    found = clusters_of(questions)
    links: dict[object, set[str]] = defaultdict(set)
    for name, (target, gold) in enumerate(drawn):
        for key in (target, *gold):
            links[key].add(str(name))
    for start in found:
        reached, new = set(), {start}
        while new:
            reached |= new
            new = {name for names in links.values() if names & new for name in names} - reached
        assert reached == {name for name, cluster in found.items() if cluster == found[start]}


def test_the_clusters_of_the_shipped_set_are_about_as_many_as_its_targets() -> None:
    questions = load_questions().questions
    clusters = Counter(clusters_of(questions).values())
    targets = {each.target for each in questions}
    assert 0.9 * len(targets) < len(clusters) <= len(targets)
    assert max(clusters.values()) < 30
