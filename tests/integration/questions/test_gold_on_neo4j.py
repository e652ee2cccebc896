"""Gold on a real server: the two ways of computing it agree, and a difference is not passed over."""

from dataclasses import replace
from pathlib import Path

import neo4j
import pytest
from msgspec.structs import replace as replace_struct
from support.server_tests import server_with

from retrocypher.kg.audit.rules import audit
from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.cleaning import Report
from retrocypher.kg.graph.compact import read_graph, read_manifest, write_graph
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.questions.candidates import Kind
from retrocypher.kg.questions.gold import GoldDifferenceError, check_gold
from retrocypher.kg.questions.question_set import build_questions
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.resolution.proposal import Thresholds, find_conflicts, propose, write_proposal
from retrocypher.kg.resolution.versions import apply_proposal
from retrocypher.kg.server.endpoint import connect

QUESTIONS = load_questions().questions


def test_all_2400_reference_queries_return_their_gold(driver: neo4j.Driver) -> None:
    check_gold(driver, QUESTIONS)


@pytest.mark.parametrize("task", ["precursors", "chains_between"])
def test_a_difference_stops_and_prints_the_question(driver: neo4j.Driver, task: str) -> None:
    question = next(each for each in QUESTIONS if each.task == task)
    lacking = replace(question, gold=question.gold[:-1])
    with pytest.raises(GoldDifferenceError) as raised:
        check_gold(driver, [lacking])
    message = str(raised.value)
    assert question.id in message
    assert question.text in message
    assert f"only the reference returns: {question.gold[-1]}" in message
    assert "only the traversal returns: nothing" in message


def test_a_set_that_was_made_reads_back(driver: neo4j.Driver, tmp_path: Path) -> None:
    plan = {
        Kind("best_yield"): 5,
        Kind("multi_product", products=2): 3,
        Kind("multi_product", products=4): 6,
        Kind("conditions", role="solvents"): 2,
        Kind("chains_to_target", steps=2): 5,
    }
    built = build_questions(read_graph(), 5, plan)
    check_gold(driver, built.questions)
    built.write(tmp_path / "questions")
    found = load_questions(tmp_path / "questions")
    assert found.questions == built.questions
    assert found.manifest == built.manifest
    assert found.manifest["not_as_planned"] == {
        "multi_product 2 products": {"planned": 3, "made": 8},
        "multi_product 4 products": {"planned": 6, "made": 1},
    }
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="questions cannot be written there"):
        built.write(tmp_path / "file")


def test_a_version_in_which_reactions_were_dropped_has_questions(tmp_path: Path) -> None:
    reactions, graph, proposal = read_graph()[600:700], tmp_path / "graph", tmp_path / "p.yaml"
    write_graph(graph, reactions, Report(), {})
    conflicts = find_conflicts(reactions, list(audit(reactions)), {}, {})
    made = propose(fingerprint_of(reactions), conflicts, Thresholds(0.85, 3))
    (decided,) = (replace_struct(each, decision="drop") for each in made.conflicts)
    write_proposal(proposal, replace_struct(made, conflicts=(decided,)))
    apply_proposal(graph, proposal, {}, tmp_path / "version")
    version = read_graph(tmp_path / "version")
    assert {each.id for each in reactions} - {each.id for each in version} == {607, 608}

    built = build_questions(version, 5, {Kind("conditions", role="solvents"): 5})
    with server_with(version) as running, connect(running.endpoint) as opened:
        assert fingerprint(opened) == read_manifest(tmp_path / "version")["fingerprint"]
        check_gold(opened, built.questions)
    assert len(built.questions) == 5
