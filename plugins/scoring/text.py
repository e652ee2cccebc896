"""Text similarity of two queries, on the tokens of Cypher's grammar."""

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import distribution
from types import ModuleType
from typing import Any, NamedTuple

from retrocypher.kg.cypher.parser import MOST_TOKENS
from retrocypher.kg.cypher.tokens import Token, TokenKind, tokens

# These packages import all of NLTK and, with it, SciPy's statistics.
_PACKAGES = ("nltk", "nltk.corpus", "nltk.stem", "nltk.translate")


def nltk_module(name: str) -> ModuleType:
    """Return a module of NLTK, by its name below ``nltk``, without the rest of NLTK.

    All of NLTK costs each process 0.7 s and 40 MiB. So empty packages stand in for its own while the module
    is imported, and nothing of it stays in `sys.modules`: whoever imports NLTK gets all of it.
    """
    if "nltk" in sys.modules:
        return import_module(f"nltk.{name}")
    installed = distribution("nltk")
    for package in _PACKAGES:
        stand_in = sys.modules[package] = ModuleType(package)
        stand_in.__path__ = [str(installed.locate_file(package.replace(".", "/")))]
    # The corpora are named in defaults, which no caller of ours takes.
    vars(sys.modules["nltk.corpus"]).update(stopwords=None, wordnet=None, WordNetCorpusReader=None)
    try:
        return import_module(f"nltk.{name}")
    finally:
        for loaded in [each for each in sys.modules if each.partition(".")[0] == "nltk"]:
            del sys.modules[loaded]


_BLANK = " "


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

    def __init__(self, stem: Callable[[str], str]) -> None:
        self._stem = lru_cache(maxsize=8192)(stem)

    def stem(self, token: str) -> str:
        return self._stem(token) if token.isidentifier() else token


class _Metrics:
    """The libraries' metrics, set up once."""

    def __init__(self) -> None:
        # They take half a second to load, which a session that scores nothing need not wait for.
        from rouge_score_rs.rouge_scorer import RougeScorer
        from sacrebleu.metrics.bleu import BLEU

        self._bleu = BLEU(tokenize="none", smooth_method="exp", effective_order=True)
        self._rouge: Any = RougeScorer(["rougeL"], tokenizer=_Numbers())  # type: ignore[no-untyped-call]
        self._meteor = partial(
            nltk_module("translate.meteor_score").single_meteor_score,
            preprocess=str,
            stemmer=_WordStemmer(nltk_module("stem.porter").PorterStemmer().stem),
            wordnet=_NoSynonyms(),
        )

    def bleu(self, reference: str, query: str) -> float:
        return self._bleu.sentence_score(query, [reference]).score / 100

    def meteor(self, reference: Sequence[str], query: Sequence[str]) -> float:
        return float(self._meteor(reference, query))

    def rouge_l(self, reference: str, query: str) -> float:
        return float(self._rouge.score(reference, query)["rougeL"].fmeasure)


@lru_cache(maxsize=1)
def _metrics() -> _Metrics:
    return _Metrics()


class TextScores(NamedTuple):
    """Similarity of a query to the reference query, each in [0, 1]."""

    bleu: float
    meteor: float
    rouge_l: float


def text_scores(reference: str, query: str | None) -> TextScores:
    """Return BLEU, METEOR and ROUGE-L (F-measure) of a query, each in [0, 1]; 0 for no query.

    BLEU is sacrebleu's sentence score (four-grams, exponential smoothing, effective order). METEOR is
    NLTK's (alpha 0.9, beta 3, gamma 0.5) with its exact and stem stages and no synonyms.
    """
    return _similarity(reference, query_tokens(query or ""))


@lru_cache(maxsize=256)
def _similarity(reference: str, given: Sequence[str]) -> TextScores:
    """BLEU, METEOR and ROUGE-L; a question often has the same query as an answer, from other prompts."""
    wanted = reference_tokens(reference)
    if not wanted or not given:
        return TextScores(0.0, 0.0, 0.0)
    # Tokens may hold blanks (string literals do); numbers do not.
    numbers: dict[str, str] = {}
    wanted_text, given_text = (_numbered(side, numbers) for side in (wanted, given))
    metrics = _metrics()
    return TextScores(
        _clamp(metrics.bleu(wanted_text, given_text)),
        _clamp(metrics.meteor(wanted, given)),
        _clamp(metrics.rouge_l(wanted_text, given_text)),
    )


def _numbered(side: Sequence[str], numbers: dict[str, str]) -> str:
    return _BLANK.join(numbers.setdefault(token, str(len(numbers))) for token in side)


def query_tokens(query: str) -> Sequence[str]:
    """Return the tokens of a query as the metrics compare them, without comments, at most `MOST_TOKENS`.

    Keywords are in upper case and string literals in single quotes, because Neo4j does not distinguish them.
    """
    return tuple(_comparable(token) for token in tokens(query)[:MOST_TOKENS])


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
