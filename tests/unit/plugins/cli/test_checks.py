"""`retrocypher check` and `retrocypher verify`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.claims_graph import asking_reactions
from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.cli.verify import judge_lines, lines_of, report, verify_command
from retrocypher.plugins.runs.written_answer import Thresholds

QUESTION = "Which reactions give CC(=O)OCC directly?"
RIGHT = "MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule {name: 'CC(=O)OCC'}) RETURN r.id"
TURNED = "MATCH (r:Reaction)<-[:PRODUCES]-(m:Molecule {name: 'CC(=O)OCC'}) RETURN r.id"


Check = Callable[..., Result]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Runs the command on a file of these lines."""

    def run(lines: list[object], *options: str) -> Result:
        file = tmp_path / "answers.jsonl"
        texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
        file.write_text("\n".join(texts), "utf-8")
        return CliRunner().invoke(cli, ["check", str(file), *options], catch_exceptions=False)

    return run


def entry(cypher: str | None) -> dict[str, str | None]:
    return {"question": QUESTION, "cypher": cypher}


def labels(result: Result) -> list[str]:
    return [each["label"] for each in json.loads(result.output)["findings"]]


def test_a_wrong_query_is_told_with_its_place_and_corrected(check: Check) -> None:
    result = check([entry(RIGHT), "", entry(TURNED)])
    assert result.exit_code == 1
    assert "answers.jsonl:1: ok (producing_reactions)" in result.output
    assert "answers.jsonl:3: wrong" in result.output
    assert "  query 1:19: traversal_direction:" in result.output
    assert f"    {RIGHT}" in result.output
    assert "1 of 2 queries have findings." in result.output
    result = check([entry(RIGHT)])
    assert result.exit_code == 0
    assert "0 of 1 query has findings." in result.output
    # What steers a terminal is not written to it.
    assert "\x1b" not in check([entry("MATCH (n) RETURN n.`\x1b[31mred`")]).output


def test_an_answer_without_a_query_is_judged_and_what_follows_too(check: Check) -> None:
    """Records of a run and files of predictions have such lines."""
    result = check([entry(None), entry(RIGHT)])
    assert result.exit_code == 1
    message = "answers.jsonl:1: wrong (producing_reactions)\n  query 1:1: no_query: There is no query"
    assert message in result.output
    assert "1 of 2 queries have findings." in result.output
    result = check([entry(None)], "--json")
    found = json.loads(result.output)
    assert (found["cypher"], found["corrected"], labels(result)) == (None, None, ["no_query"])


@pytest.mark.parametrize(
    "answer",
    [
        "```cypher\n{}\n```",
        "Here is the query:\n\n```\n{}\n```\nIt returns the ids.",
        "<think>MATCH (n) RETURN n</think>\n{}",
        "The query is: {}",
    ],
)
def test_an_answer_is_searched_for_its_query(check: Check, answer: str) -> None:
    result = check([entry(answer.format(RIGHT)), entry(answer.format(TURNED))])
    assert "answers.jsonl:1: ok (producing_reactions)" in result.output
    assert "  query 1:19: traversal_direction:" in result.output
    assert result.output.count("note: Only the query within the completion was checked.") == 2
    found = json.loads(check([entry(answer.format(RIGHT))], "--json").output)
    assert (found["query"], found["cypher"]) == (RIGHT, answer.format(RIGHT))


@pytest.mark.parametrize("text", ["MATCH (r:Reaction RETURN r.id", "No such reaction.", "```\n```"])
def test_what_holds_no_whole_query_is_judged_as_it_is(check: Check, text: str) -> None:
    result = check([entry(text)], "--json")
    assert labels(result) == ["syntax_error"]
    assert json.loads(result.output)["query"] == text


@pytest.mark.parametrize("query", [f"{RIGHT} // \ud800", RIGHT.replace("'CC", "'\udc00CC")])
def test_half_a_surrogate_pair_is_what_the_server_makes_of_it(check: Check, query: str) -> None:
    result = check([entry(query)])
    assert result.exit_code == 1
    assert ": syntax_error: Half a surrogate pair" in result.output


def test_where_the_question_is_not_read_ok_means_less(check: Check) -> None:
    result = check([{"question": "Which reactions use CC(=O)OCC?", "cypher": RIGHT}])
    assert "answers.jsonl:1: ok by the schema alone (the intent of the question is unknown)" in result.output
    assert "  note: " in result.output


def test_json_has_one_object_a_line(check: Check) -> None:
    result = check([entry(RIGHT), entry(TURNED)], "--json")
    right, turned = map(json.loads, result.output.splitlines())
    assert (right["line"], right["valid"], right["findings"], right["turned"]) == (1, True, [], [])
    assert right["asked"]["intent"] == "producing_reactions"
    assert right["asked"]["molecules"] == [{"name": "CC(=O)OCC", "role": "target"}]
    assert turned["findings"][0]["label"] == "traversal_direction"
    assert turned["corrected"] == RIGHT
    assert len(turned["turned"]) == 1
    # The convention decides what must be returned.
    result = check([entry(RIGHT)], "--convention", "benchmark", "--json")
    assert (labels(result)[0], result.exit_code) == ("missing_component:reactants", 1)


def test_a_schema_from_a_file_decides(check: Check, tmp_path: Path) -> None:
    schema = tmp_path / "schema.txt"
    schema.write_text(DEFAULT_SCHEMA_TEXT.replace("PRODUCES", "GIVES"), "utf-8")
    result = check([entry(RIGHT)], "--schema", str(schema), "--json")
    assert labels(result) == ["schema_violation:type"]
    found = json.loads(result.output)
    assert "GIVES" in found["findings"][0]["message"]
    assert "the graph is no reaction graph" in found["not_read"]
    with pytest.raises(InputError, match="--schema"):
        check([entry(RIGHT)], "--schema", str(schema), "--server", "bolt://localhost")


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
    ids=range(7),
)
def test_a_broken_line_is_an_error_with_its_number(check: Check, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check([entry(RIGHT), line])


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(b"\xff\xfe")
    assert "not UTF-8 at byte 0" in str(CliRunner().invoke(cli, ["check", str(file)]).exception)


GOOD = json.dumps({"question": "", "answer": "Reaction 12 turns CCO into CC=O.\x1b[m"}).encode()


def judged(*lines: bytes, as_json: bool) -> int:
    judged = judge_lines(lines_of(lines), Verifier(asking_reactions()), Thresholds())
    return report("answers", judged, as_json)


@pytest.mark.parametrize(
    "options",
    [["--verified", "0.5", "--partial", "0.7"], ["--evidence-confidence", "0.5"]],
)
def test_thresholds_must_fit(options: list[str]) -> None:
    result = CliRunner().invoke(verify_command, ["-", *options])
    assert isinstance(result.exception, InputError)
    assert options[-2] in str(result.exception)


@pytest.mark.parametrize("option", ["--verified", "--partial", "--tolerance"])
def test_nan_is_no_threshold(option: str) -> None:
    result = CliRunner().invoke(verify_command, ["-", option, "nan"])
    assert result.exit_code == 2
    assert f"'{option}': nan is not a number" in result.output


def test_a_file_without_an_answer_is_not_verified(capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(b"\xef\xbb\xbf\r\n", b"\n", as_json=True) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "answers has no answer.\n")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"\xff", "not UTF-8"),
        (b"nope", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not an object"),
        (b'{"answer": ""}', '"question" is no text'),
        (b'{"question": "", "answer": 3}', '"answer" is no text'),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_line_that_cannot_be_used_is_named_and_the_next_is_judged(
    line: bytes, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judged(line, b"\n", GOOD, as_json=False) == 1
    printed = capsys.readouterr()
    assert "answers, line 1: " in printed.err
    assert error in printed.err
    assert "answers:3: VERIFIED (2 of 2 claims supported)" in printed.out
    assert "\x1b" not in printed.out


def test_each_answer_is_one_object_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(GOOD, GOOD, as_json=True) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["line"], second["line"], first["verdict"]) == (1, 2, "VERIFIED")
    assert first["claims"][0]["subject"] == "CCO"
