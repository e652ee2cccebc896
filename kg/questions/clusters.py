"""Clusters of questions that are not independent, for statistics."""

from collections.abc import Hashable, Iterable, Iterator

from retrocypher.kg.questions.question import Question, TableFacts


def clusters_of(questions: Iterable[Question]) -> dict[str, str]:
    """Return the cluster of each question, by question id; a cluster is named after one of its questions.

    Questions that share their target or a gold route are in one cluster, and so are those connected through
    others: clusters are the connected components. Table questions are connected by the nodes that they name
    and by their instantiated MATCH clause.
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
        for shared in _shared(question):
            parent[root(("question", question.id))] = root(shared)
    names: dict[Hashable, str] = {}
    return {name: names.setdefault(root(("question", name)), name) for name in ids}


def _shared(question: Question) -> Iterator[tuple[Hashable, ...]]:
    """Yield what connects a question to others."""
    if not isinstance(question.table, TableFacts):
        yield "target", question.target
        for row in question.gold:
            if "route" in row:
                yield "route", *row["route"]
        return
    yield from (("entity", name) for name in question.table.entities)
    if question.table.match:
        yield "match", question.table.match
