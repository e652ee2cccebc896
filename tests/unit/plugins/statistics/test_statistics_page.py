"""The worked examples of docs/compare-and-gate.md give the results that the page shows."""

import doctest

from support.suite import CHECKOUT

PAGE = CHECKOUT / "docs" / "compare-and-gate.md"


def test_every_example_comes_out() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted >= 15
    assert found.failed == 0
