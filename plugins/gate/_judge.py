"""Whether a run meets the rules of a gate."""

from collections.abc import Iterable, Iterator

from kg.errors import InputError
from plugins.comparison import Compared, Side, compare_sides, still_said
from plugins.gate._result import Found, RuleFinding, SliceFinding
from plugins.gate._rules import AtLeast, NoRegression, Rule
from plugins.gate._unpaired import unpaired
from plugins.statistics import Held, ScoreTable, no_regression, slice_means
from plugins.terminal import counted

TIE = 1e-9
"""A mean this near to its threshold is at it: sums of floats end in digits that mean nothing."""

REMEDY = "Run as the baseline was, or save a new one with `retrocypher baseline save RUN NAME --replace`."
COMMON = "With --gate-partial what they have in common is judged."
CHANGES = 10
_WORST = (Found.FAILS, Found.REGRESSED, Found.INCONCLUSIVE, Found.HOLDS)
_AS = {
    Held.HOLDS: Found.HOLDS,
    Held.REGRESSED: Found.REGRESSED,
    Held.INCONCLUSIVE: Found.INCONCLUSIVE,
}


def judge_rule(
    rule: Rule, run: Side, baseline: Side | None, *, allow_inconclusive: bool, partial: bool
) -> RuleFinding:
    """Return what becomes of a rule.

    Args:
        rule: The rule.
        run: The scores of the run.
        baseline: Those it is measured against; needed by rules against regressions.
        allow_inconclusive: Whether what cannot be told holds.
        partial: Whether what run and baseline have in common is enough; else a case without a partner fails.
    """
    if isinstance(rule, AtLeast):
        slices = tuple(_at_least(rule, run.table()))
        found = _worst(slices)
        return RuleFinding(rule, found, found is Found.HOLDS, slices)
    try:
        if baseline is None:
            raise InputError("there is no baseline to compare with")
        by = (rule.by,) if rule.by else ()
        compared = compare_sides(baseline, run, rule.metric, by, remedy=REMEDY)
    except InputError as error:
        return RuleFinding(rule, Found.FAILS, holds=False, reason=str(error))
    if not partial and (other := _unpaired(compared)):
        return RuleFinding(rule, Found.FAILS, holds=False, reason=f"{other}. {REMEDY} {COMMON}")
    slices = tuple(_against(rule, run, compared))
    found = _worst(slices)
    holds = found is Found.HOLDS or (found is Found.INCONCLUSIVE and allow_inconclusive)
    # Of changes of one size, losses first: they are what the rule is about.
    changes = sorted(
        compared.comparison.changes, key=lambda each: (-abs(each.b - each.a), each.b > each.a, each.case)
    )
    return RuleFinding(
        rule,
        found,
        holds,
        slices,
        changes=tuple(changes[:CHANGES]),
        changed=len(changes),
        notes=tuple(_notes(compared, slices)),
    )


def _at_least(rule: AtLeast, table: ScoreTable) -> Iterator[SliceFinding]:
    told = list(slice_means(table, rule.by, (rule.metric,)))
    if not told:
        yield SliceFinding({}, Found.FAILS, None, "there is no case")
    for each in told:
        if each.mean.value is None:
            yield SliceFinding(
                each.slice, Found.FAILS, None, f"{rule.metric} is defined for none of its cases"
            )
        else:
            holds = each.mean.value >= rule.least - TIE
            yield SliceFinding(each.slice, Found.HOLDS if holds else Found.FAILS, each.mean)


def _against(rule: NoRegression, run: Side, compared: Compared) -> Iterator[SliceFinding]:
    comparison = compared.comparison
    # Only what pairs share can be sliced by: in all else the two differ.
    if other := [name for name in rule.by if name not in (*_OF_QUESTIONS, *comparison.paired_on)]:
        reason = f"the run and its baseline have no {other[0]} in common, so there are no slices by it"
        yield SliceFinding({}, Found.FAILS, None, reason)
        return
    for pairs in comparison.slices if rule.by else (comparison.overall,):
        found = _AS[no_regression(pairs.difference, rule.margin)]
        reason = "" if pairs.difference.has_interval else "too few molecules for an interval"
        yield SliceFinding(pairs.slice, found, pairs.difference, reason, pairs)
    compared_slices = [each.slice for each in comparison.slices]
    for labels, _ in run.table().slices(rule.by) if rule.by else ():
        if labels not in compared_slices:
            yield SliceFinding(
                labels, Found.FAILS, None, "no case of it has a partner with a score in the baseline"
            )


_OF_QUESTIONS = ("setting", "task", "steps")


def _notes(compared: Compared, slices: Iterable[SliceFinding]) -> Iterator[str]:
    told = compared.comparison
    if still := still_said(each.pairs for each in slices if each.pairs is not None):
        yield still
    if other := _unpaired(compared):
        yield other
    if told.unscored:
        has = "has" if len(told.unscored) == 1 else "have"
        yield f"{counted(len(told.unscored), 'pair')} {has} no {told.metric} on one side"
    if compared.a.part:
        yield f"the baseline is {compared.a.part}"


def _unpaired(compared: Compared) -> str:
    return unpaired(len(compared.comparison.only_a), len(compared.comparison.only_b))


def _worst(slices: tuple[SliceFinding, ...]) -> Found:
    return min((each.found for each in slices), key=_WORST.index, default=Found.FAILS)
