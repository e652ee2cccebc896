"""A folder that is no run, told in one way wherever a run is asked for."""

from pathlib import Path

from kg.errors import InputError


def no_run(path: Path, lacking: str) -> InputError:
    """Return the error for a path that is no run, or lacks what is needed of one.

    Args:
        path: What was named as the folder of a run.
        lacking: Name of the file that is not in it.
    """
    if not path.exists():
        why = "there is no such folder"
    elif not path.is_dir():
        why = "this is a file"
    else:
        why = f"no {lacking} here"
    return InputError(f"{path}: {why}; name the folder of a run")
