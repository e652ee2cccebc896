"""Records of a run in parts, each done in a process of its own."""

from plugins.parts._chunks import Chunk, chunks_of, records_of
from plugins.parts._workers import cores, in_processes, spare_collections

__all__ = ["Chunk", "chunks_of", "cores", "in_processes", "records_of", "spare_collections"]
