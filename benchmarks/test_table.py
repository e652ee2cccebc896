"""The questions of a suite whose answers are tables (``--suite``)."""

from collections.abc import Callable

import pytest

from retrocypher.plugins.session.cases import Case

pytestmark = pytest.mark.table


def test_table(case: Case, check: Callable[[Case], None]) -> None:
    check(case)
