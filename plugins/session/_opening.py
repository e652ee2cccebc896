"""Where a run is written: a new folder, or that of a run that is gone on with."""

from datetime import datetime
from pathlib import Path

from plugins.records import RunDirectory, new_run_path
from plugins.resume import RunKey, look_at, named_incomplete, newest_incomplete
from plugins.session._earlier_part import EarlierPart
from plugins.session._plan import Plan

# What these choose depends on how the last session ended, so that no two sessions are of the same cases.
_CHANGEABLE = frozenset({"lf", "stepwise", "stepwise_skip"})


def open_run(plan: Plan, key: RunKey, root: Path) -> tuple[RunDirectory, EarlierPart | None]:
    """Open the directory of a run, and return it with what a run that is gone on with has.

    Args:
        plan: What the run will do.
        key: Its key.
        root: The project's folder.

    Raises:
        InputError: If the folder that was named holds another run or other things, another process writes
            the run, or its records cannot be read.
    """
    options = plan.options
    given = Path(options.run_dir) if options.run_dir else None
    if not options.fresh and not _CHANGEABLE & key.parts["selection"].keys():
        earlier = named_incomplete(given, key) if given else newest_incomplete(root / "reports", key)
        if earlier is not None:
            return _opened(earlier)
    labels = [model.label for model in plan.models]
    return RunDirectory(given or new_run_path(root / "reports", labels, datetime.now())), None


def _opened(folder: Path) -> tuple[RunDirectory, EarlierPart]:
    run = RunDirectory(folder, go_on=True)
    try:
        return run, EarlierPart(run, look_at(folder))
    except BaseException:
        run.close()
        raise
