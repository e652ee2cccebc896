"""The record of a case and the files of a run directory."""

from plugins.records._model import SCHEMA_VERSION, Record, Round

__all__ = ["SCHEMA_VERSION", "Record", "Round"]
