"""How well the confidence of facts is calibrated, on facts that readers labelled."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import cast, get_args

import click
import yaml
from msgspec import Struct

from retrocypher.kg.evidence.compact import read_evidence
from retrocypher.kg.evidence.confidence import COUNTS_FILE, ConfidenceModel, Counts, KindCounts
from retrocypher.kg.evidence.evidence import FACT_KINDS, Fact, FactKind, Source, Verdict
from retrocypher.plugins.cli.console import FILE, emit, json_option

LABELLED = Path(__file__).with_name("facts") / "labelled.csv"
_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_BINS = 5
_HEAD = (
    "# Labelled facts of the default graph: all, and by what each source says of them.\n"
    "# Written by `python -m retrocypher.benchmarks.instruments confidence --build`.\n"
)


@dataclass(frozen=True, slots=True)
class LabelledFact:
    """A fact, whether it is right, and what the sources say of it."""

    fact: Fact
    right: bool
    verdicts: tuple[tuple[Source, Verdict], ...]


def labelled_facts(file: Path = LABELLED) -> list[LabelledFact]:
    """Return the labelled facts, without those whose label is unclear."""
    said = {each.fact: each.verdicts for each in read_evidence()}
    found = []
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            fact = Fact(int(row["reaction"]), cast(FactKind, row["kind"]), row["molecule"])
            if row["label"] != "unclear":
                found.append(LabelledFact(fact, row["label"] == "right", said[fact]))
    return found


def counts_of(facts: Iterable[LabelledFact]) -> dict[FactKind, KindCounts]:
    """Return the right and wrong facts of each kind: all, and by what each source says of them."""
    everything: dict[FactKind, Counter[bool]] = defaultdict(Counter)
    by_source: dict[tuple[FactKind, Source, Verdict], Counter[bool]] = defaultdict(Counter)
    for each in facts:
        everything[each.fact.kind][each.right] += 1
        for source, verdict in each.verdicts:
            by_source[each.fact.kind, source, verdict][each.right] += 1
    result = {}
    for kind in FACT_KINDS:
        sources: dict[Source, dict[Verdict, Counts]] = defaultdict(dict)
        for (of, source, verdict), found in sorted(by_source.items()):
            if of == kind:
                sources[source][verdict] = Counts(found[True], found[False])
        result[kind] = KindCounts(Counts(everything[kind][True], everything[kind][False]), dict(sources))
    return result


def out_of_sample(
    facts: Sequence[LabelledFact], left_out: Iterable[Source]
) -> Iterator[tuple[float, float, bool]]:
    """Yield for each fact its confidence, that of its kind alone, and whether it is right.

    Both are computed from the counts of the other half of the facts: every second one.
    """
    hidden = set(left_out)
    for half in (0, 1):
        model = ConfidenceModel(counts_of(facts[1 - half :: 2]))
        for each in facts[half::2]:
            verdicts = [said for said in each.verdicts if said[0] not in hidden]
            yield model.confidence(each.fact.kind, verdicts), model.confidence(each.fact.kind, ()), each.right


class Bin(Struct, frozen=True):
    """Facts of similar confidence."""

    facts: int
    confidence: float
    """Mean confidence."""
    right: float
    """Share that is right."""


class Calibration(Struct, frozen=True):
    """How well confidences are calibrated."""

    facts: int
    brier: float
    """Mean squared difference between confidence and outcome (Brier 1950), from 0 to 1; less is better."""
    brier_prior: float
    """The same for confidences from the kind of the fact alone."""
    bins: list[Bin]


def calibration_of(facts: Sequence[LabelledFact], left_out: Iterable[Source] = ()) -> Calibration:
    """Return the calibration of confidences without some sources, from counts of the other half."""
    found = sorted(out_of_sample(facts, left_out), key=lambda each: each[0])
    brier, prior = (sum((each[at] - each[2]) ** 2 for each in found) / len(found) for at in (0, 1))
    ends = [round(len(found) * place / _BINS) for place in range(_BINS + 1)]
    bins = []
    for low, high in pairwise(ends):
        part = found[low:high]
        bins.append(Bin(len(part), sum(e[0] for e in part) / len(part), sum(e[2] for e in part) / len(part)))
    return Calibration(len(found), brier, prior, bins)


@click.command("confidence")
@click.option("--build", is_flag=True, help="Write the counts that confidences are computed from.")
@click.option("--figure", type=FILE, help="Draw the reliability diagram into this file (SVG or PNG).")
@json_option
def confidence_command(build: bool, figure: Path | None, as_json: bool) -> None:
    """Measure how well the confidence of facts is calibrated."""
    facts = labelled_facts()
    if build:
        COUNTS_FILE.write_text(_HEAD + _yaml(counts_of(facts)))
    results = {
        "without texts": calibration_of(facts, frozenset({"text_name", "text_yield"})),
        "with texts": calibration_of(facts),
    }
    if figure is not None:
        _draw(results, figure)
    emit(as_json, results, *(line for name, each in results.items() for line in _lines(name, each)))


def _yaml(counts: Mapping[FactKind, KindCounts]) -> str:
    def pair(each: Counts) -> dict[str, int]:
        return {"right": each.right, "wrong": each.wrong}

    values = {
        kind: {
            "all": pair(of.all),
            "sources": {
                source: {verdict: pair(by[verdict]) for verdict in _VERDICTS if verdict in by}
                for source, by in of.sources.items()
            },
        }
        for kind, of in counts.items()
    }
    return yaml.safe_dump(values, sort_keys=False, default_flow_style=None)


def _lines(name: str, found: Calibration) -> Iterator[str]:
    yield f"{name}: {found.facts} facts, Brier score {found.brier:.4f}, by kind alone {found.brier_prior:.4f}"
    for each in found.bins:
        yield f"  {each.facts:>4} facts  mean confidence {each.confidence:.3f}  right {each.right:.3f}"


def _draw(results: Mapping[str, Calibration], file: Path) -> None:
    # Imported late: Matplotlib takes a second to load.
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 4.0), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=0)
    for (name, found), marker in zip(results.items(), "os", strict=True):
        axes.plot(
            [each.confidence for each in found.bins],
            [each.right for each in found.bins],
            marker=marker,
            label=f"{name} (Brier {found.brier:.3f})",
        )
    axes.set(xlim=(0.4, 1), ylim=(0.4, 1), xlabel="Confidence", ylabel="Share that is right")
    axes.legend(frameon=False, loc="upper left")
    # The same bytes each time.
    with rc_context({"svg.hashsalt": "reliability"}):
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
