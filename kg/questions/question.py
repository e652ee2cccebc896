"""Questions, the ten tasks, paraphrases, and the choice of which questions are asked."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from msgspec import UNSET, UnsetType

from retrocypher.kg.errors import InputError

Setting = Literal["single_step", "multi_step", "table"]

SINGLE_STEP_TASKS = (
    "precursors",
    "producing_reactions",
    "best_yield",
    "multi_product",
    "co_products",
    "conditions",
)
MULTI_STEP_TASKS = ("chains_to_target", "chains_between", "intermediates", "multi_step_precursors")
TASKS = SINGLE_STEP_TASKS + MULTI_STEP_TASKS
"""The tasks of the reaction benchmark."""

UNANSWERABLE = "unanswerable"
"""The task of questions that the graph cannot answer; their reference query is empty."""

PATTERN_TASKS = (
    "all_nodes",
    "named_node",
    "one_hop",
    "one_hop_named",
    "two_hops",
    "intersection",
    "same_pair",
    "optional_match",
    "group_by",
    "time_sensitive",
    "comparison",
    "union",
)
"""The tasks of generated table questions: CypherBench's matching patterns, its table 11."""

TASK_ORDER = (*TASKS, *PATTERN_TASKS, UNANSWERABLE)
"""The order of tasks in tables; those of other suites follow by name."""

PARAPHRASE_COUNT = 5
"""How many paraphrases each task has; the first is that of the shipped questions."""

_TEMPLATES = Path(__file__).parent / "templates"

Stratum = tuple[str, int]
K = TypeVar("K")


def setting_of(task: str) -> Setting:
    """Return the setting a task of the reaction benchmark belongs to."""
    return "single_step" if task in SINGLE_STEP_TASKS else "multi_step"


def task_place(task: str) -> tuple[int, str]:
    """Return a sort key that puts tasks into their order in tables."""
    return (TASK_ORDER.index(task) if task in TASK_ORDER else len(TASK_ORDER), task)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What is known of a question whose answer is a table, of any graph.

    Attributes:
        match: The instantiated MATCH clause; questions that share it belong together.
        entities: The nodes that the question names, each with its label: ``Airport:LAX``.
        slices: More groups of the question by name, such as the RETURN template.
        readings: Queries of the other valid readings of an ambiguous question.
    """

    match: str = ""
    entities: tuple[str, ...] = ()
    slices: Mapping[str, str] = field(default_factory=dict)
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One natural-language instance of a task, with its reference Cypher and gold answer.

    Attributes:
        steps: Number of reaction steps; 1 for single-step tasks.
        slots: What the template was filled with: ``target``, ``products``, ``start``, ``steps``, ``role``.
        reference_cypher: The reference query, literals in place, as it is executed; empty if the graph
            cannot answer the question.
        gold: Expected rows. Single-step: one row a reaction with ``id``, ``reactants``, ``products``,
            ``agents``, ``solvents`` and ``target_yield`` or ``co_products`` where the task asks.
            Multi-step: one row a distinct route, ``{"route": [reaction ids, precursor to target]}``. Table:
            one row each, ``{"row": [values]}``; empty where the reference query has to be run.
        target: Name of the molecule the question clusters by.
        discriminating: Whether a wrong choice among the target's reactions would show.
        carried_share: Smallest share of the precursor's carbon atoms that a gold route carries to the
            target, from 0 to 1; None for single-step tasks, and where it was not computed.
        table: What is known of a table question; UNSET for the others.
    """

    id: str
    task: str
    setting: Setting
    steps: int
    text: str
    slots: dict[str, Any]
    reference_cypher: str
    gold: list[dict[str, Any]]
    target: str
    discriminating: bool
    carried_share: float | None = None
    table: TableFacts | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Paraphrases:
    """The paraphrases of a task, in order, with a ``{slot}`` field for each of its slots."""

    slots: tuple[str, ...]
    texts: tuple[str, ...]

    def text(self, slots: Mapping[str, Any], number: int = 1) -> str:
        """Return the question in one paraphrase, from 1; lists of molecules read as ``A, B and C``."""
        return self.texts[number - 1].format_map({name: _words(slots[name]) for name in self.slots})


@cache
def paraphrases_of(task: str) -> Paraphrases:
    """Return the paraphrases of a task, as shipped."""
    words = yaml.safe_load((_TEMPLATES / f"{task}.yaml").read_text(encoding="utf-8"))
    return Paraphrases(tuple(words["slots"]), tuple(each["text"] for each in words["paraphrases"]))


def paraphrase(question: Question, number: int) -> Question:
    """Return a question in another paraphrase of its task, where its own text is number 1."""
    if not 1 <= number <= PARAPHRASE_COUNT:
        raise ValueError(f"paraphrase {number} is none of 1 to {PARAPHRASE_COUNT}")
    if number == 1:
        return question
    if question.task == UNANSWERABLE:
        raise InputError("--phrasing: unanswerable questions have one paraphrase. Leave it out.")
    return replace(question, text=paraphrases_of(question.task).text(question.slots, number))


def parse_paraphrases(names: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers that ``--phrasing`` names, each once; raise InputError if one is unknown.

    A name is a number, ``all``, or several of them separated by commas.
    """
    every = tuple(range(1, PARAPHRASE_COUNT + 1))
    known = {str(number): number for number in every}
    wanted = list(dict.fromkeys(part for name in names for each in name.split(",") if (part := each.strip())))
    unknown = [name for name in wanted if name not in (*known, "all")]
    if unknown or not wanted:
        named = unknown[0] if unknown else "names none"
        raise InputError(
            f"--phrasing {named}: no such paraphrase; choose from 1 to {PARAPHRASE_COUNT}, or all"
        )
    return every if "all" in wanted else tuple(known[name] for name in wanted)


def _words(value: Any) -> str:
    if isinstance(value, list):
        *others, last = value
        return f"{', '.join(others)} and {last}" if others else str(last)
    return str(value)


def select(
    questions: Iterable[Question],
    *,
    tasks: Collection[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> tuple[Question, ...]:
    """Return the questions of some tasks, or a seeded sample of them, in their original order.

    A sample is stratified by task and step count: every stratum gets its proportional share of ``sample``,
    rounded by largest remainders (ties go by a hash of seed and stratum). Within a stratum questions are
    taken in the order of a hash of seed and question id. Nothing else enters, so the same questions come
    out for every prompt, shot, loop, model, machine and worker count.

    Raise InputError if ``sample`` is under 1, or nothing is left.
    """
    if sample is not None and sample < 1:
        raise InputError(f"a sample of {sample} questions is empty; ask for at least 1")
    kept = [question for question in questions if not tasks or question.task in tasks]
    if not kept:
        asked = f" of {', '.join(tasks)}" if tasks else ""
        raise InputError(f"no question is left: the set holds none{asked} for the prompts chosen")
    if sample is None or sample >= len(kept):
        return tuple(kept)
    strata: dict[Stratum, list[str]] = defaultdict(list)
    for question in kept:
        strata[question.task, question.steps].append(question.id)
    available = {stratum: len(ids) for stratum, ids in strata.items()}
    sizes = proportional_shares(available, sample, lambda stratum: seeded_rank(seed, *stratum))
    chosen = {
        identifier
        for stratum, ids in strata.items()
        for identifier in sorted(ids, key=lambda name: seeded_rank(seed, name))[: sizes[stratum]]
    }
    return tuple(question for question in kept if question.id in chosen)


def seeded_rank(seed: int, *names: object) -> bytes:
    """Return a rank that orders names at random for a seed, alike on every machine: a SHA-256."""
    return hashlib.sha256("\x1f".join(map(str, (seed, *names))).encode()).digest()


def proportional_shares(sizes: Mapping[K, int], count: int, rank: Callable[[K], Any]) -> dict[K, int]:
    """Split a count in proportion to sizes, rounded by largest remainders; ``rank`` orders ties."""
    total = sum(sizes.values())
    shares = {key: count * size // total for key, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda key: (-(count * sizes[key] % total), rank(key)))
    for key in by_remainder[: count - sum(shares.values())]:
        shares[key] += 1
    return shares
