import gzip
from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.build import open_source
from retrocypher.kg.graph.reaction import Record

LINE = "[CH3:1][OH:2].[Na+:8].Cl[C:3](=[O:4])C.O>ClCCl>[CH3:1][O:2][C:3](=[O:4])C.[OH2:9] 1-2;2-3"


def read(path: Path) -> list[Record]:
    return list(open_source(f"smiles:{path}").records())


def test_roles_follow_the_map_numbers(tmp_path: Path) -> None:
    path = tmp_path / "mapped.txt"
    path.write_text(f"{LINE}\n\n[CH4:1]>[CH3:2]O.[CH4:5]>[CH3:1][CH3:2]\n")

    first, second = read(path)

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

    assert read(plain)[0].reactants == read(packed)[0].reactants


@pytest.mark.parametrize(
    ("line", "fault"),
    [("CCO", "two '>' are needed"), ("C>>C>>C", "two '>' are needed"), ("CC>>CO", "no product atom carries")],
)
def test_a_line_that_is_no_mapped_reaction_is_a_fault_at_its_row(
    tmp_path: Path, line: str, fault: str
) -> None:
    path = tmp_path / "m.txt"
    path.write_text(f"{LINE}\n{line}\n")

    bad = read(path)[1]

    assert bad.row == 2
    assert fault in (bad.fault or "")
    assert bad.original == line


def test_a_line_without_products_is_left_to_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    path.write_text("[CH4:1]>>\n")

    assert read(path)[0].products == ()
    assert read(path)[0].fault is None


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
        read(path)


def test_a_map_number_of_any_length_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    path.write_text(f"[CH4:{'9' * 5000}].[CH4:0]>>[CH3:{'9' * 5000}][CH3:0]\n")

    assert (read(path)[0].reactants, read(path)[0].agents) == (("[CH4]",), ("[CH4]",))
