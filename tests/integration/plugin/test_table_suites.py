"""Suites of table questions: run, scored, gated, sharded and shown like the reaction benchmark."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.roles_api import RolesApi, always
from support.suite import Ran, Suite
from support.table_suites import QUESTIONS, TALLEST, TEAMS, question, write_suite_folder

from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.kg.server.open import start_server
from retrocypher.kg.suites.loading import fingerprint_of_graph, load_graph
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.plugins.cli.main import cli

ROWS = {question_["id"] for question_ in QUESTIONS}


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """A server with the graph of the suite."""
    read = read_simplekg(write_suite_folder(tmp_path_factory.mktemp("teams")) / "graph.json")
    with start_server(
        "local",
        graph_fingerprint=fingerprint_of_graph(read),
        load_graph=lambda driver: load_graph(driver, read),
    ) as running:
        yield running.endpoint


@pytest.fixture
def server(teams: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    """The same server, whose user the environment names for one test."""
    monkeypatch.setenv("NEO4J_USER", teams.user)
    monkeypatch.setenv("NEO4J_PASSWORD", teams.password)
    return teams


@pytest.fixture
def run(suite: Suite, server: Endpoint, tmp_path: Path) -> Suite:
    """Run the suite of a folder, which is written where it is not there."""

    def start(*arguments: str, folder: Path | None = None, **keywords: Any) -> Ran:
        if folder is None:
            folder = write_suite_folder(tmp_path / "teams")
        return suite(f"--suite={folder}", f"--graph={server.uri}", *arguments, **keywords)

    return start


def command(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)])


def predictions(file: Path, **queries: str | None) -> str:
    lines = [{"question_id": name, "cypher": query} for name, query in queries.items()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"--model=file=file:{file}"


def test_the_oracle_is_right_on_a_graph_that_is_loaded_from_the_suites_file(
    suite: Suite, tmp_path: Path
) -> None:
    folder = write_suite_folder(tmp_path / "teams")

    ran = suite(f"--suite={folder}", "--graph=local", "-n0", "--model=oracle")

    assert ran.status == 0, ran.output
    assert {record["question_id"] for record in ran.records.values()} == ROWS
    assert {record["setting"] for record in ran.records.values()} == {"table"}
    for record in ran.records.values():
        scores = record["scores"]
        assert (scores["ex"], scores["psjs"], scores["executable"], scores["f1"]) == (1, 1, 1, 1)
        assert (record["prompt"], record["shot"], record["passed"]) == ("T1", "ZS", True)
    about = ran.manifest["suite"]
    assert (about["name"], about["version"], about["headline"]) == ("teams", "1", "ex")
    assert ran.manifest["graph"]["fingerprint"] == fingerprint_of_graph(read_simplekg(folder / "graph.json"))
    assert ran.summary["means"]["ex"] == 1
    assert ran.summary["by"]["length"]["short"]["cases"] == 6
    assert {name: each["cases"] for name, each in ran.summary["by"]["template"].items()} == {
        "name": 7,
        "sort": 1,
    }


def test_wrong_queries_get_scores_labels_and_categories(run: Suite, tmp_path: Path) -> None:
    said: dict[str, str | None] = {
        # Names are listed once each: the same rows, but not as often.
        "teams": "MATCH (n:Team) RETURN n.name, n.inception_year",
        "tallest": "MATCH (n:Player) RETURN n.name ORDER BY n.height_cm",
        "players-0": "MATCH (n:Player)-[:playsFor]->(:Team {name: 'Team O'}) RETURN n.name",
        "players-1": "MATCH (n:Player)-[:playsIn]->(:Team {name: 'Team 1'}) RETURN n.name",
        "players-2": "MATCH (n:Player)<-[:playsFor]-(:Team {name: 'Team 2'}) RETURN n.name",
        "players-3": "MATCH (n:Player)-[:playsFor]->(:Team {name: 'Team 3'}) RETURN n.name LIMIT 2",
        "players-4": "MATCH (n:Player-[:playsFor]->(:Team {name: 'Team 4'}) RETURN n.name",
        "players-5": None,
    }

    ran = run("-n0", predictions(tmp_path / "said.jsonl", **said))

    records = {record["question_id"]: record for record in ran.records.values()}
    found = {
        name: (
            each["scores"]["ex"],
            each["scores"]["psjs"],
            round(each["scores"]["f1"], 3),
            each["errors"][0],
        )
        for name, each in records.items()
    }
    assert found == {
        "teams": (0, 1, 0, "return_shape"),
        "tallest": (0, 1, 1, "wrong_aggregation_or_order"),
        "players-0": (0, 0, 0, "wrong_entity"),
        "players-1": (0, 0, 0, "schema_violation:type"),
        "players-2": (0, 0, 0, "traversal_direction"),
        "players-3": (0, 1, 0.667, "limit"),
        "players-4": (0, 0, 0, "syntax_error"),
        "players-5": (0, 0, 0, "no_query"),
    }
    assert {name: each["error_category"] for name, each in records.items()} == {
        "teams": "Wrong Ent/Rel/Property type",
        "tallest": "Results Not Aligned with Question",
        "players-0": "Entity Linking",
        "players-1": "Schema violation",
        "players-2": "Reversed Direction",
        "players-3": "Incorrect Deduplication",
        "players-4": "Syntax Error",
        "players-5": "Syntax Error",
    }
    assert ran.status == 1
    assert "error categories of CypherBench: Syntax Error 2" in ran.output
    shown = command("show", ran.run, "teams-T1-ZS-none-file")
    assert "Team 5" in shown.output
    assert "failed, EX 0.000, F1 0.000" in shown.output


def test_exemplars_come_from_the_training_split_and_never_share_the_match(run: Suite) -> None:
    ran = run("-n2", "--dist=worksteal", "--model=exemplar", "--shot=1S-D-R,1S-S")

    shown = {record["question_id"]: set() for record in ran.records.values()}
    for record in ran.records.values():
        shown[record["question_id"]].add(record["exemplar_id"])
    assert shown["players-0"] == {"train-count"}
    assert set().union(*shown.values()) == {"train-players", "train-count"}
    right = {record["question_id"] for record in ran.records.values() if record["passed"]}
    assert right == set()


def test_a_run_resumes_is_gated_and_compared(run: Suite, tmp_path: Path) -> None:
    folder = write_suite_folder(tmp_path / "here")
    oracle = run(
        "-n0", "--model=oracle", "--gate=ex>=0.9", "--gate=ex by task>=0.9", folder=folder, root=tmp_path
    )
    assert oracle.status == 0, oracle.output
    again = run("-n0", "--model=oracle", folder=folder, run_dir=oracle.run)
    assert "8 of 8" in again.output
    mutant = run("-n0", "--model=mutant:returned_property", "--gate=ex>=0.9", folder=folder)
    assert (mutant.status, mutant.summary["means"]["ex"]) == (1, 0)
    assert "mean EX 1.000" in oracle.output
    compared = json.loads(command("compare", oracle.run, mutant.run, "--json").stdout)
    assert (compared["metric"], len(compared["slices"])) == ("ex", 2)
    listed = json.loads(command("runs", mutant.run, "--json").stdout)["runs"]
    assert [(each["headline"], each["mean"]) for each in listed] == [("ex", 0)]
    refused = command("rescore", oracle.run)
    assert "need its graph" in str(refused.exception)
    page = tmp_path / "page.html"
    assert command("report", oracle.run, mutant.run, "--out", page).exit_code == 0
    assert "all nodes" in page.read_text()
    assert "mean EX" in page.read_text()


def test_shards_of_a_suite_merge_to_the_whole(run: Suite, tmp_path: Path) -> None:
    folder = write_suite_folder(tmp_path / "here")
    parts = [run("-n0", "--model=oracle", f"--shard={number}/2", folder=folder) for number in (1, 2)]
    merged = command("merge", *(part.run for part in parts), "--out", tmp_path / "whole", "--json")
    assert merged.exit_code == 0, merged.output
    summary = json.loads((tmp_path / "whole" / "summary.json").read_text())
    assert (summary["cases"], summary["means"]["ex"]) == (len(QUESTIONS), 1)


def test_abstaining_is_right_where_the_graph_has_no_answer_and_any_reading_will_do(
    run: Suite, tmp_path: Path, api: RolesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    ambiguous = question(
        "oldest",
        "all_nodes",
        "Who is first?",
        "MATCH (n:Team) RETURN min(n.inception_year)",
        readings=["MATCH (n:Player) RETURN min(n.height_cm)"],
    )
    unanswerable = [
        question(f"lacking-{number}", "unanswerable", f"What is the budget of Team {number}?", None)
        for number in range(2)
    ]
    folder = write_suite_folder(tmp_path / "here", [TEAMS, ambiguous, *unanswerable])
    oracle = run("-n0", "--model=oracle", "--prompt=T1", folder=folder)
    assert (oracle.status, oracle.summary["abstention"]["recall"]) == (0, 1), oracle.output

    other = predictions(
        tmp_path / "said.jsonl",
        oldest="MATCH (n:Player) RETURN min(n.height_cm)",
        teams="CANNOT BE ANSWERED",
        **{"lacking-0": "CANNOT BE ANSWERED", "lacking-1": "MATCH (n:Team) RETURN n.budget"},
    )
    ran = run("-n0", other, folder=folder)
    passed = {record["question_id"]: record["passed"] for record in ran.records.values()}
    assert passed == {"oldest": True, "teams": False, "lacking-0": True, "lacking-1": False}
    errors = {record["question_id"]: record["errors"] for record in ran.records.values()}
    assert errors["lacking-1"] == ["answered_unanswerable"]
    assert command("report", ran.run, "--out", tmp_path / "page.html").exit_code == 0
    assert command("show", ran.run, "lacking-1-T1-ZS-none-file").exit_code == 0
    found = ran.summary["abstention"]
    assert (found["precision"], found["recall"]) == (0.5, 0.5)
    assert "cannot be answered: precision 0.500 of 2, recall 0.500 of 2" in ran.output

    api.roles["generator"] = always("The graph has no budgets, so this CANNOT BE ANSWERED.")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any-0123456789abcdef")
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)
    asked = run("-n0", "--model=m", "--loop=cove", folder=folder)
    assert {record["execution"]["status"] for record in asked.records.values()} == {"no_query"}
    assert api.count("corrector") == 0
    messages = (asked.run / "messages.jsonl").read_text().splitlines()
    ends = {json.loads(line)["messages"][-1]["content"][-18:] for line in messages}
    assert ends == {"CANNOT BE ANSWERED"}
    assert len(asked.manifest["addendum"]) == 64
    assert "addendum" not in run("-n0", "--model=oracle", "--task=all_nodes").manifest


def test_a_server_with_another_graph_is_refused(run: Suite, tmp_path: Path) -> None:
    about = f"graph: {{file: graph.json, fingerprint: '{'0' * 64}'}}\n"
    ran = run("-n0", "--model=oracle", folder=write_suite_folder(tmp_path / "here", about=about))
    assert (ran.status, "is not that of the suite teams (000000000000)" in ran.output) == (4, True)
    lacking = [TEAMS | {"cypher": "MATCH (n:Squad) RETURN n.name"}]
    ran = run("-n0", "--model=oracle", folder=write_suite_folder(tmp_path / "squads", lacking))
    assert (ran.status, "no label or relationship type 'Squad', which teams uses" in ran.output) == (4, True)


def test_the_check_lists_each_kind_of_problem(server: Endpoint, tmp_path: Path) -> None:
    wrong = [
        question("fails", "t", "?", "MATCH (n:Team) RETURN n.name / 2"),
        question("empty", "t", "?", "MATCH (n:Team {name: 'none'}) RETURN n.name"),
        question("meant", "t", "?", "MATCH (n:Team {name: 'none'}) RETURN n.name", answer=[]),
        question("other", "t", "?", "MATCH (n:Team) RETURN n.name", answer=[["Team 9"]]),
        question("random", "t", "?", "MATCH (n:Team) RETURN rand()"),
        question("chance", "t", "?", "MATCH (n:Player) RETURN n.height_cm ORDER BY n.name LIMIT 1"),
        question("large", "t", "?", "UNWIND range(1, 100001) AS n RETURN n"),
    ]
    right = [
        # The graph says 0.30000000000000004.
        question("sum", "t", "?", "MATCH (n:Team) RETURN DISTINCT 0.1 + 0.2", answer=[[0.3]]),
        question("fine", "t", "?", "MATCH (n:Player) RETURN n.name ORDER BY n.height_cm LIMIT 3"),
        question("all", "t", "?", "MATCH (n:Player) RETURN n.name ORDER BY n.name LIMIT 100"),
        TEAMS,
        TALLEST,
    ]
    folder = write_suite_folder(tmp_path / "teams", [*wrong, *right])

    done = command("suite", "check", folder, "--server", server.uri, "--json")

    assert done.exit_code == 1, done.output
    found = {each["question"]: each["problem"] for each in json.loads(done.stdout)["problems"]}
    assert found == {
        "fails": "failed",
        "empty": "empty",
        "other": "other_answer",
        "random": "non_deterministic",
        "chance": "order_dependent",
        "large": "truncated",
    }
    slow = [question("slow", "t", "?", "UNWIND range(1, 100000000000) AS n RETURN sum(n)")]
    folder = write_suite_folder(tmp_path / "slow", slow)
    done = command("suite", "check", folder, "--server", server.uri, "--limit", "1", "--json")
    assert [each["problem"] for each in json.loads(done.stdout)["problems"]] == ["slow"]


def test_a_skeleton_of_a_live_graph_runs_as_it_is(suite: Suite, server: Endpoint, tmp_path: Path) -> None:
    made = command("suite", "new", tmp_path / "mine", "--server", server.uri)
    assert made.exit_code == 0, made.output
    checked = command("suite", "check", tmp_path / "mine")
    assert (checked.exit_code, "3 questions checked, 0 problems" in checked.output) == (0, True)
    ran = suite(f"--suite={tmp_path / 'mine'}", "-n0", "--model=oracle")
    assert (ran.status, ran.summary["means"]["ex"]) == (0, 1), ran.output
    again = command("suite", "new", tmp_path / "mine", "--server", server.uri)
    assert "holds other files" in str(again.exception)


def test_the_family_of_unanswerable_questions_about_reactions_is_asked_with_as_many_others(
    live: Suite,
) -> None:
    ran = live(
        "-n2", "--model=oracle", "--task=unanswerable,precursors", "--prompt=P5", "--shot=ZS", "--sample=20"
    )
    tasks = [record["task"] for record in ran.records.values()]
    assert (ran.status, tasks.count("unanswerable"), tasks.count("precursors")) == (0, 10, 10), ran.output
    assert ran.summary["abstention"] == {
        "abstained": 10,
        "unanswerable": 10,
        "right": 10,
        "precision": 1.0,
        "recall": 1.0,
    }
    wrong = live("-n0", "--model=mutant", "--task=unanswerable", "--prompt=P5", "--shot=ZS", "--sample=4")
    again = command("rescore", wrong.run, "--json")
    assert json.loads(again.stdout)["changed"] == 0
