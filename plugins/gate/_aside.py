"""What a run lacks beside its scores of execution, and whether a gate asks for it."""

from collections.abc import Sequence

from plugins.comparison import Side
from plugins.gate._calibrated import judge_rules
from plugins.gate._rules import Rule
from plugins.terminal import counted


def unasked(rules: Sequence[Rule], run: Side) -> str:
    """Return which judgements are missing that a rule is about, in words; empty where none.

    Args:
        rules: The rules of a gate.
        run: The scores of the run.
    """
    about = judge_rules(rules)
    return f"{run.unasked:,} whose judge could not be asked, for {about[0]}" if about and run.unasked else ""


def aside(rules: Sequence[Rule], run: Side) -> str:
    """Return what is missing that no rule is about, in words; empty where nothing is.

    Args:
        rules: The rules of a gate.
        run: The scores of the run.
    """
    judgements = 0 if judge_rules(rules) else run.unasked
    lacking = [f"{counted(judgements, 'case')} without a judgement"] if judgements else []
    lacking += [f"{counted(run.unanswered, 'case')} without a whole answer"] if run.unanswered else []
    return f"judged although incomplete, in what no rule is about: {', '.join(lacking)}" if lacking else ""
