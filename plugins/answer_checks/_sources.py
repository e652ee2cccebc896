"""Where the reactions of the graph were read from."""

from collections.abc import Mapping

from kg.reactions import Source, read_graph, read_manifest


def sources_of(fingerprint: str) -> Mapping[int, Source]:
    """Return the record that each reaction of a graph was made from, by its id.

    Args:
        fingerprint: Of the graph; only of the default one is this known, of others it is empty.
    """
    if fingerprint != read_manifest()["fingerprint"]:
        return {}
    return {each.id: each.source for each in read_graph() if each.source is not None}
