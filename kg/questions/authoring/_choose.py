"""The plan of a question set, and the candidates that fill it."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from rdkit import rdBase

from kg.errors import GraphError
from kg.questions._model import MULTI_STEP_TASKS
from kg.questions._sampling import seeded_rank
from kg.questions.authoring._allocation import allocate
from kg.questions.authoring._candidate import Candidate, Kind
from kg.questions.authoring._chemistry import common_auxiliaries, is_synthesis_target
from kg.questions.authoring._multi_step_candidates import multi_step_candidates
from kg.questions.authoring._network import ReactionNetwork
from kg.questions.authoring._single_step_candidates import single_step_candidates

Plan = dict[Kind, int]


def read_plan(path: Path | None = None) -> Plan:
    """Return how many questions of each kind make a set, in the order they are written.

    Args:
        path: A YAML list of kinds with their ``count``; the shipped plan when None.
    """
    entries: list[dict[str, Any]] = yaml.safe_load(
        (path or Path(__file__).parents[1] / "plan.yaml").read_text(encoding="utf-8")
    )
    return {Kind(**{key: each[key] for key in each if key != "count"}): each["count"] for each in entries}


def choose(network: ReactionNetwork, plan: Plan, seed: int) -> dict[Kind, list[Candidate]]:
    """Choose the questions of a set, each kind in a random order that the seed fixes.

    Raises:
        GraphError: If the graph is too small for the plan.
    """
    auxiliaries = common_auxiliaries(network.reactions())
    is_target = cache(lambda name: name not in auxiliaries and is_synthesis_target(name))
    # RDKit remarks on odd ions, on standard error and once each
    with rdBase.BlockLogs():
        candidates = {kind: _candidates(network, kind, seed, is_target) for kind in plan}
    counts = with_smaller_sets(plan, {kind: len(found) for kind, found in candidates.items()})
    for kind, count in counts.items():
        if len(candidates[kind]) < count:
            raise GraphError(
                f"the graph holds {len(candidates[kind])} unambiguous questions of the kind '{kind}', and "
                f"{count} are needed; build a larger graph with `retrocypher graph build --source`"
            )
    chosen = allocate(candidates, counts)
    return {kind: sorted(found, key=lambda each: _rank(each, seed)) for kind, found in chosen.items()}


def with_smaller_sets(plan: Plan, available: dict[Kind, int]) -> Plan:
    """Return the plan with product sets the graph lacks made up for by sets one product smaller."""
    counts = dict(plan)
    by_size = sorted((kind for kind in plan if kind.products), key=lambda kind: -kind.products)
    for larger, smaller in pairwise(by_size):
        lacking = max(0, counts[larger] - available[larger])
        counts[larger] -= lacking
        counts[smaller] += lacking
    return counts


def _candidates(
    network: ReactionNetwork, kind: Kind, seed: int, is_target: Callable[[str], bool]
) -> Sequence[Candidate]:
    found = (
        multi_step_candidates(network, kind, is_target, seed)
        if kind.task in MULTI_STEP_TASKS
        else single_step_candidates(network, kind, is_target)
    )
    return sorted(found, key=lambda each: _rank(each, seed))


def _rank(candidate: Candidate, seed: int) -> bytes:
    return seeded_rank(seed, str(candidate.kind), *candidate.slots.values())
