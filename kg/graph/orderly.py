"""ORDerly's extraction as a source: parquet files with one column for each place in a role."""

import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile, ZipFile

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.reaction import Record, reaction_string
from retrocypher.kg.paths import cache_dir

_ROLES = ("reactant", "product", "agent", "solvent")
_COLUMNS = {**{role: (f"{role}_",) for role in _ROLES}, "agent": ("agent_", "catalyst_")}
# An extraction has one or the other: agents by the atom mapping, or catalysts by the labels of the source.
_ABSENT = (None, "", "<missing>")
_ROWS_AT_ONCE = 4096
_TEXT = "procedure_details"

_REQUIREMENT = "orderly==1.0.0"
_NAME = "orderly-1.0.0-py3-none-any.whl"
# The wheel's metadata states the first; the second is the Open Reaction Database's own for its data sets.
_LICENCE = {"wheel": "MIT", "data": "CC-BY-SA-4.0"}
_SHA256 = "9575b15f40fa12f468f38b45e5c98ee65a27431129c6581db4caf7385436a4aa"
_FOLDER = "orderly/data/test_data/extracted_ord_test_data_dont_trust_labelling/extracted_ords"
_BY_LABELS = _FOLDER.replace("_dont_trust_", "_trust_")
# The wheel's four other files are hand-made data sets (an ELN, an enzyme cascade, two screens), not patents.
_PREFIX = "uspto-grants-"


class _ParquetFiles(ABC):
    """A source in several parquet files."""

    def records(self) -> Iterator[Record]:
        """Yield the records of all files by name; raise InputError if there are none or one is unreadable."""
        for name, content in self._files():
            yield from read_parquet(name, content)

    def texts(self) -> Iterator[tuple[str, int, str]]:
        """Yield file, row (from 1) and procedure text where there is a text; raise as `records`."""
        for name, content in self._files():
            yield from ((name, row, text) for row, text in read_texts(name, content))

    def provenance(self) -> dict[str, object]:
        """Return kind, files and what else is known of the source."""
        files = {name: sha256(content).hexdigest() for name, content in self._files()}
        return {"kind": "orderly", **self._about(), "files": files}

    @abstractmethod
    def _files(self) -> Iterator[tuple[str, bytes]]:
        """Yield name and content of each file, by name."""

    def _about(self) -> dict[str, object]:
        return {}


@dataclass(frozen=True, slots=True)
class ParquetFolder(_ParquetFiles):
    """A folder of ORDerly parquet files (``*.parquet``, or the same under ``extracted_ords/``)."""

    folder: Path

    def _files(self) -> Iterator[tuple[str, bytes]]:
        paths = sorted(self.folder.glob("*.parquet")) or sorted(self.folder.glob("extracted_ords/*.parquet"))
        if not paths:
            raise InputError(
                f"{self.folder} holds no parquet files. Give the folder that ORDerly's extraction wrote."
            )
        yield from ((path.name, _bytes(path)) for path in paths)


@dataclass(frozen=True, slots=True)
class ParquetMembers(_ParquetFiles):
    """Parquet files in a folder of a zip archive, such as a wheel, whose names begin with a prefix."""

    archive: Path
    folder: str
    prefix: str
    about: Mapping[str, object]

    def _about(self) -> dict[str, object]:
        return {**self.about, "folder": self.folder}

    def _files(self) -> Iterator[tuple[str, bytes]]:
        try:
            with ZipFile(self.archive) as archive:
                start = f"{self.folder}/{self.prefix}"
                wanted = sorted(
                    n for n in archive.namelist() if n.startswith(start) and n.endswith(".parquet")
                )
                if not wanted:
                    raise InputError(f"{self.archive} holds no {start}*.parquet.")
                for name in wanted:
                    yield name.rpartition("/")[2], archive.read(name)
        except (OSError, BadZipFile) as error:
            raise InputError(f"{self.archive} cannot be read as a zip archive: {error}.") from error


def read_parquet(name: str, content: bytes) -> Iterator[Record]:
    """Yield the records of one parquet file; raise InputError if it is not an ORDerly extraction."""
    # A tenth of a second that whoever only reads a graph need not wait for.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(BytesIO(content))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{name} cannot be read as parquet: {error}.") from error
    columns = set(file.schema_arrow.names)
    if missing := {"reactant_000", "product_000"} - columns:
        raise InputError(
            f"{name} is not an ORDerly extraction: it has no column {', '.join(sorted(missing))}."
        )
    if file.metadata.num_rows == 0:
        raise InputError(f"{name} is empty.")
    places = {role: sorted(c for c in columns if c.startswith(_COLUMNS[role])) for role in _ROLES}
    wanted = [c for role in _ROLES for c in places[role]]
    wanted += [c for c in sorted(columns) if c.startswith("yield_") or c in ("rxn_str", "grant_date")]
    row = 0
    try:
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=wanted):
            for values in batch.to_pylist():
                row += 1
                yield _record(name, row, values, places)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{name} cannot be read after row {row}: {error}.") from error


def read_texts(name: str, content: bytes) -> Iterator[tuple[int, str]]:
    """Yield row (from 1) and procedure text where there is a text; raise InputError if it is unreadable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        column = pq.read_table(BytesIO(content), columns=[_TEXT]).column(_TEXT)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise InputError(f"{name} cannot be read, or has no column {_TEXT}: {error}.") from error
    for row, text in enumerate(column.to_pylist(), 1):
        if isinstance(text, str) and text:
            yield row, text


def _record(name: str, row: int, values: Mapping[str, Any], places: Mapping[str, list[str]]) -> Record:
    grant_date = grant_month(values.get("grant_date"))
    original = values.get("rxn_str") or ""
    filled = {role: [c for c in places[role] if values[c] not in _ABSENT] for role in _ROLES}
    reactants, products, agents, solvents = (tuple(values[c] for c in filled[role]) for role in _ROLES)
    yields = tuple(values.get(f"yield_{c.removeprefix('product_')}") for c in filled["product"])
    molecules = reactants + products + agents + solvents
    if not all(isinstance(text, str) for text in (*molecules, original)):
        return Record(name, row, original=str(original), fault="a molecule or rxn_str is not text")
    if not all(value is None or type(value) in (int, float) for value in yields):
        return Record(name, row, original=original, fault="a yield is not a number")
    return Record(
        file=name,
        row=row,
        reactants=reactants,
        products=products,
        agents=agents,
        solvents=solvents,
        yields=yields,
        original=original or reaction_string(reactants, agents + solvents, products),
        grant_date=grant_date,
    )


def grant_month(value: object) -> str | None:
    """Return the grant date as ISO 8601.

    ORDerly parses the ``1995_11`` of a file name as year and *minute*, so that November 1995 comes as
    1995-01-01 00:11. Year and month is all that the source knows, and that is what is returned; a date
    that does not have this form is returned to the day, and text as it is.
    """
    if not isinstance(value, datetime):
        return None if value is None else str(value)
    if (value.month, value.day, value.hour) == (1, 1, 0) and 1 <= value.minute <= 12:
        return f"{value.year:04}-{value.minute:02}"
    return value.date().isoformat()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def orderly_wheel(path: Path | None = None, *, by_labels: bool = False) -> ParquetMembers:
    """Return the eight USPTO grant months of the ``orderly`` 1.0.0 wheel as a source.

    Without a path the wheel is taken from the cache or downloaded by pip. Raise InputError if it cannot be
    had, or is not the expected one.

    Args:
        by_labels: Return ORDerly's other extraction of the same records, in the same files and rows: its
            roles are the labels of the source, which know catalysts and no other agents.
    """
    wheel = _obtained() if path is None else path
    _check(wheel)
    about = {"distribution": _REQUIREMENT, "sha256": _SHA256, "licence": _LICENCE}
    return ParquetMembers(wheel, _BY_LABELS if by_labels else _FOLDER, _PREFIX, about)


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
    found = sha256(_bytes(wheel)).hexdigest()
    if found != _SHA256:
        raise InputError(
            f"{wheel} is not the published {_NAME}: its SHA-256 is {found}, not {_SHA256}. "
            "Delete it and try again."
        )
