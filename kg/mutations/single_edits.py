"""The edits that turn a query about what a molecule becomes into one about what it is made from.

They are one step away from copying: two ends change places, or one arrow changes. The operators of the
registry plant errors in right queries, and `target_is_made` is none of them, so that a seed draws the same
errors as before.
"""

from collections.abc import Iterator

from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.mutations.operator import Mutation, Operator, error
from retrocypher.kg.mutations.path_errors import (
    anchor_other_end,
    reverse_arrow,
    reverse_path,
    swap_ends,
    turned_at_anchors,
)


@error("endpoint_anchoring")
def target_is_made(query: ParsedQuery) -> Iterator[Mutation]:
    """Look for reactions that make a molecule instead of consuming it."""
    yield from turned_at_anchors(query, "REACTS_IN", "PRODUCES")


SINGLE_EDITS: tuple[Operator, ...] = (
    swap_ends,
    anchor_other_end,
    reverse_path,
    target_is_made,
    reverse_arrow,
)
"""In the order in which they are tried."""
