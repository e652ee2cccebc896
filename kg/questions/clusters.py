"""Clusters of questions that are not independent, for statistics."""

from collections.abc import Hashable, Iterable

from retrocypher.kg.questions.question import Question


def clusters_of(questions: Iterable[Question]) -> dict[str, str]:
    """Return the cluster of each question, by question id; a cluster is named after one of its questions.

    Questions that share their target or a gold route are in one cluster, and so are those connected through
    others: clusters are the connected components.
    """
    parent: dict[Hashable, Hashable] = {}

    def root(node: Hashable) -> Hashable:
        while (above := parent.setdefault(node, node)) != node:
            # Halving the path keeps later walks short.
            parent[node] = parent[above]
            node = parent[node]
        return node

    ids: list[str] = []
    for question in questions:
        ids.append(question.id)
        routes = [("route", *row["route"]) for row in question.gold if "route" in row]
        for shared in (("target", question.target), *routes):
            parent[root(("question", question.id))] = root(shared)
    names: dict[Hashable, str] = {}
    return {name: names.setdefault(root(("question", name)), name) for name in ids}
