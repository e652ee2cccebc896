"""Rules and a run in, a verdict out: whether a build may pass."""

from plugins.gate._calibrated import JUDGE_KAPPA, MOST_UNJUDGED
from plugins.gate._errors import RuleError
from plugins.gate._gate import Gate, gate_of, idle_baseline
from plugins.gate._judge import COMMON, REMEDY
from plugins.gate._lines import gate_lines, rule_line
from plugins.gate._parse import parse_rule
from plugins.gate._result import Found, GateResult, GateVerdict, RuleFinding, SliceFinding
from plugins.gate._rules import AtLeast, NoRegression, Rule
from plugins.gate._unpaired import unpaired

__all__ = [
    "COMMON",
    "JUDGE_KAPPA",
    "MOST_UNJUDGED",
    "REMEDY",
    "AtLeast",
    "Found",
    "Gate",
    "GateResult",
    "GateVerdict",
    "NoRegression",
    "Rule",
    "RuleError",
    "RuleFinding",
    "SliceFinding",
    "gate_lines",
    "gate_of",
    "idle_baseline",
    "parse_rule",
    "rule_line",
    "unpaired",
]
