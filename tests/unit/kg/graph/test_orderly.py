"""ORDerly's parquet files as a source."""

from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.build import open_source
from retrocypher.kg.graph.orderly import grant_month
from retrocypher.kg.graph.reaction import Record

COLUMNS = {
    "reactant_000": ["CO", "C"],
    "reactant_001": ["<missing>", None],
    "product_000": ["<missing>", "CC"],
    "product_001": ["CN", "<missing>"],
    "agent_000": ["[Na+]", "<missing>"],
    "solvent_000": ["O", ""],
    "yield_000": [1.0, 81.5],
    "yield_001": [12.0, None],
    "rxn_str": ["[CH3:1]O>>[CH3:1]N", None],
    "grant_date": [datetime(1995, 1, 1, 0, 11)] * 2,
    "procedure_details": ["stirred", "stirred"],
}


def write(path: Path, columns: dict[str, list[object]] | dict[str, object]) -> Path:
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def read(folder: Path) -> list[Record]:
    return list(open_source(f"orderly:{folder}").records())


def test_places_are_read_in_order_and_yields_stay_with_their_product(tmp_path: Path) -> None:
    write(tmp_path / "uspto-grants-1995_11.parquet", COLUMNS)

    first, second = read(tmp_path)

    assert first == Record(
        file="uspto-grants-1995_11.parquet",
        row=1,
        reactants=("CO",),
        products=("CN",),
        agents=("[Na+]",),
        solvents=("O",),
        yields=(12.0,),
        original="[CH3:1]O>>[CH3:1]N",
        grant_date="1995-11",
    )
    assert (second.row, second.yields, second.original) == (2, (81.5,), "C>>CC")


def test_files_are_read_in_the_order_of_their_names_and_rows_from_1(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write(tmp_path / "extracted_ords" / f"{name}.parquet", COLUMNS)
    assert [(r.file, r.row) for r in read(tmp_path)] == [
        ("a.parquet", 1), ("a.parquet", 2), ("b.parquet", 1), ("b.parquet", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "date"),
    [
        (None, None),
        (datetime(1976, 1, 1, 0, 1), "1976-01"),
        (datetime(2001, 1, 1, 0, 12), "2001-12"),
        (datetime(2001, 7, 3), "2001-07-03"),
        (datetime(2001, 1, 1), "2001-01-01"),
        ("2001", "2001"),
    ],
)
def test_the_minute_of_a_grant_date_is_its_month(value: object, date: str | None) -> None:
    assert grant_month(value) == date


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"product_000": [1]}, "a molecule or rxn_str is not text"),
        ({"yield_000": ["high"]}, "a yield is not a number"),
        ({"yield_000": [True]}, "a yield is not a number"),
    ],
)
def test_a_field_of_another_type_is_a_fault_at_its_row(
    tmp_path: Path, columns: dict[str, list[object]], fault: str
) -> None:
    write(tmp_path / "a.parquet", {"reactant_000": ["C"], "product_000": ["C"], **columns})
    assert read(tmp_path)[0].fault == fault


NOTHING = pa.array([], pa.string())


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, "holds no parquet files"),
        (b"PAR1 and no more", r"a\.parquet cannot be read as parquet"),
        ({"reactant_000": NOTHING, "product_000": NOTHING}, r"a\.parquet is empty"),
        ({"reactant_000": ["C"]}, "has no column product_000"),
    ],
    ids=["none", "broken", "empty", "other layout"],
)
def test_a_folder_that_cannot_be_used_is_refused(
    tmp_path: Path, columns: bytes | dict[str, object] | None, message: str
) -> None:
    if isinstance(columns, bytes):
        (tmp_path / "a.parquet").write_bytes(columns)
    elif columns:
        write(tmp_path / "a.parquet", columns)
    with pytest.raises(InputError, match=message):
        read(tmp_path)


def test_another_wheel_is_refused(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "orderly-1.0.0-py3-none-any.whl", "w") as archive:
        archive.writestr("orderly/data/x.parquet", b"")
    with pytest.raises(InputError, match="is not the published"):
        open_source(f"orderly:{tmp_path / 'orderly-1.0.0-py3-none-any.whl'}")


def test_a_wheel_that_pip_cannot_get_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(InputError, match=r"pip could not download orderly==1\.0\.0 .* orderly:PATH"):
        open_source("orderly")
    assert list(tmp_path.iterdir()) == []
