"""Clusters of questions that are not independent, for statistics."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any


def clusters_of(questions: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the cluster of each question, by question id; a cluster is named after one of its questions.

    Questions that share their target or a gold route are in one cluster, and so are those connected through
    others: clusters are the connected components.

    Args:
        questions: Questions with at least ``id``, ``target`` and ``gold``, as in their files.
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
        ids.append(question["id"])
        own = root(("question", question["id"]))
        parent[own] = root(("target", question["target"]))
        for row in question["gold"]:
            if "route" in row:
                parent[root(("question", question["id"]))] = root(("route", tuple(row["route"])))
    names: dict[Hashable, str] = {}
    return {name: names.setdefault(root(("question", name)), name) for name in ids}
