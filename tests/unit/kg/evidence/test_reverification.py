"""Which facts are to be verified again, and what a new reading of the sources changes."""

from retrocypher.kg.evidence.confidence import ConfidenceModel, Counts, KindCounts
from retrocypher.kg.evidence.evidence import Evidence, Fact, Source, Verdict
from retrocypher.kg.evidence.reverification import confidence_changes, to_recheck
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.graph.reaction import Source as Record

OLD, NEW = (
    Reaction(number, ("A",), ("B",), (), ("S",), (None,), Record("f", number, "", month))
    for number, month in ((2, "1976-01"), (1, "2001-07"))
)
MODEL = ConfidenceModel(
    {
        "USES_SOLVENT": KindCounts(
            Counts(47, 27), {"other_reading": {"agrees": Counts(44, 10), "differs": Counts(3, 17)}}
        )
    }
)


def solvent(reaction: int, *verdicts: tuple[Source, Verdict]) -> Evidence:
    return Evidence(Fact(reaction, "USES_SOLVENT", "S"), verdicts)


def test_the_oldest_facts_come_first() -> None:
    product = Evidence(Fact(1, "PRODUCES", "B"), (("other_reading", "agrees"),))
    evidence = [solvent(1), product, solvent(2)]
    found = to_recheck(evidence, [NEW, OLD])
    assert [each.fact.reaction for each in found.unchecked] == [2, 1]
    assert found.differing == ()
    disputed = [solvent(1, ("other_reading", "differs")), solvent(2, ("other_reading", "differs"))]
    assert [each.fact.reaction for each in to_recheck(disputed, [NEW, OLD]).differing] == [2, 1]


def test_falls_are_flagged_and_rises_are_not() -> None:
    agreed, doubtful = solvent(1, ("other_reading", "agrees")), solvent(1, ("other_reading", "differs"))
    (fall,) = confidence_changes([agreed], [doubtful], MODEL, [NEW])
    assert fall.is_fall
    (rise,) = confidence_changes([doubtful], [agreed], MODEL, [NEW])
    assert not rise.is_fall
    assert (rise.before, rise.after) == (fall.after, fall.before)
    assert not confidence_changes([agreed], [agreed], MODEL, [NEW])
    (gone,) = confidence_changes([agreed], [], MODEL, [NEW])
    assert (gone.after, gone.is_fall) == (None, False)


def test_changes_of_the_oldest_records_come_first() -> None:
    agreed = [solvent(number, ("other_reading", "agrees")) for number in (1, 2)]
    changes = confidence_changes(agreed, [solvent(1), solvent(2)], MODEL, [NEW, OLD])
    assert [each.fact.reaction for each in changes] == [2, 1]
