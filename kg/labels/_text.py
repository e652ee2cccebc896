"""Labels as a record writes them: a name, or ``name:detail``."""

from kg.labels._read import LABELS


def name_of(label: str) -> str:
    """Return the name of a label without its detail."""
    return label.partition(":")[0]


def detail_of(label: str) -> str | None:
    """Return what stands after the colon, None where nothing does."""
    return label.partition(":")[2] or None


def with_detail(name: str, detail: str | None) -> str:
    """Return a label as records write it.

    Raises:
        ValueError: There is no such label, or the label has no such detail.
    """
    label = name if detail is None else f"{name}:{detail}"
    if not is_label(label):
        raise ValueError(f"{label!r} is not an error label; kg/labels/labels.yaml lists them")
    return label


def is_label(label: str) -> bool:
    """Whether a text is a known label, with one of its details or without."""
    name, colon, detail = label.partition(":")
    return name in LABELS and (not colon or detail in LABELS[name].details)
