"""Parts of a run that are run apart."""

from plugins.shards._shard import Shard, parse_shard

__all__ = ["Shard", "parse_shard"]
