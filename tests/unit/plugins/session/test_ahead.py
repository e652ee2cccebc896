"""The order in which first completions are requested ahead."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.session.ahead import Layout

LAYOUTS = st.builds(
    Layout,
    st.integers(1, 5),
    st.sampled_from(["no", "load", "worksteal", "loadfile", "loadscope"]),
    st.none() | st.integers(1, 9),
)


@given(LAYOUTS, st.lists(st.sampled_from("abc"), max_size=60))
def test_every_test_is_requested_once(layout: Layout, files: list[str]) -> None:
    node_ids = [f"{file}.py::test[{number}]" for number, file in enumerate(files)]
    assert Counter(layout.in_order(node_ids)) == Counter(node_ids)


@pytest.mark.parametrize(
    ("layout", "order"),
    [
        (Layout(), "012345678901"),
        (Layout(2, "load"), "021345678901"),
        (Layout(2, "load", 1), "021345678901"),
        (Layout(2, "worksteal"), "061728394051"),
        (Layout(2, "loadfile"), "041526378901"),
    ],
)
def test_workers_run_in_turn_what_they_are_given(layout: Layout, order: str) -> None:
    node_ids = [f"{'a' if number < 4 else 'b'}.py::test[{number % 10}]" for number in range(12)]
    found = "".join(node_id[-2] for node_id in layout.in_order(node_ids))
    assert found == order
