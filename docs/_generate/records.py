"""Write a page of tables from typed structs, with the docstring below each field as its description.

Usage: ``python docs/_generate/records.py MODULE... [--path FOLDER] [--out PAGE] [--check]``. A module is a
dotted name such as ``retrocypher.plugins.runs.record``, found in FOLDER, src or the checkout; nothing is
imported. Every public class with a base named ``Struct`` and every enumeration becomes a section, in the
order of the modules. Aliases of ``Literal`` are spelled out where they are used. Hand-written text before
the tables comes from ``docs/_parts/records.md``.
"""

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import griffe
from writing import DOCS, PARTS, cell, table, write

_PLAIN = {"str": "text", "int": "integer", "float": "number", "bool": "true or false", "None": "null"}
_PLAIN |= {"Any": "any JSON", "JsonValue": "any JSON", "UnsetType": "absent"}
_LISTS = {"list", "tuple", "Sequence", "frozenset"}


def page(modules: list[str], search_paths: list[Path]) -> str:
    """Return the text of the page."""
    loaded = [griffe.load(module, submodules=False, search_paths=search_paths) for module in modules]
    classes = [each for module in loaded for each in _classes(module)]
    types = _Types(
        {each.name for each in classes},
        {name: value for module in loaded for name, value in _aliases(module)},
    )
    intro = PARTS / "records.md"
    parts = [intro.read_text("utf-8").rstrip() if intro.exists() else "# Records and JSON"]
    return "\n\n".join(parts + [_section(each, types) for each in classes]) + "\n"


def _classes(module: griffe.Object | griffe.Alias) -> Iterator[griffe.Class]:
    for name, member in module.members.items():
        if (
            isinstance(member, griffe.Class)
            and not name.startswith("_")
            and _bases(member) & {"Struct", "Enum", "StrEnum"}
        ):
            yield member


def _bases(each: griffe.Class) -> set[str]:
    """Return the names of all base classes, those in the same module followed to their own bases."""
    names: set[str] = set()
    for base in each.bases:
        name = str(base).rpartition(".")[2]
        names.add(name)
        parent = each.parent.members.get(name) if each.parent else None
        names |= _bases(parent) if isinstance(parent, griffe.Class) else set()
    return names


def _aliases(module: griffe.Object | griffe.Alias) -> Iterator[tuple[str, str]]:
    for name, member in module.members.items():
        if isinstance(member, griffe.Attribute | griffe.TypeAlias) and "Literal[" in str(member.value):
            yield name, str(member.value)


def _section(each: griffe.Class, types: "_Types") -> str:
    fields = [field for field in _fields(each) if not field.name.startswith("_")]
    undescribed = [field.name for field in fields if field.docstring is None]
    if undescribed or each.docstring is None:
        raise SystemExit(f"{each.path}: without a docstring: {', '.join(undescribed) or 'the class'}")
    head = [f"## {each.name}", re.sub(r"\s*\n\s*", " ", each.docstring.value)]
    if "Struct" not in _bases(each):
        rows = [(f"`{ast.literal_eval(str(field.value))}`", _meaning(field)) for field in fields]
        return "\n\n".join([*head, table(("value", "meaning"), rows)])
    rows3 = [(f"`{_name(field)}`", types.shown(str(field.annotation)), _meaning(field)) for field in fields]
    return "\n\n".join([*head, table(("field", "type", "meaning"), rows3)])


def _fields(each: griffe.Class) -> Iterator[griffe.Attribute]:
    """Yield the fields of the class, those of base classes in the same module first."""
    for base in each.bases:
        parent = each.parent.members.get(str(base)) if each.parent else None
        if isinstance(parent, griffe.Class):
            yield from _fields(parent)
    yield from (member for member in each.members.values() if isinstance(member, griffe.Attribute))


def _name(field: griffe.Attribute) -> str:
    renamed = re.search(r"""\bname=['"]([^'"]+)""", str(field.value or ""))
    return renamed[1] if renamed else field.name


def _meaning(field: griffe.Attribute) -> str:
    assert field.docstring is not None
    return cell(field.docstring.value)


class _Types:
    """Describes annotations in words, with links to the sections of the page."""

    def __init__(self, classes: set[str], aliases: dict[str, str]) -> None:
        self._classes = classes
        self._aliases = aliases

    def shown(self, annotation: str) -> str:
        """Return the description of an annotation."""
        return self._node(ast.parse(annotation.strip("\"'"), mode="eval").body)

    def _node(self, node: ast.expr) -> str:
        match node:
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return f"{self._node(left)} or {self._node(right)}"
            case (
                ast.Subscript(value=outer, slice=ast.Tuple(elts=inner))
                | ast.Subscript(value=outer, slice=inner)
            ):
                return self._generic(
                    ast.unparse(outer).rpartition(".")[2], inner if isinstance(inner, list) else [inner]
                )
            case ast.Constant(value=str(text)):
                return self.shown(text)
            case _:
                name = ast.unparse(node).rpartition(".")[2]
                if name in self._aliases:
                    return self.shown(self._aliases[name])
                linked = f"[{name}](#{name.lower()})" if name in self._classes else name
                return _PLAIN.get(name, linked)

    def _generic(self, outer: str, inner: list[ast.expr]) -> str:
        if outer == "Literal":
            return ", ".join(f"`{ast.literal_eval(value)}`" for value in inner)
        if outer in _LISTS:
            return f"list of {self._node(inner[0])}"
        if outer in ("dict", "Mapping"):
            return f"object: {self._node(inner[1])} by name"
        return self._node(inner[0])


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="+", metavar="MODULE")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--path", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=DOCS / "records.md", metavar="PAGE")
    asked = parser.parse_args()
    search_paths = [*asked.path, DOCS.parent / "src", DOCS.parent]
    write(asked.out, page(asked.modules, search_paths), check=asked.check)


if __name__ == "__main__":
    _main()
