import json
from pathlib import Path

import pytest

from kg.errors import InputError
from kg.reactions import Record, open_source

WANTED = Record(
    file="",
    row=2,
    reactants=("CCO", "[Na+].[Cl-]"),
    products=("CC=O", "O"),
    agents=("[Mn]",),
    solvents=("ClCCl",),
    yields=(81.5, None),
    original="CCO.[Na+].[Cl-]>[Mn].ClCCl>CC=O.O",
    grant_date="2001-07",
)


def read(kind: str, path: Path) -> list[Record]:
    return list(open_source(f"{kind}:{path}").records())


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_csv_and_jsonl_read_the_same_reaction(tmp_path: Path) -> None:
    table = write(
        tmp_path / "r.csv",
        "\ufeffgrant_date,reactants,products,agents,solvents,yields,journal\n"
        "2001-07,CCO;[Na+].[Cl-],CC=O O,[Mn],ClCCl,81.5;-,x\n",
    )
    lines = write(
        tmp_path / "r.jsonl",
        "\n"
        + json.dumps(
            {
                "reactants": ["CCO", "[Na+].[Cl-]"],
                "products": "CC=O O",
                "agents": ["[Mn]"],
                "solvents": ["ClCCl"],
                "yields": [81.5, None],
                "grant_date": "2001-07",
            }
        ),
    )

    for (found,) in (read("csv", table), read("jsonl", lines)):
        fields = {name: getattr(found, name) for name in WANTED.__slots__ if name != "file"}
        assert fields == {name: getattr(WANTED, name) for name in fields}


def test_the_original_string_of_the_source_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "reactants,products,original\nC,CC,[CH4:1]>>[CH3:1]C\n")

    assert read("csv", path)[0].original == "[CH4:1]>>[CH3:1]C"


@pytest.mark.parametrize("value", ["81.5", "81.5;", 81.5, [81.5]])
def test_one_yield_belongs_to_the_first_product(tmp_path: Path, value: object) -> None:
    path = write(
        tmp_path / "r.jsonl", json.dumps({"reactants": ["C"], "products": ["CC", "O"], "yields": value})
    )

    assert read("jsonl", path)[0].yields == (81.5, None)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("C,CC,high", "the yield 'high' is not a number"),
        ("C,CC,1;2", "at most one number for each product"),
        ("C,CC,1,2", "more fields than columns"),
    ],
)
def test_a_broken_csv_row_is_a_fault_at_its_row(tmp_path: Path, row: str, fault: str) -> None:
    path = write(tmp_path / "r.csv", f"reactants,products,yields\nC,CC,1\n{row}\n")

    bad = read("csv", path)[1]

    assert bad.row == 3
    assert fault in (bad.fault or "")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"reactants": 3, "products": ["C"]}', "reactants is neither text nor a list"),
        ('{"reactants": ["C"], "products": ["C"], "yields": true}', "yields is not a list"),
        ('{"reactants": ["C"], "products": ["C"], "yields": [true]}', "the yield is not a number"),
        ('{"reactants": ["C"], "products": ["C"], "original": 1}', "original is not text"),
    ],
)
def test_a_broken_json_line_is_a_fault_at_its_row(tmp_path: Path, line: str, fault: str) -> None:
    path = write(tmp_path / "r.jsonl", f'{{"reactants": ["C"], "products": ["CC"]}}\n{line}\n')

    bad = read("jsonl", path)[1]

    assert bad.row == 2
    assert fault in (bad.fault or "")


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("csv", "", "is empty"),
        ("csv", "reactants,products\n", "a header and no rows"),
        ("csv", "reactants,solvents\nC,O\n", "no column products"),
        ("jsonl", "\n\n", "is empty"),
    ],
)
def test_a_table_without_rows_or_columns_is_refused(
    tmp_path: Path, kind: str, text: str, message: str
) -> None:
    path = write(tmp_path / "r", text)

    with pytest.raises(InputError, match=message):
        read(kind, path)


@pytest.mark.parametrize("spec", ["excel:reactions.xls", "smiles", "smiles:", "csv:/nowhere/r.csv", ""])
def test_an_unknown_or_missing_source_is_refused(spec: str) -> None:
    with pytest.raises(InputError, match=r"is not a source|does not exist"):
        open_source(spec)
