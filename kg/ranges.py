"""The ranges of numbers on records, checked wherever a record is read."""

import sys
from typing import Annotated

from msgspec import Meta

Share = Annotated[float, Meta(ge=0, le=1)]
"""A score or a share: from 0 to 1. NaN is in no range."""

Amount = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
"""Seconds or USD, finite."""

Size = Annotated[int, Meta(ge=0)]
"""How many of something there are."""

Number = Annotated[int, Meta(ge=1)]
"""Which one of several, from 1."""
