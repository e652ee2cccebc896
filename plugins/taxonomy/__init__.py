"""What is wrong with a failed case, and how a right query differs from the reference."""

from plugins.taxonomy._diagnose import Diagnosis, diagnose, labels_of
from plugins.taxonomy._perfect import is_perfect
from plugins.taxonomy._variations import VARIATIONS, variations

__all__ = [
    "VARIATIONS",
    "Diagnosis",
    "diagnose",
    "is_perfect",
    "labels_of",
    "variations",
]
