"""What an error of the server means for the query."""

import pytest

from retrocypher.kg.execution.execution import Trouble, Unauthorised, judge, judge_planning, without_prefix


def error(code: str | None, kind: str = "server") -> dict[str, str | None]:
    return {"kind": kind, "code": code, "message": "m"}


SYNTAX, SEMANTICS = "Neo.ClientError.Statement.SyntaxError", "Neo.ClientError.Statement.SemanticError"
PARAMETER = "Neo.ClientError.Statement.ParameterMissing"
UNKNOWN = "Neo.DatabaseError.General.UnknownError"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (SYNTAX, "syntax_error"),
        (SEMANTICS, "syntax_error"),
        (PARAMETER, "runtime_error"),
        ("Neo.ClientError.Statement.ArithmeticError", "runtime_error"),
        ("Neo.ClientError.Procedure.ProcedureNotFound", "runtime_error"),
        ("Neo.DatabaseError.Statement.ExecutionFailed", "runtime_error"),
        ("Neo.ClientError.Statement.AccessMode", "refused"),
        ("Neo.ClientError.Security.Forbidden", "refused"),
        ("Neo.ClientError.Statement.UnsupportedAdministrationCommand", "refused"),
        ("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", Trouble.TIME),
        ("Neo.ClientError.Transaction.TransactionTimedOut", Trouble.TIME),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", Trouble.MEMORY),
        ("Neo.TransientError.General.StackOverFlowError", Trouble.MEMORY),
        (UNKNOWN, Trouble.MEMORY),
        ("Neo.TransientError.Transaction.Terminated", Trouble.LOST),
        ("Neo.TransientError.General.DatabaseUnavailable", Trouble.LOST),
        ("Neo.ClientError.Database.DatabaseNotFound", Trouble.LOST),
    ],
)
def test_codes(code: str, expected: str | Trouble) -> None:
    assert judge(error(code)) == expected


def test_own_reports_and_bad_credentials() -> None:
    assert judge(error(None, "lost")) is Trouble.LOST
    assert judge(error(None, "memory")) is Trouble.MEMORY
    with pytest.raises(Unauthorised):
        judge(error("Neo.ClientError.Security.Unauthorized"))


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        (UNKNOWN, "Lexical error at line 2, column 16.  Enc", "syntax_error"),
        (UNKNOWN, "Index 3 out of bounds", Trouble.MEMORY),
        (SYNTAX, "Invalid input", "syntax_error"),
        (PARAMETER, None, "runtime_error"),
    ],
)
def test_a_text_the_lexer_cannot_cut_is_broken(
    code: str, message: str | None, expected: str | Trouble
) -> None:
    assert judge_planning({"kind": "server", "code": code, "message": message}) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            'Variable `x` not defined (line 2, column 8 (offset: 15))\n"RETURN x"\n        ^',
            'Variable `x` not defined (line 1, column 8 (offset: 7))\n"RETURN x"\n        ^',
        ),
        (
            'Lexical error at line 2, column 16.  Encountered: <EOF> after : ""',
            'Lexical error at line 1, column 16.  Encountered: <EOF> after : ""',
        ),
        ("Unexpected end (line 1, column 8 (offset: 7))", "Unexpected end (line 1, column 1 (offset: 0))"),
        ("Got: 2 (line 1, column 0 (offset: 8))", "Got: 2 (line 1, column 1 (offset: 0))"),
        ("Got: 2 (line 0, column 0 (offset: 8))", "Got: 2 (line 1, column 1 (offset: 0))"),
        ('A (line 3, column 2 (offset: 20))\n"x = \'line 9, column 9\'"',
         'A (line 2, column 2 (offset: 12))\n"x = \'line 9, column 9\'"'),
        ('Got: 2\n"EXPLAIN\nRETURN 1; RETURN 2"', 'Got: 2\n"RETURN 1; RETURN 2"'),
    ],
)  # fmt: skip
def test_positions_are_those_of_the_query_as_given(message: str, expected: str) -> None:
    assert without_prefix(message) == expected
