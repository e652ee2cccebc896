"""Going on with a run that was cut short: what a run is of, which one to go on with, what it has."""

from plugins.resume._code import code_files, code_sha256, library_versions
from plugins.resume._earlier import Earlier, look_at
from plugins.resume._find import is_complete, named_incomplete, newest_incomplete
from plugins.resume._key import RunKey, differences
from plugins.resume._paid import with_costs

__all__ = [
    "Earlier",
    "RunKey",
    "code_files",
    "code_sha256",
    "differences",
    "is_complete",
    "library_versions",
    "look_at",
    "named_incomplete",
    "newest_incomplete",
    "with_costs",
]
