"""What is used of the ANTLR runtime, which has no type hints: the one place that imports it."""

from antlr4 import CommonTokenStream, Parser
from antlr4.atn.ATN import ATN
from antlr4.atn.ATNDeserializer import ATNDeserializer
from antlr4.atn.ATNState import ATNState, RuleStopState
from antlr4.atn.ParserATNSimulator import ParserATNSimulator
from antlr4.atn.PredictionMode import PredictionMode
from antlr4.atn.Transition import Transition
from antlr4.dfa.DFA import DFA
from antlr4.error.ErrorListener import ErrorListener
from antlr4.error.Errors import RecognitionException
from antlr4.ListTokenSource import ListTokenSource
from antlr4.ParserRuleContext import ParserRuleContext
from antlr4.PredictionContext import PredictionContextCache
from antlr4.RuleContext import RuleContext
from antlr4.Token import CommonToken
from antlr4.tree.Tree import TerminalNode

__all__ = [
    "ATN",
    "DFA",
    "ATNDeserializer",
    "ATNState",
    "CommonToken",
    "CommonTokenStream",
    "ErrorListener",
    "ListTokenSource",
    "Parser",
    "ParserATNSimulator",
    "ParserRuleContext",
    "PredictionContextCache",
    "PredictionMode",
    "RecognitionException",
    "RuleContext",
    "RuleStopState",
    "TerminalNode",
    "Transition",
    "deserialize",
    "token_intervals",
]


def deserialize(atn: list[int]) -> ATN:
    """Return the network that a recognizer's tables hold."""
    return ATNDeserializer().deserialize(atn)


def token_intervals(transition: Transition, last: int, first: int = 1) -> list[range]:
    """The symbols from ``first`` to ``last`` that a transition consumes, as half-open ranges."""
    if transition.serializationType == Transition.WILDCARD:
        return [range(first, last + 1)]
    ranges: list[range] = list(transition.label.intervals)
    if transition.serializationType != Transition.NOT_SET:
        return ranges
    gaps, start = [], first
    for taken in sorted(ranges, key=lambda interval: interval.start):
        gaps.append(range(start, taken.start))
        start = taken.stop
    return [*gaps, range(start, last + 1)]
