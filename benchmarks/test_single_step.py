"""The 1,200 single-step questions: what makes a molecule, from what, with what, and how well."""

from collections.abc import Callable

import pytest

from retrocypher.plugins.session.cases import Case

pytestmark = pytest.mark.single_step


def test_single_step(case: Case, check: Callable[[Case], None]) -> None:
    check(case)
