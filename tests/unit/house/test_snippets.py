"""The Python of the pages runs as it is typed, in a checkout."""

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
PAGES = [CHECKOUT / "docs" / name for name in ("bank.md", "direction.md", "validation.md")]
_SHOWN = re.compile(r"^(\w[^#=\n]*?) +# (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_snippets_run_and_give_what_they_show(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    snippets = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
    assert snippets
    for snippet in snippets:
        names: dict[str, object] = {}
        exec(snippet, names)
        shown = {said: str(eval(said, names)) for said, _ in _SHOWN.findall(snippet) if "(" not in said}
        for said, value in _SHOWN.findall(snippet):
            if said in shown and not value.startswith("what "):
                begins, _, ends = value.partition("…")
                assert shown[said].startswith(begins)
                assert shown[said].endswith(ends)
