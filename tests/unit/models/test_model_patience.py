from email.utils import formatdate
from time import time

import pytest

from retrocypher.prompts.models.retries import Patience, retry_after_s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": formatdate(time() - 60, usegmt=True)}, 0.0),
    ],
)
def test_reads_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_reads_a_date() -> None:
    asked = retry_after_s({"retry-after": formatdate(time() + 100, usegmt=True)})
    assert asked is not None
    assert 90 < asked <= 100


def test_waits_grow_and_never_undercut_what_was_asked() -> None:
    patience = Patience(first_wait_s=1.0, longest_wait_s=8.0)
    waits = [patience.wait_s(attempt, None) for attempt in (1, 2, 3, 9)]
    for wait, middle in zip(waits, (1.0, 2.0, 4.0, 8.0), strict=True):
        assert 0.75 * middle <= wait <= 1.25 * middle
    assert patience.wait_s(1, 30.0) >= 30.0
    assert patience.wait_s(4, 0.5) >= 0.75 * 8.0
