"""Exemplars and the queries of prompts on a real graph."""

import re
from collections.abc import Iterator

import neo4j
import pytest

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.templates.exemplars import Exemplar, fill_exemplar, load_bank
from retrocypher.prompts.templates.template import load_prompts

BANKS = [each for setting in ("single_step", "multi_step") for each in load_bank(setting)]
COLUMNS = ["id", "reactants", "products", "agents", "solvents"]
REACTANTS = """
MATCH (a:Molecule)-[:REACTS_IN]->(r:Reaction)<-[:REACTS_IN]-(b:Molecule)
MATCH (r)-[made:PRODUCES]->(:Molecule)
WHERE a.name < b.name AND made.yield IS NOT NULL
RETURN a.name AS a, b.name AS b, r.id AS id ORDER BY id LIMIT 1
"""
ROUTE = """
MATCH path = (a:Molecule)-[:REACTS_IN|PRODUCES*4]->(b:Molecule)
WHERE all(n IN nodes(path) WHERE single(m IN nodes(path) WHERE m = n))
RETURN a.name AS a, b.name AS b, [n IN nodes(path) WHERE n:Reaction | n.id] AS ids LIMIT 1
"""


@pytest.fixture(scope="module")
def session(driver: neo4j.Driver) -> Iterator[neo4j.Session]:
    with driver.session() as session:
        yield session


@pytest.mark.parametrize("exemplar", BANKS, ids=lambda each: each.id)
def test_a_filled_exemplar_finds_what_it_asks_for(session: neo4j.Session, exemplar: Exemplar) -> None:
    single = exemplar.setting == "single_step"
    known = session.run(REACTANTS if single else ROUTE).single(strict=True)
    slots = {"products": [known["a"], known["b"]]} if single else {"start": known["a"], "target": known["b"]}
    query = fill_exemplar(exemplar, {**slots, "steps": 2})
    assert query is not None
    result = session.run(query)
    rows = list(result)
    if single:
        assert result.keys()[:5] == COLUMNS
        assert known["a"] in {name for row in rows for name in row["reactants"]}
        if exemplar.id != "best-yielding-reaction-given-reactant":
            assert known["id"] in {row["id"] for row in rows}
    else:
        assert result.keys() == ["reaction_nodes"]
        assert known["ids"] in [[node["id"] for node in row["reaction_nodes"]] for row in rows]
    summary = session.run(f"EXPLAIN {exemplar.cypher}").consume()
    assert summary.query_type == "r"
    # Status class 01 is a warning, such as an unknown label.
    assert not [each for each in summary.gql_status_objects if each.gql_status.startswith("01")]


@pytest.mark.parametrize(
    ("name", "setting"), [("P5", "single_step"), ("P8", "multi_step"), ("P10", "multi_step")]
)
def test_snippets_of_the_guided_prompts_give_the_gold(
    session: neo4j.Session, name: str, setting: Setting
) -> None:
    tasks = {"single_step": "producing_reactions", "multi_step": "chains_to_target"}
    question = next(each for each in load_questions().questions if each.task == tasks[setting])
    lines = re.findall(r"^ {7}(.*)$", load_prompts("guided")[name].text, re.MULTILINE)
    hops = str(2 * question.steps)
    target = quote(question.slots["target"])
    query = "\n".join(lines).replace("'...'", target).replace("*..H", f"*..{hops}").replace(" H", f" {hops}")
    query = query.replace("(last:Molecule)", f"(last:Molecule {{name: {target}}})")
    rows = session.run(query).data()
    if setting == "multi_step":
        routes = [[node["id"] for node in row["reaction_nodes"]] for row in rows]
        assert sorted(routes) == sorted(row["route"] for row in question.gold)
    else:
        found = {row["id"]: {key: sorted(row[key]) for key in COLUMNS[1:]} for row in rows}
        assert found == {row["id"]: {key: sorted(row[key]) for key in COLUMNS[1:]} for row in question.gold}
