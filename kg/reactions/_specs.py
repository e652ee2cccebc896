"""The source specifications of ``retrocypher graph build --source``."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from kg.errors import InputError
from kg.reactions._mapped import MappedSmiles
from kg.reactions._orderly import ParquetFolder
from kg.reactions._record import RecordSource
from kg.reactions._table import CsvTable, JsonLines
from kg.reactions._wheel import orderly_wheel


def _orderly(path: Path) -> RecordSource:
    return orderly_wheel(path) if path.suffix == ".whl" else ParquetFolder(path)


_KINDS: Mapping[str, Callable[[Path], RecordSource]] = MappingProxyType(
    {"orderly": _orderly, "smiles": MappedSmiles, "csv": CsvTable, "jsonl": JsonLines}
)


def open_source(spec: str) -> RecordSource:
    """Return the source that a specification names.

    Args:
        spec: ``orderly`` (the wheel, downloaded once), ``orderly:PATH`` (a folder of parquet files, or the
            wheel), ``smiles:FILE``, ``csv:FILE`` or ``jsonl:FILE``.

    Raises:
        InputError: The specification is not one of these, or its path does not exist.
    """
    kind, _, path = spec.partition(":")
    if spec == "orderly":
        return orderly_wheel()
    if kind not in _KINDS or not path:
        raise InputError(
            f"'{spec}' is not a source. Give orderly, orderly:FOLDER, smiles:FILE, csv:FILE or jsonl:FILE."
        )
    if not Path(path).exists():
        raise InputError(f"The source '{spec}' does not exist: there is nothing at {path}.")
    return _KINDS[kind](Path(path))
