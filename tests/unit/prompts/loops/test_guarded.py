"""Guarded retrieval and its fallback, without a server."""

import pytest
from rdkit import Chem
from support.loops import BROKEN, RIGHT, FakeGraph, play

from retrocypher.kg.execution.execution import Execution
from retrocypher.prompts.loops.guarded import entities_in
from retrocypher.prompts.loops.registry import loops_by_name
from retrocypher.prompts.validation.question import common_names

GUARDED = loops_by_name()["guarded"]
EMPTY = Execution("ok", columns=["id", "names"], rows=[[None, []]], row_count=1)


class Around(FakeGraph):
    """Knows one molecule, with one reaction around it."""

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        for part, column, value in (("AS name", "name", "CCOC(C)=O"), ("[*1..1]", "id", 7)):
            if part in (cypher or ""):
                self.ran.append((cypher, timeout_s, row_limit))
                return Execution("ok", columns=[column], rows=[[value]], row_count=1)
        return super().run(cypher, timeout_s=timeout_s, row_limit=row_limit)


def test_a_query_that_brings_rows_is_left_alone() -> None:
    played = play(GUARDED, RIGHT)
    assert played.result.cypher == RIGHT
    assert played.result.execution is played.graph.result
    assert played.result.fallback is None
    assert played.story == [("guard", "ok"), ("executor", "ok")]
    assert played.graph.ran == [(RIGHT, 5.0, None)]
    limited = play(loops_by_name()["guarded-limit"], RIGHT)
    assert limited.result.cypher == RIGHT + "\nLIMIT 100"
    assert limited.graph.ran == [(RIGHT + "\nLIMIT 100", 5.0, 100)]
    assert limited.finding("guard")["edit"] == "no more than 100 rows"


@pytest.mark.parametrize(
    ("first", "reason"),
    [(BROKEN, "syntax_error"), ("MATCH (n) DELETE n", "refused"), (None, "no_query"), (RIGHT, "empty")],
)
def test_the_fallback_looks_around_the_molecules(first: str | None, reason: str) -> None:
    played = play(GUARDED, first, graph=Around(EMPTY))
    fallback = played.result.fallback
    assert fallback is not None
    assert fallback["reason"] == reason
    # The question writes another SMILES than the graph.
    assert fallback["entities"] == [{"text": "CC(=O)OCC", "names": ["CC(=O)OCC", "CCOC(C)=O"]}]
    assert fallback["resolved"] == ["CCOC(C)=O"]
    assert (fallback["status"], fallback["rows"], fallback["hops"]) == ("ok", [[7]], 2)
    assert "seed.name IN ['CCOC(C)=O']" in fallback["cypher"]
    assert "LIMIT 100" in fallback["cypher"]
    assert played.story[-1] == ("fallback", "ok")
    # The rows of the fallback are never those of the query.
    assert played.result.cypher == first
    assert played.result.execution is not None
    assert played.result.execution.rows != [[7]]


@pytest.mark.parametrize("question", ["How is it made?", "How is CCCCCCO made?"])
def test_nothing_found_is_a_fallback_without_rows(question: str) -> None:
    graph = FakeGraph(Execution("ok", columns=["name"]))
    played = play(GUARDED, None, graph=graph, question=question)
    fallback = played.result.fallback
    assert fallback is not None
    assert (fallback["status"], fallback["rows"], fallback["resolved"]) == ("no_query", [], [])


def test_what_a_question_names_cannot_break_out_of_the_query() -> None:
    played = play(GUARDED, None, graph=Around(), question="Is 'F/C=C\\F' or \"C'] DELETE\" made?")
    assert all("DELETE" not in (cypher or "") for cypher, _, _ in played.graph.ran)
    assert "'F/C=C\\\\F'" in (played.graph.ran[1][0] or "")


def test_entities_by_smiles_and_by_name() -> None:
    found = entities_in("Is CCO or ethanol made from Tetrahydrofuran, 2-methanol or methanol-d4 in DMF?")
    assert [(entity.text, entity.names) for entity in found] == [
        ("CCO", ("CCO",)),
        ("Tetrahydrofuran", ("C1CCOC1",)),
        ("DMF", ("CN(C)C=O",)),
    ]
    assert all(Chem.CanonSmiles(smiles) == smiles for smiles in common_names().values())
