"""Finding the Cypher query, or a JSON object, in a model's answer."""

from prompts.extraction._extract import extract_cypher
from prompts.extraction._fields import extract_json, texts, yes_or_no
from prompts.extraction._regions import said_aloud
from prompts.extraction._sole import sole_json

__all__ = ["extract_cypher", "extract_json", "said_aloud", "sole_json", "texts", "yes_or_no"]
