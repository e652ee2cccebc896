import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.check import check_command
from retrocypher.plugins.cli.main import main

QUESTION = "Which reactions give CC(=O)OCC directly?"
RIGHT = "MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule {name: 'CC(=O)OCC'}) RETURN r.id"
TURNED = "MATCH (r:Reaction)<-[:PRODUCES]-(m:Molecule {name: 'CC(=O)OCC'}) RETURN r.id"


def check(tmp_path: Path, lines: list[object], *options: str) -> Result:
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), "utf-8")
    return CliRunner().invoke(check_command, [str(file), *options])


def entry(cypher: str) -> dict[str, str]:
    return {"question": QUESTION, "cypher": cypher}


def test_a_right_query_passes(tmp_path: Path) -> None:
    result = check(tmp_path, [entry(RIGHT), ""])
    assert result.exit_code == 0
    assert "answers.jsonl:1: ok (producing_reactions)" in result.output
    assert "0 of 1 query has findings." in result.output


def test_a_wrong_query_is_told_with_its_place_and_corrected(tmp_path: Path) -> None:
    result = check(tmp_path, [entry(RIGHT), entry(TURNED)])
    assert result.exit_code == 1
    assert "answers.jsonl:2: wrong" in result.output
    assert "  query 1:19: traversal_direction:" in result.output
    assert "    MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule {name: 'CC(=O)OCC'}) RETURN r.id" in result.output
    assert "1 of 2 queries have findings." in result.output


def test_an_answer_without_a_query_is_judged_and_what_follows_too(tmp_path: Path) -> None:
    """Records of a run and files of predictions have such lines."""
    none = {"question": QUESTION, "cypher": None}
    result = check(tmp_path, [none, entry(RIGHT)])
    assert result.exit_code == 1
    assert (
        "answers.jsonl:1: wrong (producing_reactions)\n  query 1:1: no_query: There is no query"
        in result.output
    )
    assert "1 of 2 queries have findings." in result.output
    found = json.loads(check(tmp_path, [none], "--json").output)
    assert (found["cypher"], found["corrected"]) == (None, None)
    assert [each["label"] for each in found["findings"]] == ["no_query"]


@pytest.mark.parametrize(
    "answer",
    [
        "```cypher\n{}\n```",
        "Here is the query:\n\n```\n{}\n```\nIt returns the ids.",
        "<think>MATCH (n) RETURN n</think>\n{}",
        "The query is: {}",
    ],
)
def test_an_answer_is_searched_for_its_query(tmp_path: Path, answer: str) -> None:
    result = check(tmp_path, [entry(answer.format(RIGHT)), entry(answer.format(TURNED))])
    assert "answers.jsonl:1: ok (producing_reactions)" in result.output
    assert "  query 1:19: traversal_direction:" in result.output
    assert result.output.count("note: Only the query within the completion was checked.") == 2
    found = json.loads(check(tmp_path, [entry(answer.format(RIGHT))], "--json").output)
    assert (found["query"], found["cypher"]) == (RIGHT, answer.format(RIGHT))


@pytest.mark.parametrize("text", ["MATCH (r:Reaction RETURN r.id", "No such reaction.", "```\n```"])
def test_what_holds_no_whole_query_is_judged_as_it_is(tmp_path: Path, text: str) -> None:
    found = json.loads(check(tmp_path, [entry(text)], "--json").output)
    assert [each["label"] for each in found["findings"]] == ["syntax_error"]
    assert found["query"] == text


@pytest.mark.parametrize("query", [f"{RIGHT} // \ud800", RIGHT.replace("'CC", "'\udc00CC")])
def test_half_a_surrogate_pair_is_what_the_server_makes_of_it(tmp_path: Path, query: str) -> None:
    result = check(tmp_path, [entry(query)])
    assert result.exit_code == 1
    assert ": syntax_error: Half a surrogate pair" in result.output


def test_where_the_question_is_not_read_ok_means_less(tmp_path: Path) -> None:
    unread = "Which reactions use CC(=O)OCC?"
    result = check(tmp_path, [{"question": unread, "cypher": RIGHT}])
    assert "answers.jsonl:1: ok by the schema alone (the intent of the question is unknown)" in result.output
    assert "  note: " in result.output


@pytest.mark.parametrize(("line", "status"), [(entry(RIGHT), 0), (entry(TURNED), 1), ({}, 2)])
def test_the_exit_status_tells_findings_from_bad_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: object,
    status: int,
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps(line), "utf-8")
    monkeypatch.setattr("sys.argv", ["retrocypher", "check", str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == status
    assert capsys.readouterr().err.startswith("error: " if status == 2 else "")


def test_json_has_one_object_a_line(tmp_path: Path) -> None:
    result = check(tmp_path, [entry(RIGHT), entry(TURNED)], "--json")
    right, turned = map(json.loads, result.output.splitlines())
    assert (right["line"], right["valid"], right["findings"], right["turned"]) == (1, True, [], [])
    assert right["asked"]["intent"] == "producing_reactions"
    assert right["asked"]["molecules"] == [{"name": "CC(=O)OCC", "role": "target"}]
    assert [each["label"] for each in turned["findings"]] == ["traversal_direction"]
    assert turned["corrected"] == RIGHT
    assert len(turned["turned"]) == 1


def test_the_convention_decides_what_must_be_returned(tmp_path: Path) -> None:
    result = check(tmp_path, [entry(RIGHT)], "--convention", "benchmark", "--json")
    assert [each["label"] for each in json.loads(result.output)["findings"]] == ["missing_component"]
    assert result.exit_code == 1


def test_a_schema_from_a_file_decides(tmp_path: Path) -> None:
    schema = tmp_path / "schema.txt"
    schema.write_text(DEFAULT_SCHEMA_TEXT.replace("PRODUCES", "GIVES"), "utf-8")
    result = check(tmp_path, [entry(RIGHT)], "--schema", str(schema), "--json")
    found = json.loads(result.output)
    assert [each["label"] for each in found["findings"]] == ["schema_violation:type"]
    assert "GIVES" in found["findings"][0]["message"]
    assert "only its schema is checked" in found["note"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: not an object"),
        ('{"question": "What?"}', 'line 2: "cypher" is missing'),
        ('{"question": 7, "cypher": "RETURN 1"}', 'line 2: "question" is no text'),
        ('{"question": null, "cypher": "RETURN 1"}', 'line 2: "question" is no text'),
        ('{"question": "What?", "cypher": 7}', 'line 2: "cypher" is no text'),
        ("[" * 100_000, "line 2: not JSON"),
    ],
)
def test_a_broken_line_is_an_error_with_its_number(tmp_path: Path, line: str, message: str) -> None:
    result = check(tmp_path, [entry(RIGHT), line])
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(b"\xff\xfe")
    result = CliRunner().invoke(check_command, [str(file)])
    assert isinstance(result.exception, InputError)
    assert "not UTF-8 at byte 0" in str(result.exception)


def test_two_schemas_are_one_too_many(tmp_path: Path) -> None:
    result = check(tmp_path, [entry(RIGHT)], "--schema", __file__, "--uri", "bolt://localhost")
    assert isinstance(result.exception, InputError)


def test_what_steers_a_terminal_is_not_written_to_it(tmp_path: Path) -> None:
    result = check(tmp_path, [entry("MATCH (n) RETURN n.`\x1b[31mred`")])
    assert "\x1b" not in result.output
