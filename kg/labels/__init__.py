"""Names of what can be wrong with a query and its result."""

from kg.labels._model import Label, Source
from kg.labels._read import LABELS, parse_labels
from kg.labels._text import detail_of, is_label, name_of, with_detail

__all__ = ["LABELS", "Label", "Source", "detail_of", "is_label", "name_of", "parse_labels", "with_detail"]
