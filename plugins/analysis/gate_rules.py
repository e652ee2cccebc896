"""Rules of the gate, and their parser."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.scores import (
    DIMENSIONS,
    JUDGED,
    LEAK,
    LEAK_KINDS,
    METRIC_NAMES,
    unknown_key,
)
from retrocypher.plugins.analysis.variation import FIGURES, less_is_better, variation_metric
from retrocypher.plugins.runs.record import KEY_METRICS
from retrocypher.plugins.statistics.paired import MARGIN

NO_REGRESSION = "no-regression"
CONFIDENCE = "confidence"


class Threshold(Struct, frozen=True):
    """The mean of a score is at least a number, or at most, in each slice."""

    metric: str
    limit: float
    """The number, from 0 to 1."""
    by: tuple[str, ...] = ()
    """What it is sliced by; empty for all cases together."""
    leak: str = ""
    """The label of the cases that it is about in the dimension ``leak``; empty for all cases."""
    confidence: float = 0.0
    """The least confidence, from 0 to 1, of the facts that the gold of its questions rests on; 0 for all."""

    @property
    def is_most(self) -> bool:
        """Whether the score is at most the number: for figures of which less is better."""
        return less_is_better(self.metric)

    def __str__(self) -> str:
        sign = "<=" if self.is_most else ">="
        about = f"{self.metric}{_confident(self.confidence)}{_where(self.leak)}{_by(self.by)}"
        return f"{about}{sign}{number(self.limit)}"


class NonInferiority(Struct, frozen=True):
    """The mean of a score is confidently not below the baseline's by more than a margin, in each slice."""

    metric: str
    margin: float
    """The allowed loss, from 0 to 1."""
    by: tuple[str, ...] = ()
    """What it is sliced by; empty for all pairs together."""
    leak: str = ""
    """As in `Threshold`; a case is selected in run and baseline by its label there."""
    confidence: float = 0.0
    """As in `Threshold`."""

    def __str__(self) -> str:
        about = f"{self.metric}{_confident(self.confidence)}{_where(self.leak)}"
        return f"{NO_REGRESSION} {about} margin={number(self.margin)}{_by(self.by)}"


Rule = Threshold | NonInferiority


def number(value: float) -> str:
    """Return the shortest text that parses to the same number."""
    return repr(float(value)).removesuffix(".0")


def _confident(least: float) -> str:
    return f"[{CONFIDENCE}>={number(least)}]" if least else ""


def _where(leak: str) -> str:
    return f" where {LEAK}={leak}" if leak else ""


def _by(names: tuple[str, ...]) -> str:
    return f" by {','.join(names)}" if names else ""


_AROUND = 60


class RuleError(InputError):
    """A gate rule with a syntax error; the message marks the place, ``position`` in ``text``."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        self.text = text
        self.position = position
        start = max(0, position - _AROUND)
        # One column for each character, so that the caret points to the right one.
        shown = "".join(each if each.isprintable() else "?" for each in text[start : position + _AROUND])
        super().__init__(
            f"gate rule, character {position + 1}: {problem}\n    {shown}\n    {' ' * (position - start)}^"
        )


_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_.@^-]*(?:\[[A-Za-z0-9_.-]+\])?)"
    r"|(?P<sign>>=|<=|==|!=|>|<|=|,|\[|\])"
)


class Token(NamedTuple):
    """A part of a rule."""

    kind: str
    """``number``, ``word``, ``sign``, or ``end`` after the last one."""
    text: str
    position: int


def tokens(text: str) -> Iterator[Token]:
    """Yield the parts of a rule, and one of kind ``end``; raise RuleError at a character that no rule has."""
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise RuleError(
                text,
                position,
                f"{text[position]!r} cannot be part of a rule; write for example f1 by task>=0.4",
            )
        if found.lastgroup != "space":
            yield Token(str(found.lastgroup), found.group(), position)
        position = found.end()
    yield Token("end", "", len(text))


_EXAMPLES = f"such as f1>=0.6, f1 by task>=0.4 or {NO_REGRESSION} f1 margin=0.02"


def parse_rule(text: str) -> Rule:
    """Return the rule in a text such as ``f1 by task>=0.4``; raise RuleError, which shows the place."""
    return _Parser(text).rule()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(tokens(text))
        self._at = 0

    def rule(self) -> Rule:
        if self._token.kind == "end":
            self._refuse(f"a rule is missing; give one {_EXAMPLES}")
        if self._token.text == NO_REGRESSION:
            self._at += 1
            return self._non_inferiority()
        metric = self._metric((*JUDGED, LEAK, NO_REGRESSION))
        confidence = self._confidence(metric)
        leak = self._where()
        by = self._by(metric) if self._token.text == "by" else ()
        leak = leak or self._where()
        sign = "<=" if less_is_better(metric) else ">="
        if self._token.text != sign:
            self._refuse(f"expected {sign}{self._instead()}: write {metric}{sign} and a number from 0 to 1")
        self._at += 1
        limit = self._number("0.6")
        self._end()
        return Threshold(metric, limit, by, leak, confidence)

    def _confidence(self, metric: str) -> float:
        if self._token.text != "[":
            return 0.0
        example = f"{metric}[{CONFIDENCE}>=0.7]"
        self._skip("[", CONFIDENCE, ">=", example=example)
        least = self._number("0.7")
        self._skip("]", example=example)
        return least

    def _skip(self, *expected: str, example: str) -> None:
        """Go past words that must stand here."""
        for each in expected:
            if self._token.text != each:
                self._refuse(f"expected {each}{self._instead()}: {example}")
            self._at += 1

    def _where(self) -> str:
        if self._token.text != "where":
            return ""
        self._skip("where", LEAK, "=", example=f"where {LEAK}=none")
        return self._name(("none", *LEAK_KINDS), "kind of leak")

    def _non_inferiority(self) -> NonInferiority:
        if self._token.text in JUDGED:
            self._refuse("a baseline has no scores of a judge; write a rule such as judge>=0.6")
        at, metric = self._at, self._metric()
        if less_is_better(metric):
            self._at = at
            self._refuse(f"{NO_REGRESSION} is for scores of which more is better; write {metric}<=0.1")
        confidence = self._confidence(metric)
        leak = self._where()
        margin: float | None = None
        by: tuple[str, ...] = ()
        while self._token.kind != "end":
            if self._token.text == "margin" and margin is None:
                self._at += 1
                if self._token.text != "=":
                    self._refuse(f"expected ={self._instead()}: margin=0.02")
                self._at += 1
                margin = self._number("0.02")
            elif self._token.text == "by" and not by:
                by = self._by(metric)
            elif self._token.text in ("margin", "by"):
                self._refuse(f"{self._token.text} is given twice; leave out one of them")
            else:
                self._refuse(f"expected margin=NUMBER or by{self._instead()}")
        return NonInferiority(metric, MARGIN if margin is None else margin, by, leak, confidence)

    def _by(self, metric: str) -> tuple[str, ...]:
        self._at += 1
        variation = variation_metric(metric)
        names = [self._dimension(())]
        while self._token.text == ",":
            self._at += 1
            names.append(self._dimension(names))
        if variation is not None and variation.over in names:
            self._at -= 1
            self._refuse(f"{metric} is over each {variation.over}, so it has no slices by it")
        return tuple(names)

    def _dimension(self, before: Sequence[str]) -> str:
        if self._token.text in before:
            self._refuse(f"{self._token.text} is named twice; leave out one of them")
        return self._name(DIMENSIONS, "slice")

    def _metric(self, also: Sequence[str] = ()) -> str:
        name = self._token.text
        if name in KEY_METRICS or variation_metric(name) is not None:
            self._at += 1
            return name
        if "[" in name:
            self._refuse(unknown_key(name))
        return self._name((*METRIC_NAMES, *FIGURES, *also), "score")

    def _name(self, known: Sequence[str], what: str) -> str:
        token = self._token
        choice = f"choose from {', '.join(known)}"
        if token.kind != "word":
            self._refuse(f"expected the name of a {what}{self._instead()}; {choice}")
        if token.text not in known:
            # Imported late: only a wrong name needs it.
            import difflib

            near = difflib.get_close_matches(token.text.lower(), known, n=1, cutoff=0.5)
            meant = f"did you mean {near[0]}? Otherwise " if near else ""
            self._refuse(f"no {what} is called {_cut(token.text)}; {meant}{choice}")
        self._at += 1
        return token.text

    def _number(self, example: str) -> float:
        token = self._token
        if token.kind != "number":
            self._refuse(f"a number is missing{self._instead()}; give one from 0 to 1, such as {example}")
        value = float(token.text)
        if not 0 <= value <= 1:
            self._refuse(f"{_cut(token.text)} is out of range; give a number from 0 to 1, such as {example}")
        self._at += 1
        # Turns minus zero, which is in the range, into zero.
        return value + 0.0

    def _end(self) -> None:
        if self._token.kind != "end":
            self._refuse(
                f"the rule ends before {_cut(self._token.text)}; leave out the rest, and give another "
                "rule with another --gate"
            )

    def _instead(self) -> str:
        return "" if self._token.kind == "end" else f", not {_cut(self._token.text)}"

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _refuse(self, problem: str) -> NoReturn:
        raise RuleError(self._text, self._token.position, problem)


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."
