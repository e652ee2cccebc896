"""Write docs/records.md: its text, with tables of typed structs where the text asks for them.

Usage: ``python docs/_generate/records.py [--check]``. The text is ``docs/_parts/records.md``. A line
``<!-- types MODULE -->`` becomes a section for each public struct of that module, the last one first; the
docstring below a field is its description. Nothing is imported. Aliases of ``Literal`` are spelled out where
they are used.
"""

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import griffe
from writing import DOCS, PARTS, cell, table, write

_PLACEHOLDER = re.compile(r"^<!-- types (\S+) -->$", re.MULTILINE)
_PLAIN = {"str": "text", "int": "integer", "float": "number", "bool": "true or false", "None": "null"}
_PLAIN |= {"Any": "any JSON", "JsonValue": "any JSON", "UnsetType": "absent"}
_PLAIN |= {"Share": "number from 0 to 1", "Amount": "number from 0"}
_PLAIN |= {"Size": "integer from 0", "Number": "integer from 1"}
_LISTS = {"list", "tuple", "Sequence", "frozenset"}


def page(text: str, source: Path) -> str:
    """Return the text with the tables; packages are below the folder ``source``."""
    loader = griffe.GriffeLoader(search_paths=[source])
    names = list(dict.fromkeys(_PLACEHOLDER.findall(text)))
    for package in {name.partition(".")[0] for name in names}:
        loader.load(package)
    modules = {name: loader.modules_collection[name] for name in names}
    classes = {name: list(_classes(module)) for name, module in modules.items()}
    found = [each for of_module in classes.values() for each in of_module]
    # By path: the modules of base classes may name the types of their fields, too.
    sources = {one.module.path: one.module for each in found for one in (each, *each.mro())}
    types = _Types(
        {each.name for each in found},
        {name: value for module in sources.values() for name, value in _aliases(module)},
    )

    def sections(match: re.Match[str]) -> str:
        return "\n\n".join(_section(each, types) for each in reversed(classes[match[1]]))

    return _PLACEHOLDER.sub(sections, text)


def _classes(module: griffe.Object | griffe.Alias) -> Iterator[griffe.Class]:
    for name, member in module.members.items():
        if isinstance(member, griffe.Class) and not name.startswith("_") and "Struct" in _bases(member):
            yield member


def _bases(each: griffe.Class) -> set[str]:
    """Return the names of all base classes of the project, and of their first bases elsewhere."""
    return {str(base).rpartition(".")[2] for one in (each, *each.mro()) for base in one.bases}


def _aliases(module: griffe.Object | griffe.Alias) -> Iterator[tuple[str, str]]:
    for name, member in module.members.items():
        if isinstance(member, griffe.Attribute | griffe.TypeAlias) and "Literal[" in str(member.value):
            yield name, str(member.value)


def _section(each: griffe.Class, types: "_Types") -> str:
    documented = [one for one in each.mro() if one.name in types.classes]
    fields = [field for field in _fields(each, documented) if not field.name.startswith("_")]
    undescribed = [field.name for field in fields if field.docstring is None]
    if undescribed or each.docstring is None:
        raise SystemExit(f"{each.path}: without a docstring: {', '.join(undescribed) or 'the class'}")
    head = [f"### {each.name}", re.sub(r"\s*\n\s*", " ", each.docstring.value)]
    head += [f"It has the fields of {types.shown(one.name)}, and:" for one in documented[:1]]
    rows = [(f"`{_name(field)}`", types.shown(str(field.annotation)), _meaning(field)) for field in fields]
    return "\n\n".join([*head, table(("field", "type", "meaning"), rows)])


def _fields(each: griffe.Class, documented: list[griffe.Class]) -> Iterator[griffe.Attribute]:
    """Yield the fields of the class, those of its base classes first, without the documented ones."""
    for one in reversed([one for one in (each, *each.mro()) if one not in documented]):
        for member in one.members.values():
            if isinstance(member, griffe.Attribute) and "property" not in member.labels:
                yield member


def _name(field: griffe.Attribute) -> str:
    renamed = re.search(r"""\bname=['"]([^'"]+)""", str(field.value or ""))
    return renamed[1] if renamed else field.name


def _meaning(field: griffe.Attribute) -> str:
    assert field.docstring is not None
    return cell(field.docstring.value)


class _Types:
    """Describes annotations in words, with links to the sections of the page."""

    def __init__(self, classes: set[str], aliases: dict[str, str]) -> None:
        self.classes = classes
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
                linked = f"[{name}](#{name.lower()})" if name in self.classes else name
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
    parser.add_argument("--check", action="store_true")
    text = (PARTS / "records.md").read_text("utf-8")
    write(DOCS / "records.md", page(text, DOCS.parent / "src"), check=parser.parse_args().check)


if __name__ == "__main__":
    _main()
