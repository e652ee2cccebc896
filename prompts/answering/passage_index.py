"""Former place of names that are now in `passages`."""

from retrocypher.prompts.answering.passages import ENCODER as ENCODER
from retrocypher.prompts.answering.passages import build_index as build_index
from retrocypher.prompts.answering.passages import read_index as read_index
