"""The worked examples of docs/compare-and-gate.md give the results that the page shows."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "compare-and-gate.md"


def test_every_example_comes_out() -> None:
    # TODO: doctest.testfile(PAGE) as it stands, once the package is importable as `retrocypher`.
    text = PAGE.read_text("utf-8").replace("from retrocypher.plugins", "from plugins")
    page = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    found = doctest.DocTestRunner().run(page)
    assert found.attempted >= 15
    assert found.failed == 0
