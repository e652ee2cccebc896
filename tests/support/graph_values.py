"""Values as rows of a result hold them."""

from typing import Any

from hypothesis import strategies as st

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["C", "CCO", "id", "12", "", "\ud800", 0, 1])
)
_NAMES = "id name yield step1 step2 reactants reaction labels properties nodes relationships start end"
_TAGS = "$node $path $relationship $map $float $temporal"
_KEYS = st.sampled_from([*_NAMES.split(), *_TAGS.split()]) | st.text(max_size=4)
_NODES = st.builds(
    lambda labels, properties: {"$node": {"id": "x", "labels": labels, "properties": properties}},
    st.sampled_from([["Reaction"], ["Molecule"], [], None, "Reaction"]),
    st.dictionaries(_KEYS, _SCALARS, max_size=2),
)
VALUES = st.recursive(
    _SCALARS | _NODES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_KEYS, inner, max_size=3)
        | st.builds(lambda n, r: {"$path": {"nodes": n, "relationships": r}}, inner, inner)
        | st.builds(lambda v: {"$relationship": {"start": "x", "end": "y", "properties": v}}, inner)
    ),
    max_leaves=8,
)
"""Any value, also one that no graph returns."""


def molecule(name: str) -> dict[str, Any]:
    return {"$node": {"id": f"m{name}", "labels": ["Molecule"], "properties": {"name": name}}}


def reaction(number: int) -> dict[str, Any]:
    return {"$node": {"id": f"r{number}", "labels": ["Reaction"], "properties": {"id": number}}}
