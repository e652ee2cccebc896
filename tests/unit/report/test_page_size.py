"""A page stays as small as it is promised to be."""

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.reporting.html.report import Rendered, shrink_to_fit


@given(st.integers(0, 10_000), st.integers(1, 2_000), st.integers(0, 10_000), st.integers(0, 100_000))
def test_the_list_is_cut_until_the_page_fits(failed: int, row: int, rest: int, largest: int) -> None:
    def render(most: int) -> Rendered:
        listed = min(most, failed)
        return Rendered(b"x" * (rest + row * listed), listed, {})

    page = shrink_to_fit(render, 5_000, largest)
    assert len(page.html) <= largest or page.listed == 0
    whole = render(5_000)
    if len(whole.html) <= largest:
        assert page == whole
    else:
        assert len(render(2 * page.listed + 1).html) > largest
