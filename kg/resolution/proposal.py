"""Conflicts of a graph with the values at issue, what strategies decide, and proposals that people edit."""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml
from msgspec import Struct, structs

from retrocypher.kg.audit.finding import AUDIT_RULES, Finding
from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.confidence import default_model, exclusive
from retrocypher.kg.evidence.evidence import Source, Verdict
from retrocypher.kg.evidence.text import is_near, stated_yield
from retrocypher.kg.graph.reaction import Reaction, RecordYield, place_of
from retrocypher.kg.paths import write_whole

_HEADER = """\
# Conflicts of a graph. Edit each `decision`, then run `retrocypher graph apply`:
#   {keep: VALUE}  keep this candidate, drop the others
#   drop           drop all candidates
#   review         leave the graph as it is
# Entries may be deleted. Nothing else may be changed: `proposed` is what the strategy chose.
"""


Value = float | str
"""A yield in percent, the name of a role, or the id of a reaction."""

Strategy = Literal["highest_confidence", "most_evidence", "most_recent", "review", "by_hand"]
"""What chose a decision; ``by_hand`` is a person who changed what a strategy proposed."""

RESOLVABLE = tuple(
    name for name, rule in AUDIT_RULES.items() if rule.kind != "unbalanced" and name != "impossible_valence"
)
"""The rules of the audit whose findings are conflicts between values that the graph can keep or drop."""

_SOURCE: Source = "text_yield"
_TEXT = "procedure text"
_DATE = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-\d{2})?)?")
"""ISO 8601, which alone can be compared as text."""


class Keep(Struct, frozen=True, forbid_unknown_fields=True):
    """The decision to keep one value and to drop the others."""

    keep: Value


Decision = Literal["drop", "review"] | Keep


class Candidate(Struct, frozen=True, forbid_unknown_fields=True):
    """A value at issue.

    Attributes:
        confidence: Of a yield that a record gives, from 0 to 1, by `retrocypher.kg.evidence.confidence`; of
            several at most one is right. None for other values: no labelled fact tells how often these are.
        sources: How many sources name it.
        named_by: The sources: records with file, row and grant month, or the procedure text.
        date: The latest grant date among them.
    """

    value: Value
    confidence: float | None
    sources: int
    named_by: tuple[str, ...]
    date: str | None


class Conflict(Struct, frozen=True, forbid_unknown_fields=True):
    """Values of which the graph can keep at most one.

    Attributes:
        rules: The rules of the audit that found it.
        about: The yield of a product, the role of a molecule, or which of some reactions to keep.
        molecule: The product or molecule; empty for reactions.
        proposed: What the strategy chose; ``decision`` is what a person made of it.
    """

    rules: tuple[str, ...]
    about: Literal["yield", "role", "reaction"]
    reactions: tuple[int, ...]
    molecule: str
    candidates: tuple[Candidate, ...]
    strategy: Strategy = "review"
    proposed: Decision = "review"
    decision: Decision = "review"

    @property
    def kept(self) -> Value | None:
        """The value that is kept; None if all are dropped, or it is left for review."""
        return self.decision.keep if isinstance(self.decision, Keep) else None

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it from the other conflicts of a graph."""
        return self.about, self.rules, self.reactions, self.molecule


class Thresholds(Struct, frozen=True, forbid_unknown_fields=True):
    """What the strategies demand: a confidence and a number of sources above these.

    ``temporal`` names the rules whose conflicts are about time. A reaction does not change over time, so
    it is empty unless a person names one.
    """

    confidence: float
    evidence: int
    temporal: tuple[str, ...] = ()


def find_conflicts(
    reactions: Sequence[Reaction],
    findings: Sequence[Finding],
    texts: Mapping[int, str],
    records: Mapping[int, Sequence[RecordYield]],
) -> Iterator[Conflict]:
    """Yield the conflicts behind the findings of an audit: by reaction, then those between reactions.

    Args:
        texts: Procedure texts by reaction.
        records: The yields of the records of disputed reactions.
    """
    by_id = {each.id: each for each in reactions}
    for number in dict.fromkeys(each.reactions[0] for each in findings if len(each.reactions) == 1):
        yield from _yields(by_id[number], texts.get(number, ""), records.get(number, ()))
        yield from _roles(by_id[number])
    for finding in findings:
        if len(finding.reactions) > 1:
            members = [by_id[number] for number in finding.reactions]
            candidates = tuple(_candidate(each.id, None, [_record_of(each)]) for each in members)
            yield Conflict((finding.rule,), "reaction", finding.reactions, "", candidates)


def decide(conflict: Conflict, thresholds: Thresholds) -> tuple[Strategy, Decision]:
    """Return the strategy that decides a conflict, and its decision.

    The strategies are those of GraphBuilder-RAG in its order: highest confidence, most evidence, recency for
    conflicts about time, else review. None of them decides between equals, or about a single value. Which
    value is the most confident is known only where all confidences are.
    """
    several = conflict.candidates if len(conflict.candidates) > 1 else ()
    is_known = all(each.confidence is not None for each in several)
    is_temporal = not set(thresholds.temporal).isdisjoint(conflict.rules)
    confident = [each for each in several if is_known and (each.confidence or 0.0) > thresholds.confidence]
    proven = [each for each in several if each.sources > thresholds.evidence]
    dated = [each for each in several if is_temporal and _DATE.fullmatch(each.date or "")]
    steps: tuple[tuple[Strategy, list[Candidate], Callable[[Candidate], Any]], ...] = (
        ("highest_confidence", confident, lambda each: each.confidence or 0.0),
        ("most_evidence", proven, lambda each: each.sources),
        ("most_recent", dated, lambda each: each.date),
    )
    for strategy, eligible, rank in steps:
        best = [each for each in eligible if rank(each) == max(map(rank, eligible))]
        if len(best) == 1:
            return strategy, Keep(best[0].value)
    return "review", "review"


def _yields(reaction: Reaction, text: str, records: Sequence[RecordYield]) -> Iterator[Conflict]:
    found = stated_yield(reaction, text)
    stated = None if found is None else found.value
    own_record = _record_of(reaction)
    for product, kept in zip(reaction.products, reaction.yields, strict=True):
        named: dict[float, list[tuple[str, str | None]]] = defaultdict(list)
        for each in records:
            if each.product == product and (reaction.yields_disputed or each.value == kept):
                named[each.value].append((place_of(each), each.grant_date))
        if kept is not None and kept not in named:
            named[kept].append(own_record)
        own = []
        if reaction.yields_disputed and (len(named) > 1 or (named and not records)):
            own.append("record_yields")
        of_records = tuple(named)
        in_text = None
        # A text that confirms its own record tells nothing about other records of the reaction.
        if stated is not None and kept is not None and not (own and is_near(stated, kept)):
            in_text = min(named, key=lambda value: abs(value - stated))
            if not is_near(stated, kept):
                own.append("text_yield")
            if not is_near(stated, in_text):
                in_text = stated
            named[in_text].append((_TEXT, own_record[1]))
        if kept is not None and not 0 <= kept <= 100:
            own.append("yield_out_of_range")
        if kept is not None and len(reaction.known_yields) > 1 and sum(reaction.known_yields.values()) > 100:
            own.append("yields_over_100")
        if own:
            alone = []
            for value in of_records:
                verdict: Verdict = "agrees" if value == in_text else "differs"
                said = () if in_text is None else ((_SOURCE, verdict),)
                alone.append(default_model().confidence("yield", said))
            known = dict(zip(of_records, exclusive(alone), strict=True))
            candidates = tuple(_candidate(value, known.get(value), named[value]) for value in sorted(named))
            yield Conflict(tuple(own), "yield", (reaction.id,), product, candidates)


def _roles(reaction: Reaction) -> Iterator[Conflict]:
    for name in reaction.molecules:
        roles = [role for role, members in reaction.by_role.items() if name in members]
        if len(roles) > 1:
            is_both = {"reactants", "products"} <= set(roles)
            rules = ("two_roles",) * (len(roles) > 2 or not is_both) + ("product_is_reactant",) * is_both
            candidates = tuple(_candidate(role, None, [_record_of(reaction)]) for role in roles)
            yield Conflict(rules, "role", (reaction.id,), name, candidates)


def _candidate(
    value: Value, confidence: float | None, sources: Sequence[tuple[str, str | None]]
) -> Candidate:
    date = max((date for _, date in sources if date), default=None)
    rounded = None if confidence is None else round(confidence, 4)
    return Candidate(value, rounded, len(sources), tuple(name for name, _ in sources), date)


def _record_of(reaction: Reaction) -> tuple[str, str | None]:
    """The record of a reaction, as people read it, and its grant date."""
    source = reaction.source
    return (place_of(source), source.grant_date) if source else ("a record without a place", None)


class Proposal(Struct, frozen=True, forbid_unknown_fields=True):
    """Conflicts of the graph with a fingerprint."""

    graph: str
    thresholds: Thresholds
    """Those that the strategies had."""
    conflicts: tuple[Conflict, ...]


def propose(fingerprint: str, conflicts: Iterable[Conflict], thresholds: Thresholds) -> Proposal:
    """Return a proposal in which the strategies have decided what they can."""
    decided = []
    for each in conflicts:
        strategy, proposed = decide(each, thresholds)
        decided.append(structs.replace(each, strategy=strategy, proposed=proposed, decision=proposed))
    return Proposal(fingerprint, thresholds, tuple(decided))


def write_proposal(file: Path, proposal: Proposal) -> None:
    """Write a proposal; raise InputError if that fails."""
    text = yaml.safe_dump(
        msgspec.to_builtins(proposal),
        sort_keys=False,
        allow_unicode=True,
        width=sys.maxsize,
        default_flow_style=None,
    )
    write_whole(file, _HEADER + text)


def check_entries(proposal: Proposal, known: Iterable[Conflict], file: Path) -> None:
    """Raise InputError if more than decisions was edited, or an entry keeps what is no candidate."""
    made = {each.key: each for each in propose(proposal.graph, known, proposal.thresholds).conflicts}
    for number, entry in enumerate(proposal.conflicts, start=1):
        of = f"{entry.molecule} in " if entry.molecule else ""
        where = f"{file}, entry {number} ({entry.about} of {of}{', '.join(map(str, entry.reactions))})"
        if (own := made.pop(entry.key, None)) is None:
            raise InputError(
                f"{where}: the graph has no such conflict (the log of a version may have settled it), or an "
                "entry before is about the same conflict. Delete the entry."
            )
        names = (each for each in entry.__struct_fields__ if each != "decision")
        if changed := [each for each in names if getattr(entry, each) != getattr(own, each)]:
            raise InputError(
                f"{where}: {', '.join(changed)} changed since `graph audit` wrote the file: only `decision` "
                "may be edited, and another version may propose other things. Make the proposal again."
            )
        values = [each.value for each in entry.candidates]
        if entry.kept not in (None, *values):
            shown = ", ".join(map(repr, values))
            raise InputError(f"{where}: {entry.kept!r} is not among the candidates. Keep one of {shown}.")
