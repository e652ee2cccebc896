"""The 1,200 multi-step questions: routes of two, three and four reaction steps."""

from collections.abc import Callable

import pytest

from retrocypher.plugins.session.cases import Case

pytestmark = pytest.mark.multi_step


def test_multi_step(case: Case, check: Callable[[Case], None]) -> None:
    check(case)
