"""Shards in, the run they are parts of out."""

from plugins.merging._merge import Merged, merge
from plugins.merging._shard_run import ShardRun, read_shards

__all__ = ["Merged", "ShardRun", "merge", "read_shards"]
