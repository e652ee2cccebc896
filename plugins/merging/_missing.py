"""What shards lack for a whole run."""

from collections.abc import Iterator, Mapping

from plugins.merging._index import Index
from plugins.merging._shard_run import ShardRun
from plugins.records import JUDGE_STAGE, read_questions
from plugins.terminal import counted


def missing(index: Index) -> list[str]:
    """Return what is missing, a line each: shards that are not there, and what each of the others lacks."""
    runs = index.runs
    of = runs[0].shard.of
    there = {run.shard.number for run in runs}
    absent = [str(number) for number in range(1, of + 1) if number not in there]
    told = []
    if absent:
        cases = runs[0].manifest["shard"]["cases_in_all"] - sum(run.manifest["cases"] for run in runs)
        named = f"shard{'' if len(absent) == 1 else 's'} {_few(absent)} of {of}"
        told.append(f"{named} {'is' if len(absent) == 1 else 'are'} missing, {cases:,} of the cases")
    for number, run in enumerate(runs):
        if lacks := _lacks(run, index.by_run[number], index, number):
            told.append(f"{run} {lacks}")
    return told


def _lacks(run: ShardRun, recorded: int, index: Index, number: int) -> str:
    if recorded < run.selected:
        example = next(_unrecorded(run, index, number), None)
        shown = f"; {example} is missing, for example" if example else ""
        return f"has {recorded:,} of {counted(run.selected, 'case')}{shown}"
    if not run.summary:
        return "was killed before its end"
    if errors := run.summary.get("infrastructure_errors"):
        return f"has no score for {errors:,} of its cases (infrastructure errors)"
    if faults := (run.summary.get("infrastructure_errors_by_stage") or {}).get(JUDGE_STAGE):
        return f"has no judgement of {faults:,} of its cases (the judge could not be asked)"
    return "" if run.complete else "is incomplete"


def _unrecorded(run: ShardRun, index: Index, number: int) -> Iterator[str]:
    """Yield cases that a shard should have: each question with all that others of its setting went with."""
    if run.selected != run.manifest["cases"]:
        return
    questions = read_questions(run.path)
    mine = [case for case, (holder, _) in index.cases.items() if holder == number]
    suffixes: Mapping[str, dict[str, None]] = {"single_step": {}, "multi_step": {}}
    for case in mine:
        question = max((name for name in _prefixes(case) if name in questions), key=len, default=None)
        if question:
            suffixes[questions[question].setting].setdefault(case[len(question) :])
    held = set(mine)
    for name, question_ in questions.items():
        for suffix in suffixes[question_.setting]:
            if name + suffix not in held:
                yield name + suffix


def _prefixes(case: str) -> Iterator[str]:
    parts = case.split("-")
    return ("-".join(parts[:count]) for count in range(1, len(parts)))


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 5 else f"{', '.join(names[:4])} and {len(names) - 4} more"
