"""A page that is no larger than it should be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

LARGEST = 5_000_000
"""Bytes of a page."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page with a list of some length.

    Attributes:
        html: The page.
        listed: How many cases it lists.
        links: Addresses of the pages of cases that it links to, by names of run and case.
    """

    html: bytes
    listed: int
    links: Mapping[tuple[str, str], str]


def fitted(render: Callable[[int], Rendered], most: int, largest: int = LARGEST) -> Rendered:
    """Return a page with as long a list as fits: each time it does not, the list is halved.

    Args:
        render: Makes the page with at most so many cases in its list.
        most: How many to begin with.
        largest: Bytes that the page may have; one without a list may have more.
    """
    page = render(most)
    while page.listed and len(page.html) > largest:
        page = render(page.listed // 2)
    return page
