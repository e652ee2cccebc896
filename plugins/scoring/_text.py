"""Text similarity of two queries, on the tokens of Cypher's grammar."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import single_meteor_score
from rouge_score_rs.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU

from kg.cypher import Token, TokenKind, tokens

_BLANK = " "
_BLEU = BLEU(tokenize="none", smooth_method="exp", effective_order=True)


class _Numbers:
    """Splits texts in which tokens stand as numbers; the tokeniser of ROUGE-L."""

    def tokenize(self, text: str) -> list[str]:
        return text.split(_BLANK)


class _NoSynonyms:
    """In place of WordNet: no token has a synonym."""

    def synsets(self, word: str) -> list[str]:
        return []


class _WordStemmer:
    """Stems words only, so that no SMILES literal is folded."""

    def __init__(self) -> None:
        self._stem = lru_cache(maxsize=8192)(PorterStemmer().stem)

    def stem(self, token: str) -> str:
        return str(self._stem(token)) if token.isidentifier() else token


_ROUGE: Any = RougeScorer(["rougeL"], tokenizer=_Numbers())  # type: ignore[no-untyped-call]
_STEMMER = _WordStemmer()
_NO_SYNONYMS = _NoSynonyms()


def text_scores(reference: str, query: str | None) -> dict[str, float]:
    """Return BLEU, METEOR and ROUGE-L (F-measure) of a query, each in [0, 1]; 0 for no query.

    BLEU is sacrebleu's sentence score (four-grams, exponential smoothing, effective order). METEOR is
    NLTK's (alpha 0.9, beta 3, gamma 0.5) with its exact and stem stages and no synonyms.
    """
    wanted, given = reference_tokens(reference), query_tokens(query or "")
    if not wanted or not given:
        return {"bleu": 0.0, "meteor": 0.0, "rouge_l": 0.0}
    # Tokens may hold blanks (string literals do); numbers do not.
    numbers: dict[str, str] = {}
    wanted_text, given_text = (_numbered(side, numbers) for side in (wanted, given))
    bleu = _BLEU.sentence_score(given_text, [wanted_text]).score / 100
    meteor = single_meteor_score(wanted, given, preprocess=str, stemmer=_STEMMER, wordnet=_NO_SYNONYMS)
    rouge = _ROUGE.score(wanted_text, given_text)["rougeL"].fmeasure
    return {"bleu": _clamp(bleu), "meteor": _clamp(meteor), "rouge_l": _clamp(rouge)}


def _numbered(side: Sequence[str], numbers: dict[str, str]) -> str:
    return _BLANK.join(numbers.setdefault(token, str(len(numbers))) for token in side)


def query_tokens(query: str) -> Sequence[str]:
    """Return the tokens of a query as the metrics compare them.

    Comments and blanks are left out, keywords are in upper case and string literals in single quotes, so
    that no score depends on what Neo4j does not tell apart.
    """
    return tuple(_comparable(token) for token in tokens(query))


def _comparable(token: Token) -> str:
    if token.kind is TokenKind.KEYWORD:
        return token.text.upper()
    return f"'{token.text[1:-1]}'" if token.kind is TokenKind.STRING else token.text


@lru_cache(maxsize=4096)
def reference_tokens(reference: str) -> Sequence[str]:
    """Return the tokens of a reference query, which many cases share."""
    return query_tokens(reference)


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, float(value)))
