"""Text files as sources: CSV, JSON lines and mapped SMILES."""

import gzip
import json
from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.build import open_source
from retrocypher.kg.graph.reaction import Record

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

LINE = "[CH3:1][OH:2].[Na+:8].Cl[C:3](=[O:4])C.O>ClCCl>[CH3:1][O:2][C:3](=[O:4])C.[OH2:9] 1-2;2-3"


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
        fields = {name: getattr(found, name) for name in WANTED.__slots__ if name not in ("file", "ignored")}
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
        ("C,CC,nan", "the yield 'nan' is not a number"),
        ('"C\nC,CC",O,1', "reactants holds a line break"),
        ('C,"CC\nCO",1', "products holds a line break"),
        ('C,CC,"1\n2"', "yields holds a line break"),
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
        ('{"reactants": ["C"], "products": ["C"], "yields": [true]}', "a yield is not a number"),
        ('{"reactants": ["C"], "products": ["C"], "original": 1}', "original is not text"),
        ('{"reactants": ["C"], "products": ["C"], "yields": [NaN]}', "a yield is not a number"),
        ('{"reactants": ["C"], "products": ["C"], "yields": ["nan"]}', "the yield 'nan' is not a number"),
        (f'{{"reactants": ["C"], "products": ["C"], "yields": [{"9" * 400}]}}', "a yield is too large"),
        (f'{{"reactants": ["C"], "products": ["C"], "yields": {"9" * 400}}}', "a yield is too large"),
        (f'{{"reactants": ["C"], "products": ["C"], "yields": [{"9" * 5000}]}}', "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        (f'{{"reactants": ["C"], "products": ["C"], "yields": {"[" * 800}{"]" * 800}}}', "is not a number"),
        ('{"reactants": ["\\ud800"], "products": ["C"]}', "reactants holds half a character"),
        ('{"reactants": "\\udfff", "products": ["C"]}', "reactants holds half a character"),
        ('{"reactants": ["C"], "products": ["C"], "original": "\\ud800"}', "original holds half a character"),
        (
            '{"reactants": ["C"], "products": ["C"], "grant_date": "\\udc00"}',
            "grant_date holds half a character",
        ),
        ('{"reactants": ["C"], "products": ["C"], "yields": ["\\ud800"]}', "is not a number"),
        ('{"reactants": "C\\nCC", "products": ["C"]}', "reactants holds a line break"),
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
        ("csv", "reactants,products\n\n\n", "a header and no rows"),
        ("csv", "reactants,solvents\nC,O\n", "no column products"),
        ("csv", "reactants,products,yields,yields\nC,O,1,2\n", "names the column 'yields' more than once"),
        ("jsonl", "\n\n", "is empty"),
    ],
)
def test_a_table_without_rows_or_columns_is_refused(
    tmp_path: Path, kind: str, text: str, message: str
) -> None:
    path = write(tmp_path / "r", text)

    with pytest.raises(InputError, match=message):
        read(kind, path)


@pytest.mark.parametrize(
    ("rows", "row"),
    [
        ('C,CC,x\n"C,CO,x\nC,CN,x\nC,CS,x\n', 3),
        ('\nC,CC,"x\nC,CO,x\n', 3),
        ('C,CC,"x\nC,CO,"x"\nC,CN,x\n', 2),
        ('C,CC,x\n"C"C,CO,x\n', 3),
        (f'C,CC,x\nC,CO,"{"x" * 200_000}"\n', 3),
    ],
)
def test_an_unclosed_quote_is_refused_at_the_row_that_opens_it(tmp_path: Path, rows: str, row: int) -> None:
    path = write(tmp_path / "r.csv", f"reactants,products,note\n{rows}")

    with pytest.raises(InputError, match=rf"r\.csv cannot be read at row {row}: .*quotes"):
        read("csv", path)


def test_rows_are_numbered_by_the_line_they_begin_on_and_notes_may_hold_line_breaks(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", 'reactants,products,note\n\nC,CC,"a\nb"\r\nC,CO,\nC,CN,"c,""d"""\n')

    assert [(r.row, r.products, r.fault) for r in read("csv", path)] == [
        (3, ("CC",), None), (5, ("CO",), None), (6, ("CN",), None),
    ]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read(tmp_path: Path, end: str) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(f"\ufeffreactants,products{end}C,CC{end}C,CO{end}".encode())

    assert [(r.row, r.products) for r in read("csv", path)] == [(2, ("CC",)), (3, ("CO",))]


def test_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    table = write(tmp_path / "r.csv", "reactants,yield,products,journal\nC,50,CC,x\n")
    lines = write(tmp_path / "r.jsonl", '{"reactants": "C", "products": "CC", "yield": 50}\n')

    assert read("csv", table)[0].ignored == ("yield", "journal")
    assert read("jsonl", lines)[0].ignored == ("yield",)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("packed", [False, True])
def test_text_that_is_not_utf_8_is_refused_at_its_row(tmp_path: Path, kind: str, packed: bool) -> None:
    head, row = {
        "csv": (b"reactants,products\n", b"C,C%s\n"),
        "jsonl": (b"\n", b'{"reactants": "C", "products": "C%s"}\n'),
    }[kind]
    content = head + row % b"" * 6000 + row % b"\xe9" + row % b"" * 6000
    path = tmp_path / ("r.gz" if packed else "r")
    path.write_bytes(gzip.compress(content) if packed else content)

    with pytest.raises(InputError, match=r"row 6002 is not UTF-8"):
        read(kind, path)


@pytest.mark.parametrize("spec", ["excel:reactions.xls", "smiles", "smiles:", "csv:/nowhere/r.csv", ""])
def test_an_unknown_or_missing_source_is_refused(spec: str) -> None:
    with pytest.raises(InputError, match=r"is not a source|does not exist"):
        open_source(spec)


def read_smiles(path: Path) -> list[Record]:
    return list(open_source(f"smiles:{path}").records())


def test_roles_follow_the_map_numbers(tmp_path: Path) -> None:
    path = tmp_path / "mapped.txt"
    path.write_text(f"{LINE}\n\n[CH4:1]>[CH3:2]O.[CH4:5]>[CH3:1][CH3:2]\n")

    first, second = read_smiles(path)

    assert first.file == "mapped.txt"
    assert first.row == 1
    assert first.reactants == ("[CH3][OH]", "Cl[C](=[O])C")
    assert first.agents == ("[Na+]", "O", "ClCCl")
    assert first.products == ("[CH3][O][C](=[O])C", "[OH2]")
    assert first.solvents == ()
    assert first.yields == (None, None)
    assert first.original == LINE.split()[0]
    # A molecule written over the arrow that gives atoms to the product is a reactant too.
    assert second.row == 3
    assert second.reactants == ("[CH4]", "[CH3]O")
    assert second.agents == ("[CH4]",)


def test_gzip_reads_the_same(tmp_path: Path) -> None:
    plain, packed = tmp_path / "m.txt", tmp_path / "m.txt.gz"
    plain.write_text(LINE)
    packed.write_bytes(gzip.compress(LINE.encode()))

    assert read_smiles(plain)[0].reactants == read_smiles(packed)[0].reactants


@pytest.mark.parametrize(
    ("line", "fault"),
    [("CCO", "two '>' are needed"), ("C>>C>>C", "two '>' are needed"), ("CC>>CO", "no product atom carries")],
)
def test_a_line_that_is_no_mapped_reaction_is_a_fault_at_its_row(
    tmp_path: Path, line: str, fault: str
) -> None:
    path = tmp_path / "m.txt"
    path.write_text(f"{LINE}\n{line}\n")

    bad = read_smiles(path)[1]

    assert bad.row == 2
    assert fault in (bad.fault or "")
    assert bad.original == line


def test_a_line_without_products_is_left_to_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    path.write_text("[CH4:1]>>\n")

    assert read_smiles(path)[0].products == ()
    assert read_smiles(path)[0].fault is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.txt", b"", "is empty"),
        ("m.txt", b"\n \n", "is empty"),
        ("m.txt", b"C>>C\n\xff\xfe\n", "row 2 is not UTF-8"),
        ("m.txt.gz", gzip.compress(b"C>>C\n" * 6000 + b"\xe9\n", mtime=0), "row 6001 is not UTF-8"),
        ("m.txt.gz", b"not gzip", "cannot be read after row 0"),
        ("m.txt.gz", gzip.compress(b"C>>C\n" * 50, mtime=0)[:-12], "cannot be read"),
    ],
)
def test_an_empty_or_unreadable_file_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(InputError, match=message):
        read_smiles(path)


def test_a_map_number_of_any_length_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    path.write_text(f"[CH4:{'9' * 5000}].[CH4:0]>>[CH3:{'9' * 5000}][CH3:0]\n")

    assert (read_smiles(path)[0].reactants, read_smiles(path)[0].agents) == (("[CH4]",), ("[CH4]",))
