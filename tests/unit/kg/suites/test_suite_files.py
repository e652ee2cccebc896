"""The files of a suite: each fault is one error that names the file, the place and the remedy."""

import json
from pathlib import Path

import pytest
from support.table_suites import QUESTIONS, TEAMS, question, write_suite_folder

from retrocypher.kg.errors import InputError
from retrocypher.kg.suites.questions import asked, read_questions, write_questions
from retrocypher.kg.suites.suite import read_suite, suite_folder, write_suite
from retrocypher.plugins.session.manifest import graph_of_suite
from retrocypher.plugins.session.suites import read_table_suite


def test_a_suite_is_read_as_written(tmp_path: Path) -> None:
    folder = write_suite_folder(tmp_path)
    suite = read_table_suite(folder)
    assert [each.id for each in suite.question_set.questions] == [each["id"] for each in QUESTIONS]
    assert [each.id for each in suite.bank] == ["train-players", "train-count"]
    assert list(suite.prompts) == ["T1"]
    assert suite.tasks == ("all_nodes", "one_hop_named")
    write_suite(folder, suite.about)
    assert read_suite(folder) == suite.about
    questions = read_questions(folder)
    write_questions(folder, questions)
    assert read_questions(folder) == questions


def test_a_question_keeps_what_slices_and_clusters_need(tmp_path: Path) -> None:
    found = {each.id: asked(each) for each in read_questions(write_suite_folder(tmp_path))}
    players = found["players-3"]
    assert players.table.slices == {"template": "name", "length": "short"}
    assert players.table.entities == ("Team:Team 3",)
    assert found["teams"].gold == [{"row": [f"Team {number}"]} for number in range(6)]


def test_only_the_slices_of_the_suite_are_kept(tmp_path: Path) -> None:
    about = "graph: {file: graph.json}\nslices: [length]\n"
    suite = read_table_suite(write_suite_folder(tmp_path, about=about))
    named = {each.id: each.table.slices for each in suite.question_set.questions}
    assert (named["players-3"], named["teams"]) == ({"length": "short"}, {})


def test_files_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    folder = write_suite_folder(tmp_path)
    for name in ("suite.yaml", "questions.jsonl"):
        (folder / name).write_bytes(b"\xef\xbb\xbf" + (folder / name).read_bytes())
    assert read_table_suite(folder).about.name == "teams"


def test_shipped_suites_are_found_by_name() -> None:
    assert read_suite(suite_folder("reactions")).answers == ("context", "routes")
    with pytest.raises(InputError, match="a suite of reactions, not of tables"):
        read_table_suite(suite_folder("reactions"))
    with pytest.raises(InputError, match=r"no such suite\. Shipped: .*reactions; or name a folder"):
        suite_folder("no-such")


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ("graph: {}\n", "graph must have exactly one of file, uri and reactions"),
        ("graph: {file: a.json, uri: bolt://here}\n", "exactly one of"),
        ("graph: [\n", r"suite.yaml, line \d+: not valid YAML"),
        ("graph: {file: ../graph.json}\n", "is outside of the folder; move it there"),
        ("graph: {file: graph.json}\nanswers: [context]\n", "answers are .context, routes. for a graph"),
        ("graph: {file: graph.json}\nlicence: " + "[" * 5_000, "nested too deeply|not valid YAML"),
        ("graph: {file: graph.json}\nextra: 1\n", "suite.yaml: unknown field `extra`"),
        ("graph: {file: other.json}\n", r"other.json: no such file; .*suite.yaml names it"),
        ("graph: {file: graph.json}\nheadline: 3\n", "suite.yaml: headline: expected `str`, got `int`"),
        ("graph: {file: graph.json}\nheadline: f3\n", "headline: no such metric 'f3'"),
        ("graph: {file: graph.json}\nmetrics: [ex, bad]\n", "metrics: no such metric 'bad'"),
        ("graph: {file: graph.json}\nprompts: [T9]\n", "prompts: no such prompt 'T9'"),
        ("graph: {file: graph.json}\nshots: [2S]\n", "shots: no such shot '2S'"),
        ("graph: {file: graph.json}\ntasks: [nope]\n", "tasks: no such task 'nope'; choose from all_nodes"),
        ("graph: {file: graph.json}\nslices: [size]\n", "slices: no such slice 'size'.*template, length"),
    ],
)
def test_a_wrong_description_is_refused(about: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_table_suite(write_suite_folder(tmp_path, about=about))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "questions.jsonl, line 2: not valid JSON .Expecting property name.*at character 2"),
        ("[" * 100_000, "questions.jsonl, line 2: nested too deeply"),
        ("1" * 5_000, "questions.jsonl, line 2: not valid JSON .Exceeds the limit"),
        ("[]", "line 2: Expected `object`, got `array`"),
        (json.dumps(question("a", "t", "", "RETURN 1")), "line 2: id, task and question must not be empty"),
        (json.dumps(TEAMS), "line 2: the id 'teams' is that of line 1"),
        (json.dumps({"id": "a", "task": "t", "question": "?"}), "line 2: cypher is missing"),
        (json.dumps(question("a", "t", "?", "RETURN 1", facts={"task": "x"})), "'task' in facts"),
        (json.dumps(question("a", "t", "?", "RETRUN 1")), "line 2: the reference query of a is no Cypher"),
        (json.dumps(question("a", "t", "?", "RETURN 1", entities=["Ann"])), "write 'Ann' as Label:name"),
        (json.dumps(question("a", "t", "?", "RETURN 1", readings=["RETURN"])), "reference query of a is no"),
        (json.dumps(question("a", "t", "?", "CREATE (n) RETURN n")), "reference query of a writes"),
        (json.dumps(question("a", "t", "?", "MATCH (n)")), "query of a returns nothing; end it with RETURN"),
        (json.dumps(question("a", "t", "?", "RETURN $b")), "query of a has a parameter; write its value"),
        (
            json.dumps(question("a", "t", "?", "CALL dbms.components() YIELD name RETURN name")),
            "query of a is refused: It calls the procedure dbms.components",
        ),
        (
            json.dumps(question("a", "t", "?", "LOAD CSV FROM 'x' AS line RETURN line")),
            "query of a is refused: It reads a file",
        ),
        (
            json.dumps(question("a", "t", "?", None, readings=["RETURN 1"])),
            "a has readings, but no reference",
        ),
    ],
)
def test_a_wrong_question_is_refused(line: str, message: str, tmp_path: Path) -> None:
    folder = write_suite_folder(tmp_path, [TEAMS])
    with (folder / "questions.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match=message):
        read_table_suite(folder)


def test_a_suite_without_a_question_to_ask_is_refused(tmp_path: Path) -> None:
    folder = write_suite_folder(tmp_path, [TEAMS | {"split": "train"}])
    with pytest.raises(InputError, match="holds no question of the test split"):
        read_table_suite(folder)


def test_a_line_separator_in_a_name_does_not_end_a_line(tmp_path: Path) -> None:
    folder = write_suite_folder(tmp_path, [TEAMS | {"entities": ["Team:A\u2028B"]}])
    write_questions(folder, read_questions(folder))
    assert read_questions(folder)[0].entities == ["Team:A\u2028B"]


def test_a_folder_with_a_path_is_never_a_shipped_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite_folder(tmp_path / "flights")
    monkeypatch.chdir(tmp_path)
    assert read_suite(suite_folder("./flights")).name == "teams"
    assert read_suite(suite_folder("flights")).name == "flights"


def test_a_label_that_the_file_lacks_is_refused_before_a_server_is_asked(tmp_path: Path) -> None:
    suite = read_table_suite(
        write_suite_folder(tmp_path, [question("a", "t", "Which clubs?", "MATCH (n:Club) RETURN n.name")])
    )
    with pytest.raises(InputError, match=r"no label or relationship type 'Club', which a uses"):
        graph_of_suite("bolt://127.0.0.1:1", suite)
