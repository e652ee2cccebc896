"""Which exemplars give an answer away: the edits, their scores, what is stored, and what a guard looks up."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from msgspec import UNSET
from support.records import record_of, write_run

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.mutations.registry import OPERATORS
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import SHIPPED_QUESTIONS, load_questions
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Leak
from retrocypher.plugins.runs.replay import RunIndex
from retrocypher.plugins.scoring.leak import (
    NO_LEAK,
    LeakGuard,
    StoredLeaks,
    edited_queries,
    exemplar_key,
    measure_leak,
    shipped_leaks,
)
from retrocypher.prompts.templates.exemplars import Exemplar, load_banks

EXEMPLARS = {each.id: each for bank in load_banks().values() for each in bank}
MAPPING = EXEMPLARS["reactant-to-reaction-mapping"]
QUESTION = next(each for each in load_questions().questions if each.task == "producing_reactions")
COLUMNS = ("id", "reactants", "products", "agents", "solvents")


@dataclass
class Answering:
    """Gives the gold of a question to the queries that are right, and no rows to the others."""

    is_right: Callable[[str], bool]
    ran: list[str] = field(default_factory=list)

    def explain(self, cypher: str | None) -> Execution:
        return Execution("ok")

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        assert cypher is not None
        self.ran.append(cypher)
        gold = QUESTION.gold if self.is_right(cypher) else []
        return Execution("ok", columns=list(COLUMNS), rows=[[row[name] for name in COLUMNS] for row in gold])


def measured(graph: Answering, question: Question = QUESTION, exemplar: Exemplar = MAPPING) -> Leak:
    return measure_leak(graph, question, exemplar)


@pytest.mark.parametrize(
    ("query", "edit", "made"),
    [
        (
            "MATCH (m:Molecule {name: 'C'})-[:REACTS_IN]->(r:Reaction) RETURN r.id",
            "target_is_made",
            "MATCH (m:Molecule {name: 'C'})<-[:PRODUCES]-(r:Reaction) RETURN r.id",
        ),
        (
            "MATCH (m:Molecule)-[:REACTS_IN]->(r) WHERE m.name IN ['C', 'O'] RETURN r.id",
            "target_is_made",
            "MATCH (m:Molecule)<-[:PRODUCES]-(r) WHERE m.name IN ['C', 'O'] RETURN r.id",
        ),
        (
            "MATCH p = (a {name: 'C'})-[:REACTS_IN|PRODUCES*4]->(b {name: 'O'}) RETURN p",
            "swap_ends",
            "MATCH p = (a {name: 'O'})-[:REACTS_IN|PRODUCES*4]->(b {name: 'C'}) RETURN p",
        ),
        (
            "MATCH p = (a {name: 'C'})-[:REACTS_IN|PRODUCES*4]->(b) RETURN p",
            "anchor_other_end",
            "MATCH p = (a )-[:REACTS_IN|PRODUCES*4]->(b {name: 'C'}) RETURN p",
        ),
        (
            "MATCH p = (a {name: 'C'})-[:REACTS_IN|PRODUCES*4]->(b) RETURN p",
            "reverse_path",
            "MATCH p = (a {name: 'C'})<-[:REACTS_IN|PRODUCES*4]-(b) RETURN p",
        ),
        ("MATCH (m)-[:REACTS_IN]->(r) RETURN r", "reverse_arrow", "MATCH (m)<-[:REACTS_IN]-(r) RETURN r"),
    ],
)
def test_one_edit_is_two_ends_or_one_arrow(query: str, edit: str, made: str) -> None:
    assert (edit, made) in list(edited_queries(query))


def test_a_relationship_that_no_molecule_is_named_at_keeps_its_type() -> None:
    query = "MATCH (m:Molecule {name: 'C'})-[:REACTS_IN]->(r) MATCH (a)-[:REACTS_IN]->(r) RETURN a"
    assert [name for name, _ in edited_queries(query)].count("target_is_made") == 1


def test_the_errors_that_a_seed_draws_are_those_of_before() -> None:
    assert "target_is_made" not in OPERATORS


def test_an_exemplar_that_is_right_needs_no_edit() -> None:
    graph = Answering(lambda _: True)
    assert measured(graph) == Leak(1.0, 1.0, None)
    assert measured(graph).kind == "as_is"
    assert len(graph.ran) == 2


def test_an_exemplar_that_is_right_with_one_edit_names_it() -> None:
    found = measured(Answering(lambda query: "<-[:PRODUCES]-" in query))
    assert found == Leak(0.0, 1.0, "target_is_made")
    assert found.kind == "one_edit"


def test_an_exemplar_that_is_wrong_with_each_edit_gives_nothing_away() -> None:
    assert measured(Answering(lambda _: False)) == NO_LEAK
    assert NO_LEAK.kind == "none"


def test_an_exemplar_that_cannot_be_filled_runs_nothing() -> None:
    graph = Answering(lambda _: True)
    assert measured(graph, exemplar=EXEMPLARS["multi-precursor-reaction"]) == NO_LEAK
    assert graph.ran == []


def test_what_is_stored_is_read_back_and_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    stored = StoredLeaks("g", "q", {"b": {"2": (0.0, 1.0, "swap_ends"), "1": (0.25, 0.25, None)}, "a": {}})
    stored.write(first)
    StoredLeaks.read(first).write(second)
    assert StoredLeaks.read(first) == stored
    assert first.read_bytes() == second.read_bytes()


def test_all_pairs_of_what_is_shipped_are_stored() -> None:
    stored = shipped_leaks()
    assert stored.is_about(load_questions())
    assert not stored.is_about(load_questions(SHIPPED_QUESTIONS["set-1"]))
    assert stored.exemplars.keys() == {exemplar_key(each) for each in EXEMPLARS.values()}
    between = [each for each in load_questions().questions if each.task == "chains_between"]
    chains = EXEMPLARS["reaction-chains-between-molecules"]
    assert set(stored.known(between, [(chains,)]).values()) == {Leak(1.0, 1.0, None)}


def test_what_is_stored_is_known_of_the_exemplars_that_it_has() -> None:
    own = replace(MAPPING, id="own", pattern=MAPPING.pattern + " LIMIT 5")
    found = shipped_leaks().known([QUESTION], [(MAPPING, own)])
    assert list(found) == [(MAPPING.id, QUESTION.id)]
    (leak,) = found.values()
    assert (leak.kind, leak.edit) == ("one_edit", "target_is_made")


def test_what_was_measured_is_known_from_then_on() -> None:
    guard = LeakGuard({}, Answering(lambda query: "<-[:PRODUCES]-" in query))
    assert guard.find("a", QUESTION, MAPPING) == Leak(0.0, 1.0, "target_is_made")
    assert guard.known == {(MAPPING.id, QUESTION.id): Leak(0.0, 1.0, "target_is_made")}


def test_a_replay_takes_it_from_the_record_of_the_case(tmp_path: Path) -> None:
    leak, more = Leak(0.5, 1.0, "swap_ends"), {"exemplar_id": MAPPING.id, "of": QUESTION}
    records = [
        record_of("known", leak=leak, **more),
        record_of("old", **more),
        record_of("other", of=QUESTION),
    ]
    run = write_run(tmp_path / "run", records, [QUESTION], {"models": []})
    guard = LeakGuard({}, None, recorded=RunIndex([RunLog(run)]))
    found = [guard.find(case, QUESTION, MAPPING) for case in ("known", "old", "other", "absent")]
    assert found == [leak, UNSET, UNSET, UNSET]
