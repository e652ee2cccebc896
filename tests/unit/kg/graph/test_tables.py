"""Sources of reactions: CSV, JSON lines, mapped SMILES, and ORDerly's parquet files."""

import gzip
import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.build import open_source
from retrocypher.kg.graph.cleaning import Report, clean
from retrocypher.kg.graph.orderly import grant_month
from retrocypher.kg.graph.reaction import Record, Rules

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
AS_CSV = (
    "\ufeffgrant_date,reactants,products,agents,solvents,yields,journal\n"
    "2001-07,CCO;[Na+].[Cl-],CC=O O,[Mn],ClCCl,81.5;-,x\n"
)
AS_JSON = {
    "reactants": ["CCO", "[Na+].[Cl-]"],
    "products": "CC=O O",
    "agents": ["[Mn]"],
    "solvents": ["ClCCl"],
    "yields": [81.5, None],
    "grant_date": "2001-07",
}
MAPPED = "[CH3:1][OH:2].[Na+:8].Cl[C:3](=[O:4])C.O>ClCCl>[CH3:1][O:2][C:3](=[O:4])C.[OH2:9] 1-2;2-3"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(kind: str, content: str | bytes, name: str = "r") -> list[Record]:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(open_source(f"{kind}:{name}").records())


@pytest.mark.parametrize(("kind", "content"), [("csv", AS_CSV), ("jsonl", "\n" + json.dumps(AS_JSON))])
def test_csv_and_jsonl_read_the_same_reaction(kind: str, content: str) -> None:
    (found,) = read(kind, content)
    assert replace(found, file="", ignored=()) == WANTED


def test_the_original_string_of_the_source_is_kept() -> None:
    (found,) = read("csv", "reactants,products,original\nC,CC,[CH4:1]>>[CH3:1]C\n")
    assert found.original == "[CH4:1]>>[CH3:1]C"


@pytest.mark.parametrize("value", ["81.5", "81.5;", 81.5, [81.5]])
def test_one_yield_belongs_to_the_first_product(value: object) -> None:
    (found,) = read("jsonl", json.dumps({"reactants": ["C"], "products": ["CC", "O"], "yields": value}))
    assert found.yields == (81.5, None)


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff", "\x85"])
def test_a_unicode_blank_is_trimmed_at_the_ends_of_a_smiles_and_never_splits_it(blank: str) -> None:
    texts = {
        "csv": f"reactants,products\nC{blank};{blank} O,C{blank}C\n",
        "jsonl": json.dumps({"reactants": [f"C{blank}", blank, f"{blank}O "], "products": f"C{blank}C"}),
        "smiles": f"{blank}[CH4:1]{blank}.[OH2:2]>>[CH3:1]{blank}[OH:2] note{blank}\n",
    }
    trimmed = {"csv": 2, "jsonl": 3, "smiles": 1}
    for kind, text in texts.items():
        (found,) = read(kind, text)
        written = tuple(name.strip("[]H24") for name in found.reactants)
        assert (written, len(found.products)) == (("C", "O"), 1)
        assert blank in found.products[0]
        assert found.changes == ("unicode_blank",) * trimmed[kind]
        report = Report()
        assert clean([found], Rules(), report) == []
        assert report.dropped()["unreadable_smiles"] == 1
        assert report.changed()["unicode_blank"] == trimmed[kind]


@pytest.mark.parametrize(
    ("written", "number", "change"),
    [
        ("85%", 85.0, "percent_sign"),
        ("85 %", 85.0, "percent_sign"),
        ("85\u00a0%", 85.0, "percent_sign"),
        (">99", None, "yield_bound"),
        (">= 99 %", None, "yield_bound"),
        ("<5%", None, "yield_bound"),
        ("\u226595", None, "yield_bound"),
        ("inf", None, "yield_out_of_range"),
        ("1e400", None, "yield_out_of_range"),
        ("9" * 400, None, "yield_out_of_range"),
        ("-5", None, "yield_out_of_range"),
    ],
)
def test_a_yield_that_is_no_plain_percentage_is_read_or_absent_and_counted(
    written: str, number: float | None, change: str
) -> None:
    items = [json.dumps(written), json.dumps([written])]
    items += [written] if change == "yield_out_of_range" and written != "inf" else []
    records = read("csv", f"reactants,products,yields\nC,CC O,{written};12\n")
    assert clean(records, Rules(), Report())[0].yields == (number, 12.0)
    for item in items:
        report = Report()
        lines = read("jsonl", f'{{"reactants": "C", "products": "CC", "yields": {item}}}\n')
        (reaction,) = clean(lines, Rules(), report)
        assert reaction.yields == (number,)
        assert report.changed() == {name: int(name == change) for name in report.changed()}


FIRST = {
    "csv": "reactants,products,yields\nC,CC,1",
    "jsonl": '{"reactants": ["C"], "products": ["CC"]}',
    "smiles": MAPPED,
    # A line with this field beside reactants and products that can be read.
    "field": '{"reactants": ["C"], "products": ["CC"]}',
}


@pytest.mark.parametrize(
    ("kind", "line", "fault"),
    [
        ("csv", "C,CC,high", "the yield 'high' is not a number"),
        ("csv", "C,CC,1;2", "at most one number for each product"),
        ("csv", "C,CC,1,2", "more fields than columns"),
        ("csv", "C,CC,nan", "the yield 'nan' is not a number"),
        ("csv", '"C\nC,CC",O,1', "reactants holds a line break"),
        ("csv", 'C,"CC\nCO",1', "products holds a line break"),
        ("csv", 'C,CC,"1\n2"', "yields holds a line break"),
        ("jsonl", "{", "not JSON"),
        ("jsonl", "[1]", "not a JSON object"),
        ("jsonl", "[" * 100_000, "nested too deeply"),
        ("field", '"reactants": 3', "reactants is neither text nor a list"),
        ("field", '"reactants": ["\\ud800"]', "reactants holds half a character"),
        ("field", '"reactants": "\\udfff"', "reactants holds half a character"),
        ("field", '"reactants": "C\\nCC"', "reactants holds a line break"),
        ("field", '"original": 1', "original is not text"),
        ("field", '"original": "\\ud800"', "original holds half a character"),
        ("field", '"grant_date": "\\udc00"', "grant_date holds half a character"),
        ("field", '"yields": true', "yields is not a list"),
        ("field", '"yields": [true]', "a yield is not a number"),
        ("field", '"yields": [NaN]', "a yield is not a number"),
        ("field", '"yields": ["nan"]', "the yield 'nan' is not a number"),
        ("field", '"yields": ["\\ud800"]', "is not a number"),
        ("csv", "C,CC,>high", "the yield '>high' is not a number"),
        ("csv", "C,CC,%", "the yield '%' is not a number"),
        ("field", f'"yields": [{"9" * 5000}]', "not JSON"),
        ("field", f'"yields": {"[" * 800}{"]" * 800}', "is not a number"),
        ("smiles", "CCO", "two '>' are needed"),
        ("smiles", "C>>C>>C", "two '>' are needed"),
        ("smiles", "CC>>CO", "no product atom carries"),
    ],
    ids=lambda text: text[:60],
)
def test_a_broken_line_is_a_fault_at_its_row(kind: str, line: str, fault: str) -> None:
    text = f'{{"reactants": ["C"], "products": ["C"], {line}}}' if kind == "field" else line
    bad = read("jsonl" if kind == "field" else kind, f"{FIRST[kind]}\n{text}\n")[1]
    assert bad.row == FIRST[kind].count("\n") + 2
    assert fault in (bad.fault or "")
    assert kind != "smiles" or bad.original == line


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("csv", "", "is empty"),
        ("csv", "reactants,products\n", "a header and no rows"),
        ("csv", "reactants,products\n\n\n", "a header and no rows"),
        ("csv", "reactants,solvents\nC,O\n", "no column products"),
        ("csv", "reactants,products,yields,yields\nC,O,1,2\n", "names the column 'yields' more than once"),
        ("jsonl", "\n\n", "is empty"),
        ("smiles", "", "is empty"),
        ("smiles", "\n \n", "is empty"),
        ("smiles", b"C>>C\n\xff\xfe\n", "row 2 is not UTF-8"),
    ],
)
def test_a_file_without_rows_columns_or_text_is_refused(
    kind: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(kind, content)


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
def test_an_unclosed_quote_is_refused_at_the_row_that_opens_it(rows: str, row: int) -> None:
    with pytest.raises(InputError, match=rf"r cannot be read at row {row}: .*quotes"):
        read("csv", f"reactants,products,note\n{rows}")


def test_rows_are_numbered_by_the_line_they_begin_on_and_notes_may_hold_line_breaks() -> None:
    found = read("csv", 'reactants,products,note\n\nC,CC,"a\nb"\r\nC,CO,\nC,CN,"c,""d"""\n')
    rows = [(each.row, each.products, each.fault) for each in found]
    assert rows == [(3, ("CC",), None), (5, ("CO",), None), (6, ("CN",), None)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read(end: str) -> None:
    found = read("csv", f"\ufeffreactants,products{end}C,CC{end}C,CO{end}")
    assert [(each.row, each.products) for each in found] == [(2, ("CC",)), (3, ("CO",))]


def test_columns_that_are_not_read_are_named() -> None:
    assert read("csv", "reactants,yield,products,journal\nC,50,CC,x\n")[0].ignored == ("yield", "journal")
    (found,) = read("jsonl", '{"reactants": "C", "products": "CC", "yield": 50}\n')
    assert found.ignored == ("yield",)


@pytest.mark.parametrize(
    ("kind", "head", "row"),
    [
        ("csv", b"reactants,products\n", b"C,C%s\n"),
        ("jsonl", b"\n", b'{"reactants": "C", "products": "C%s"}\n'),
        ("smiles", b"\n", b"C>>C%s\n"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_text_that_is_not_utf_8_is_refused_at_its_row(
    kind: str, head: bytes, row: bytes, packed: bool
) -> None:
    content = head + row % b"" * 6000 + row % b"\xe9" + row % b"" * 6000
    with pytest.raises(InputError, match=r"row 6002 is not UTF-8"):
        read(kind, gzip.compress(content) if packed else content, "r.gz" if packed else "r")


@pytest.mark.parametrize("content", [b"not gzip", gzip.compress(b"C>>C\n" * 50, mtime=0)[:-12]])
def test_a_broken_archive_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read("smiles", content, "m.txt.gz")


@pytest.mark.parametrize("spec", ["excel:reactions.xls", "smiles", "smiles:", "csv:/nowhere/r.csv", ""])
def test_an_unknown_or_missing_source_is_refused(spec: str) -> None:
    with pytest.raises(InputError, match=r"is not a source|does not exist"):
        open_source(spec)


@pytest.mark.parametrize("name", ["m.txt", "m.txt.gz"])
def test_roles_follow_the_map_numbers(name: str) -> None:
    content = f"{MAPPED}\n\n[CH4:1]>[CH3:2]O.[CH4:5]>[CH3:1][CH3:2]\n".encode()
    first, second = read("smiles", gzip.compress(content) if name.endswith("gz") else content, name)
    assert first == Record(
        file=name,
        row=1,
        reactants=("[CH3][OH]", "Cl[C](=[O])C"),
        products=("[CH3][O][C](=[O])C", "[OH2]"),
        agents=("[Na+]", "O", "ClCCl"),
        solvents=(),
        yields=(None, None),
        original=MAPPED.split()[0],
    )
    # A molecule written over the arrow that gives atoms to the product is a reactant too.
    assert (second.row, second.reactants, second.agents) == (3, ("[CH4]", "[CH3]O"), ("[CH4]",))


def test_a_line_without_products_is_left_to_the_rules() -> None:
    (found,) = read("smiles", "[CH4:1]>>\n")
    assert (found.products, found.fault) == ((), None)


def test_a_map_number_of_any_length_is_read() -> None:
    (found,) = read("smiles", f"[CH4:{'9' * 5000}].[CH4:0]>>[CH3:{'9' * 5000}][CH3:0]\n")
    assert (found.reactants, found.agents) == (("[CH4]",), ("[CH4]",))


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


def read_folder(folder: Path) -> list[Record]:
    return list(open_source(f"orderly:{folder}").records())


def test_places_are_read_in_order_and_yields_stay_with_their_product(tmp_path: Path) -> None:
    write(tmp_path / "uspto-grants-1995_11.parquet", COLUMNS)

    first, second = read_folder(tmp_path)

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
    assert [(r.file, r.row) for r in read_folder(tmp_path)] == [
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
    assert read_folder(tmp_path)[0].fault == fault


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
        read_folder(tmp_path)


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
