"""What an error of the server means for the query."""

import pytest

from kg.execution._status import Trouble, Unauthorised, judge, without_prefix


def error(code: str | None, kind: str = "server") -> dict[str, str | None]:
    return {"kind": kind, "code": code, "message": "m"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Neo.ClientError.Statement.SyntaxError", "syntax_error"),
        ("Neo.ClientError.Statement.SemanticError", "syntax_error"),
        ("Neo.ClientError.Statement.ParameterMissing", "runtime_error"),
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
        ("Neo.DatabaseError.General.UnknownError", Trouble.MEMORY),
        ("Neo.TransientError.Transaction.Terminated", Trouble.LOST),
        ("Neo.TransientError.General.DatabaseUnavailable", Trouble.LOST),
        ("Neo.ClientError.Database.DatabaseNotFound", Trouble.LOST),
    ],
)
def test_codes(code: str, expected: str | Trouble) -> None:
    assert judge(error(code)) == expected


def test_own_reports() -> None:
    assert judge(error(None, "lost")) is Trouble.LOST
    assert judge(error(None, "memory")) is Trouble.MEMORY


def test_bad_credentials_are_nobodys_answer() -> None:
    with pytest.raises(Unauthorised):
        judge(error("Neo.ClientError.Security.Unauthorized"))


def test_positions_are_those_of_the_query_as_given() -> None:
    message = 'Variable `x` not defined (line 2, column 8 (offset: 15))\n"RETURN x"\n        ^'
    assert "(line 1, column 8 (offset: 7))" in without_prefix(message)
    whole = 'Expected exactly one statement (line 0, column 0 (offset: 8))\n"EXPLAIN\nRETURN 1; RETURN 2"'
    assert without_prefix(whole).endswith('"RETURN 1; RETURN 2"')
