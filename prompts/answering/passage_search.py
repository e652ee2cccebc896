"""Former place of names that are now in `passages`."""

from retrocypher.prompts.answering.passages import VectorSearch as VectorSearch
from retrocypher.prompts.answering.passages import WordSearch as WordSearch
