"""What is said of a run and a baseline that are not of the same cases."""


def unpaired(only_baseline: int, only_run: int) -> str:
    """Say how a run differs from its baseline in what is asked; empty where all cases are pairs.

    Args:
        only_baseline: How many cases only the baseline has.
        only_run: How many cases only the run has.
    """
    parts = []
    if only_baseline:
        parts.append(f"{_cases(only_baseline)} of the baseline {_has(only_baseline)} no partner in this run")
    if only_run:
        parts.append(f"{_cases(only_run)} of this run {_has(only_run)} no partner in the baseline")
    return " and ".join(parts)


def _cases(count: int) -> str:
    return f"{count:,} case{'' if count == 1 else 's'}"


def _has(count: int) -> str:
    return "has" if count == 1 else "have"
