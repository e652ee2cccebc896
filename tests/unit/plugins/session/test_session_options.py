"""Options: what is read, what is refused, and what never reaches a manifest."""

import pytest
from support.options import FakeConfig

from retrocypher.kg.errors import InputError
from retrocypher.kg.secrets import without_password
from retrocypher.plugins.session.options import Options, read_options


def read(command_line: dict[str, object], settings: dict[str, object] | None = None) -> Options:
    return read_options(FakeConfig(command_line, settings))  # type: ignore[arg-type]


def test_defaults_are_the_contract() -> None:
    options = read({})
    assert (options.prompt, options.shot, options.model) == (("P5", "P10"), ("1S-D-S",), ())
    assert (options.graph, options.sample) == ("auto", None)
    assert (options.query_timeout, options.case_threshold, options.seed) == (30.0, 1.0, 0)


def test_commas_and_repetition_are_alike_but_a_model_keeps_its_commas() -> None:
    assert read({"prompt": ["P8,P5", "P5"]}).prompt == ("P8", "P5")
    mutant = "mutant:reverse_arrow,drop_component"
    assert read({"model": [mutant]}).model == (mutant,)


def test_the_command_line_wins_over_pyproject() -> None:
    options = read({"sample": "5"}, {"sample": "7", "seed": "3"})
    assert (options.sample, options.seed) == (5, 3)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("sample", "ten", "--sample ten: not a whole number; give one of at least 1"),
        ("sample", "0", "--sample 0: out of range; give a number of at least 1"),
        ("case_threshold", "100%", "--case-threshold 100%: not a number; give one from 0 to 1"),
        ("seed", "-1", "--seed -1: out of range"),
        ("query_timeout", "0", "--query-timeout 0: out of range"),
        ("query_timeout", "nan", "--query-timeout nan: out of range"),
        ("query_timeout", "inf", "--query-timeout inf: out of range"),
        ("case_threshold", "1.5", "--case-threshold 1.5: out of range"),
        ("concurrency", "0", "--concurrency 0: out of range"),
    ],
)
def test_a_bad_number_is_refused_by_name(name: str, value: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read({name: value})


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("bolt://neo4j:secret@localhost:7687", "bolt://neo4j:***@localhost:7687"),
        ("neo4j+s://user:p@ss@host/x", "neo4j+s://user:***@host/x"),
        ("bolt://localhost:7687", "bolt://localhost:7687"),
        ("auto", "auto"),
    ],
)
def test_a_password_is_blotted_out(uri: str, shown: str) -> None:
    assert without_password(uri) == shown
    assert read({"graph": uri}).to_json()["graph"] == shown
