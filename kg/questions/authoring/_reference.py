"""Gold answers by the reference Cypher on a live Neo4j, and the check that both ways agree."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from kg.errors import GraphError
from kg.questions._model import Question

if TYPE_CHECKING:
    import neo4j

Row = dict[str, Any]
_SHOWN_ROWS = 5


class GoldDifferenceError(GraphError):
    """The reference Cypher and the traversal answer a question differently; the message shows both."""


def ask(driver: "neo4j.Driver", question: Question, database: str = "neo4j") -> list[Row]:
    """Run a question's reference query and return its rows as gold writes them.

    Args:
        driver: A driver of the server that holds the graph.
        question: The question.
        database: Name of the database.
    """
    from neo4j import RoutingControl

    found = driver.execute_query(question.reference_cypher, database_=database, routing_=RoutingControl.READ)
    if question.setting == "multi_step":
        routes = sorted([node["id"] for node in record["reaction_nodes"]] for record in found.records)
        return [{"route": route} for route in routes]
    rows = [{key: _plain(value) for key, value in record.data().items()} for record in found.records]
    return sorted(rows, key=lambda row: row["id"])


def check_gold(
    driver: "neo4j.Driver", questions: Sequence[Question], database: str = "neo4j", threads: int = 4
) -> None:
    """Compare the gold of questions with what their reference queries return.

    Args:
        driver: A driver of the server that holds the graph.
        questions: Questions with the traversal's gold.
        database: Name of the database.
        threads: Queries in flight.

    Raises:
        GoldDifferenceError: If one differs.
    """
    with ThreadPoolExecutor(threads) as pool:
        answers = pool.map(lambda question: ask(driver, question, database), questions)
        try:
            for question, rows in zip(questions, answers, strict=True):
                if rows != question.gold:
                    raise GoldDifferenceError(_explain(question, rows))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def _explain(question: Question, rows: Sequence[Row]) -> str:
    return (
        f"gold of {question.id} differs between the reference Cypher and the traversal\n"
        f"question: {question.text}\n"
        f"reference:\n{question.reference_cypher}\n"
        f"only the reference returns: {_only(rows, question.gold)}\n"
        f"only the traversal returns: {_only(question.gold, rows)}"
    )


def _only(rows: Sequence[Row], others: Iterable[Row]) -> str:
    extra = [row for row in rows if row not in others]
    shown = ", ".join(map(str, extra[:_SHOWN_ROWS])) or "nothing"
    more = len(extra) - _SHOWN_ROWS
    return f"{shown} and {more} more" if more > 0 else shown
