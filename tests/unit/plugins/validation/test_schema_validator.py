"""The verdict on a query that is tried on small graphs."""

import pytest

from retrocypher.benchmarks.instruments.known_queries import HALVES, count_verdicts, known_queries
from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.questions.gold import reference_query, traverse
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.scoring.small_graphs import small_graphs
from retrocypher.plugins.validation.validator import SchemaValidator
from retrocypher.prompts.validation.finding import Convention, Validation
from retrocypher.prompts.validation.question import read_question

TARGET = "CC(=O)Nc1ccc(O)cc1"
PRECURSORS = f"From which direct precursors is {TARGET} made?"
ROUTES = f"Which multi-step reaction chains lead to {TARGET} in exactly 2 reaction steps?"
MAKES = f"MATCH (r:Reaction)-[:PRODUCES]->(:Molecule {{name: {quote(TARGET)}}})"


def validated(query: str, question: str = PRECURSORS, convention: Convention = "as-asked") -> Validation:
    return SchemaValidator(default_schema(), convention).validate(query, question)


@pytest.mark.parametrize(
    ("query", "label", "said"),
    [
        (
            f"MATCH (:Molecule {{name: {quote(TARGET)}}})-[:REACTS_IN]->(r) MATCH (a)-[:REACTS_IN]->(r) "
            "RETURN r.id AS id, a.name AS reactants",
            "endpoint_anchoring",
            "returns a reaction that takes the target as a reactant",
        ),
        (
            f"{MAKES} WHERE r.id < 0 RETURN r.id AS id",
            "empty_result",
            "returns no rows, although the question has an answer there",
        ),
        (
            f"{MAKES} MATCH (a)-[:REACTS_IN]->(r)-[:USES_SOLVENT]->() RETURN r.id AS id, a.name AS reactants",
            "duplicate_or_incomplete",
            "leaves out what has no solvents",
        ),
        (
            f"{MAKES} MATCH (a)-[:REACTS_IN]->(r) WITH r, collect(a.name)[0] AS a "
            "RETURN r.id AS id, a AS reactants",
            "missing_component:reactants",
            "leaves out some of the reactants",
        ),
        (
            f"{MAKES} MATCH (a)-[:REACTS_IN]->(r) RETURN {{id: r.id, reactants: collect(a.name)}} AS row",
            "runtime_error",
            "`r` is used beside an aggregate, and rows are not grouped by it",
        ),
        (
            f"{MAKES} MATCH (:Reaction) MATCH (a)-[:REACTS_IN]->(r) RETURN r.id AS id, a.name AS reactants",
            "duplicate_or_incomplete",
            "returns each row once for each of many nodes",
        ),
    ],
)
def test_a_finding_says_what_goes_wrong_on_a_small_graph(query: str, label: str, said: str) -> None:
    found = validated(query)
    assert found.verdict == "invalid"
    assert found.findings[-1].label == label
    assert said in found.findings[-1].message


@pytest.mark.parametrize(
    "condition",
    ["r.id > 1000", "p.yield < 95", "p.yield > 1", "COUNT { (r)-[:USES_AGENT]->() } < 3", "r.id IS NULL"],
)
def test_a_condition_that_few_reactions_fail_is_found(condition: str) -> None:
    makes = MAKES.replace("[:", "[p:")
    returned = "MATCH (a)-[:REACTS_IN]->(r) RETURN r.id AS id, a.name AS reactants"

    assert validated(f"{makes} {returned}").verdict == "valid"
    query = f"{makes} WHERE {condition} {returned}"

    assert validated(query).verdict == "invalid"


@pytest.mark.parametrize("test", ["type(e) = 'PRODUCES'", "type(e) IN ['PRODUCES']", "e:PRODUCES"])
def test_what_the_rows_contradict_is_no_finding(test: str) -> None:
    query = (
        f"MATCH (:Molecule {{name: {quote(TARGET)}}})-[e]-(r:Reaction) WHERE {test} "
        "MATCH (a)-[:REACTS_IN]->(r) WITH r, collect(a.name) AS reactants "
        "RETURN r.id AS id, reactants LIMIT 3"
    )

    assert [finding.label for finding in validated(query).findings] == ["limit"]


def test_one_of_two_products_is_too_few() -> None:
    query = (
        "MATCH (r:Reaction)-[:PRODUCES]->(m) WITH r, collect(m.name) AS ms "
        "WHERE 'CCO' IN ms XOR 'CCN' IN ms RETURN r.id AS id"
    )

    found = validated(query, "Which reactions produce both CCO and CCN?").findings
    assert [finding.message for finding in found] == [
        "On a small test graph, the query returns a reaction that makes only some of them."
    ]


ROUTE = f"MATCH p = (s:Molecule)-[:REACTS_IN|PRODUCES*4]->(:Molecule {{name: {quote(TARGET)}}})"
RETURNED = "RETURN [n IN nodes(p) WHERE n:Reaction | n.id] AS route"
BEST = f"Which reaction that makes {TARGET} has the best yield?"
YIELD = f"MATCH (r:Reaction)-[p:PRODUCES]->(:Molecule {{name: {quote(TARGET)}}}) WHERE p.yield IS NOT NULL"


@pytest.mark.parametrize(
    ("query", "question", "label", "said"),
    [
        (f"{ROUTE} {RETURNED} LIMIT 3", ROUTES, "limit", "no more than 3 of the answers"),
        (f"{ROUTE} {RETURNED} SKIP 1", ROUTES, "limit", "leaves out 1 of the answers"),
        (f"{ROUTE} WITH collect(p)[..2] AS ps UNWIND ps AS p {RETURNED}", ROUTES, "limit", "no more than 2"),
        (
            f"{ROUTE} WITH s, head(collect(p)) AS p {RETURNED}",
            ROUTES,
            "duplicate_or_incomplete",
            "some of several answers that are alike",
        ),
        (
            f"{ROUTE} WHERE all(e IN relationships(p) WHERE e:REACTS_IN OR e.yield > 70) {RETURNED}",
            ROUTES,
            "other",
            "chooses by the lowest yield",
        ),
        (
            f"{ROUTE} WITH p, nodes(p)[2] AS m WHERE COUNT {{ (m)-[:REACTS_IN]->() }} = 1 {RETURNED}",
            ROUTES,
            "other",
            "chooses by something that the question does not ask for",
        ),
        (f"{ROUTE.replace('*4', '*3')} {RETURNED}", ROUTES, "path_length", "no path of 3 relationships"),
        (
            f"{ROUTE.replace('REACTS_IN|PRODUCES', 'REACTS_IN')} {RETURNED}",
            ROUTES,
            "wrong_relationship",
            "only follows REACTS_IN",
        ),
        (
            f"{YIELD} RETURN r.id AS id, p.yield AS yield ORDER BY p.yield DESC LIMIT 2",
            BEST,
            "limit",
            "further reactions after the best one",
        ),
        (
            f"{YIELD} RETURN r.id AS id, p.yield AS yield ORDER BY p.yield DESC",
            BEST,
            "limit",
            "further reactions after the best one",
        ),
        (
            f"{MAKES} MATCH (r)-[:USES_SOLVENT]->() MATCH (r)-[:USES_AGENT]->() RETURN r.id AS id",
            f"Which reactions make {TARGET}?",
            "duplicate_or_incomplete",
            "leaves out what has no agents and solvents",
        ),
        (
            f"{MAKES} MATCH (a)<-[:USES_AGENT]-(r) RETURN DISTINCT a.name AS reactant",
            PRECURSORS,
            "wrong_relationship",
            "returns the agents as reactants",
        ),
        (
            f"{MAKES} MATCH (a)-[:REACTS_IN]->(r) WITH r, collect(a.name) AS names "
            "RETURN r.id AS id, head(names) AS reactants",
            PRECURSORS,
            "missing_component:reactants",
            "leaves out some of the reactants",
        ),
    ],
)
def test_what_is_wrong_is_told_by_what_the_query_returns(
    query: str, question: str, label: str, said: str
) -> None:
    found, *_ = validated(query, question).findings

    assert found.label == label
    assert said in found.message


@pytest.mark.parametrize(
    ("query", "question", "unread"),
    [
        (f"{MAKES} MATCH (a)-[:REACTS_IN]->(r) RETURN stDev(r.id) AS reactants", PRECURSORS, "stDev"),
        (f"{MAKES} MATCH (a)-[:REACTS_IN]->(r) RETURN a", f"What is {TARGET} good for?", "asks for"),
        (
            f"{MAKES} RETURN r",
            f"Which reaction chains of two to four steps lead to {TARGET}?",
            "routes of any number of steps",
        ),
    ],
)
def test_what_cannot_be_tried_is_no_valid_query(query: str, question: str, unread: str) -> None:
    found = validated(query, question)
    assert (found.valid, found.findings, found.verdict) == (True, (), "not_read")
    assert unread in found.not_read


def test_a_path_that_goes_against_the_arrows_is_found() -> None:
    query = (
        f"MATCH path = (:Molecule)-[:REACTS_IN|PRODUCES*4]-(:Molecule {{name: {quote(TARGET)}}}) "
        "RETURN [node IN nodes(path) WHERE node:Reaction] AS reactions"
    )
    found = validated(query, ROUTES)
    assert found.verdict == "invalid"
    assert "only among the reactants of the step before" in found.findings[-1].message


def test_a_question_for_some_of_the_reactions_is_not_taken_for_one_for_all() -> None:
    for wanted in ("the three best", "the 3 highest yielding", "two"):
        assert read_question(f"List {wanted} reactions to make {TARGET}.").intent is None
    assert read_question(f"List the three step routes to {TARGET}.").intent == "chains_to_target"


def test_a_limit_within_a_limit_is_no_fault_of_the_validator() -> None:
    query = (
        f"{MAKES} MATCH (a)-[:REACTS_IN]->(r) MATCH (r)-[:USES_SOLVENT]->() RETURN r.id AS id, "
        "a.name AS reactants LIMIT COUNT { MATCH (x:Reaction) RETURN x LIMIT 3 }"
    )

    assert validated(query).verdict == "invalid"


@pytest.mark.parametrize(
    "question",
    [
        ROUTES.replace("exactly 2", "exactly 1000000"),
        f"Which reactions produce all of {', '.join('C' * (2 + each) + 'O' for each in range(13))}?",
    ],
)
def test_a_question_about_very_much_is_not_read(question: str) -> None:
    said = validated(f"{ROUTE} {RETURNED}", question)

    assert said.verdict != "valid"


def test_rows_that_come_several_times_are_right() -> None:
    query = f"{MAKES} MATCH (r)-[:USES_SOLVENT]->(s) MATCH (r)-[:PRODUCES]->() RETURN s.name AS solvents"

    assert validated(query, f"Which solvents are used to make {TARGET}?").valid


@pytest.mark.parametrize("half", HALVES)
def test_the_known_queries_are_as_many_as_their_description_says(half: str) -> None:
    queries = list(known_queries(half))  # type: ignore[arg-type]
    wrong = [each for each in queries if each.mistake is not None]
    assert (len(queries) - len(wrong), len(wrong)) == {"seen": (826, 881), "held_out": (875, 920)}[half]
    assert len({each.id for each in queries}) == len(queries)


def test_right_queries_of_many_forms_are_valid_and_wrong_ones_are_not() -> None:
    counts = count_verdicts(list(known_queries("seen"))[::12])
    assert not counts.alarms
    assert counts.missed.total() <= 0.02 * counts.wrong.total()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("steps", [2, 5])
def test_a_small_graph_has_an_answer_and_more_reactions_than_belong_to_it(task: str, steps: int) -> None:
    slots = {"target": "CCO", "products": ["CCO", "CO"], "start": "CC", "steps": steps}
    question = {
        "multi_product": "Which reactions make both CCO and CO?",
        "chains_between": f"Which reaction pathways turn CC into CCO in exactly {steps} reaction steps?",
        "chains_to_target": f"Which reaction chains lead to CCO in exactly {steps} reaction steps?",
        "intermediates": f"Which intermediates occur on the way to CCO in exactly {steps} reaction steps?",
        "multi_step_precursors": f"From which precursors is CCO made in exactly {steps} reaction steps?",
        "best_yield": "Which reaction makes CCO directly with the best yield?",
        "co_products": "Which co-products form when a reaction makes CCO directly?",
        "conditions": "Which solvents are used in reactions that make CCO directly?",
        "precursors": "From which direct precursors is CCO made?",
        "producing_reactions": "Which reactions make CCO directly?",
    }[task]
    asked = read_question(question)
    assert asked.intent == task
    if task != "chains_between":
        slots.pop("start")
    first = small_graphs(asked)[0]
    gold = traverse(first.network, task, slots)
    right = {number for row in gold for number in row.get("route", [row.get("id")])}
    assert right
    assert right < {reaction.id for reaction in first.reactions}
    assert len({reaction.id for reaction in first.reactions}) == len(first.reactions)
    found = SchemaValidator(default_schema(), "benchmark").validate(reference_query(task, slots), question)
    assert found.verdict == "valid"
