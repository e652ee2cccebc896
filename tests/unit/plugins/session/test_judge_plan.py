"""The judge of a session, as options name it."""

import pytest
from support.options import FakeConfig

from retrocypher.kg.errors import InputError
from retrocypher.plugins.session.options import Options, read_options
from retrocypher.plugins.session.side_plans import judge_lines, judge_plan

KEY = {"OPENAI_API_KEY": "k"}


def read(**options: str) -> Options:
    given = {name.replace("_", "-"): value for name, value in options.items()}
    return read_options(FakeConfig({**given, **options}))  # type: ignore[arg-type]


def test_nobody_judges_unless_named() -> None:
    assert judge_plan(read(), KEY) is None
    assert judge_lines(None, read()) == []
    assert judge_lines(None, read(judge_rows="3")) == [
        "note: --judge-rows 3 has no effect: there is no judge"
    ]


def test_a_judge_is_named_with_what_it_judges_by() -> None:
    options = read(judge="strict=gpt-x", judge_rows="3")
    plan = judge_plan(options, KEY)
    assert plan is not None
    (line,) = judge_lines(plan, options)
    assert line == f"judge: strict, criteria {plan.criteria.sha256[:8]}, shown up to 3 rows"


@pytest.mark.parametrize("rows", ["-1", "x", "1.5"])
def test_rows_are_a_number(rows: str) -> None:
    with pytest.raises(InputError, match="--judge-rows"):
        read(judge_rows=rows)


def test_who_cannot_judge_is_refused() -> None:
    with pytest.raises(InputError, match="--judge oracle: oracle reads no messages"):
        judge_plan(read(judge="oracle"), KEY)
