"""What is said of a run and a baseline that are not of the same cases."""

from plugins.terminal import counted


def unpaired(only_baseline: int, only_run: int) -> str:
    """Say how a run differs from its baseline in what is asked; empty where all cases are pairs.

    Args:
        only_baseline: How many cases only the baseline has.
        only_run: How many cases only the run has.
    """
    parts = []
    if only_baseline:
        cases, has = counted(only_baseline, "case"), _has(only_baseline)
        parts.append(f"{cases} of the baseline {has} no partner in this run")
    if only_run:
        parts.append(f"{counted(only_run, 'case')} of this run {_has(only_run)} no partner in the baseline")
    return " and ".join(parts)


def _has(count: int) -> str:
    return "has" if count == 1 else "have"
