"""A question set: candidates chosen by a plan, so that each target is in as few questions as can be."""

import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from rdkit import rdBase

from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.candidates import (
    MINIMUM_HEAVY_ATOMS,
    Candidate,
    Kind,
    common_auxiliaries,
    is_synthesis_target,
    multi_step_candidates,
    single_step_candidates,
)
from retrocypher.kg.questions.gold import ReactionNetwork, reference_query, traverse
from retrocypher.kg.questions.plan import Plan, read_plan
from retrocypher.kg.questions.question import (
    MULTI_STEP_TASKS,
    Question,
    paraphrases_of,
    seeded_rank,
    setting_of,
)
from retrocypher.kg.questions.reading import MANIFEST_FILE, QUESTION_FILES


@dataclass(slots=True)
class _Choice:
    """What is chosen for one kind: some candidates for good, others (by target) open to exchange."""

    fixed: list[Candidate]
    taken: dict[str, list[Candidate]] = field(default_factory=lambda: defaultdict(list))
    spare: list[Candidate] = field(default_factory=list)

    def all(self) -> list[Candidate]:
        return [*self.fixed, *(each for taken in self.taken.values() for each in taken)]

    def take(self, candidate: Candidate) -> None:
        self.spare.remove(candidate)
        self.taken[candidate.target].append(candidate)

    def exchange(self, out: Candidate, into: Candidate) -> None:
        self.take(into)
        self.taken[out.target].remove(out)
        self.spare.append(out)


@dataclass(frozen=True, slots=True)
class _Move:
    """Give up one question of a kind for another; ``before`` is the move that freed its target."""

    kind: Kind
    out: Candidate
    into: Candidate
    before: "_Move | None"


def allocate(
    candidates: Mapping[Kind, Sequence[Candidate]], counts: Mapping[Kind, int]
) -> dict[Kind, list[Candidate]]:
    """Choose candidates so that tiers are used up in order and targets are shared as little as possible.

    Within a kind a lower tier is used up before the next is touched. Among the choices this leaves, the
    sum over targets of (questions on that target) squared is the smallest there is: the exchange below
    ends only when no chain of exchanges lowers it, which for such convex costs means a minimum. Each kind
    needs at least ``counts`` candidates; earlier ones win ties.
    """
    choices = {kind: _by_tier(candidates[kind], count) for kind, count in counts.items()}
    load = Counter(each.target for choice in choices.values() for each in choice.fixed)
    for kind, choice in choices.items():
        missing = counts[kind] - len(choice.fixed)
        for _ in range(missing):
            best = min(choice.spare, key=lambda each: load[each.target])
            choice.take(best)
            load[best.target] += 1
    while _improve(choices, load):
        pass
    return {kind: choice.all() for kind, choice in choices.items()}


def _by_tier(candidates: Sequence[Candidate], count: int) -> _Choice:
    fixed: list[Candidate] = []
    for tier in sorted({each.tier for each in candidates}):
        members = [each for each in candidates if each.tier == tier]
        if len(fixed) + len(members) > count:
            return _Choice(fixed, spare=members)
        fixed += members
    return _Choice(fixed)


def _improve(choices: Mapping[Kind, _Choice], load: Counter[str]) -> bool:
    """Make one round of exchanges; tell whether any was made."""
    improved = False
    shared = [name for name, count in load.items() if count > 1]
    for target in sorted(shared, key=lambda name: (-load[name], name)):
        while (move := _relief(target, choices, load)) is not None:
            load[move.into.target] += 1
            load[target] -= 1
            while move is not None:
                choices[move.kind].exchange(move.out, move.into)
                move = move.before
            improved = True
    return improved


def _relief(start: str, choices: Mapping[Kind, _Choice], load: Counter[str]) -> _Move | None:
    """Find a chain of exchanges that takes a question off ``start`` and ends on a target with two fewer."""
    queue: deque[tuple[str, _Move | None]] = deque([(start, None)])
    seen = {start}
    open_kinds = {kind: choice for kind, choice in choices.items() if choice.taken and choice.spare}
    while queue:
        target, before = queue.popleft()
        for kind, choice in list(open_kinds.items()):
            if not choice.taken.get(target):
                continue
            out = choice.taken[target][0]
            # From here every spare target of this kind is reached, so it need not be looked at again.
            del open_kinds[kind]
            for into in choice.spare:
                if into.target not in seen:
                    seen.add(into.target)
                    move = _Move(kind, out, into, before)
                    if load[into.target] <= load[start] - 2:
                        return move
                    queue.append((into.target, move))
    return None


def choose(network: ReactionNetwork, plan: Plan, seed: int) -> dict[Kind, list[Candidate]]:
    """Choose questions, each kind in a seeded random order, or as many as the graph has of it."""
    auxiliaries = common_auxiliaries(network.reactions())
    is_target = cache(lambda name: name not in auxiliaries and is_synthesis_target(name))
    # RDKit remarks on odd ions, on standard error and once each
    with rdBase.BlockLogs():
        candidates = {kind: _candidates(network, kind, seed, is_target) for kind in plan}
    available = {kind: len(found) for kind, found in candidates.items()}
    counts = {kind: min(count, available[kind]) for kind, count in with_smaller_sets(plan, available).items()}
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


def describe(questions: Sequence[Question], plan: Plan) -> dict[str, Any]:
    """Return counts, their differences from the plan, trivial shares, shared targets, sizes of gold."""
    found = Counter(_kind(each) for each in questions)
    by_task: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_task[question.task].append(question)
    return {
        "questions": len(questions),
        "counts": {str(kind): found[kind] for kind in plan},
        # Product sets that the graph lacks are made up for by smaller ones.
        "not_as_planned": {
            str(kind): {"planned": count, "made": found[kind]}
            for kind, count in plan.items()
            if found[kind] != count
        },
        "trivial": {task: _trivial(own) for task, own in by_task.items()},
        "targets": _targets(questions),
        "gold_rows": {task: _sizes(own) for task, own in by_task.items()},
    }


def _kind(question: Question) -> Kind:
    slots = question.slots
    return Kind(question.task, question.steps, len(slots.get("products", ())), slots.get("role", ""))


def _trivial(questions: Sequence[Question]) -> dict[str, float]:
    trivial = sum(not each.discriminating for each in questions)
    return {"questions": trivial, "share": round(trivial / len(questions), 4)}


def _targets(questions: Sequence[Question]) -> dict[str, Any]:
    asked = Counter(each.target for each in questions)
    tasks: dict[str, set[str]] = defaultdict(set)
    for question in questions:
        tasks[question.target].add(question.task)
    return {
        "distinct": len(asked),
        "questions_sharing_a_target": sum(count for count in asked.values() if count > 1),
        "targets_by_questions": _histogram(asked.values()),
        "targets_by_tasks": _histogram(map(len, tasks.values())),
    }


def _histogram(values: Any) -> dict[str, int]:
    return {str(value): count for value, count in sorted(Counter(values).items())}


def _sizes(questions: Sequence[Question]) -> dict[str, float]:
    rows = [len(each.gold) for each in questions]
    return {"least": min(rows), "median": median(rows), "most": max(rows)}


@dataclass(frozen=True, slots=True)
class BuiltQuestions:
    """A question set that was made, its manifest, and the bytes of each of its files by name."""

    questions: tuple[Question, ...]
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> None:
        """Write the set as `load_questions` reads it; raise InputError if the folder cannot be written."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in self.files.items():
                (folder / name).write_bytes(content)
        except OSError as error:
            raise InputError(f"{folder}: questions cannot be written there ({error.strerror})") from error


def build_questions(
    reactions: Sequence[Reaction],
    seed: int,
    plan: Plan | None = None,
) -> BuiltQuestions:
    """Make a question set with gold by traversal alone; the same seed and graph give the same bytes.

    `check_gold` computes the gold a second time. Without a plan it is the shipped one of 2,400 questions.
    Where the graph has fewer questions of a kind, the manifest says so under ``not_as_planned``. Raise
    GraphError if it has none at all.
    """
    plan = read_plan() if plan is None else plan
    questions = draft_questions(reactions, seed, plan)
    files = {name: _lines(questions, name) for name in QUESTION_FILES}
    manifest = {
        "schema_version": 1,
        "graph_fingerprint": fingerprint_of(reactions),
        "seed": seed,
        **describe(questions, plan),
        "files": {name: sha256(content).hexdigest() for name, content in files.items()},
    }
    files[MANIFEST_FILE] = (json.dumps(manifest, indent=2) + "\n").encode()
    return BuiltQuestions(questions, manifest, files)


def draft_questions(reactions: Sequence[Reaction], seed: int, plan: Plan) -> tuple[Question, ...]:
    """Choose questions and answer them by traversal alone; raise GraphError if the graph has none."""
    network = ReactionNetwork.of(reactions)
    chosen = choose(network, plan, seed)
    if not any(chosen.values()):
        raise GraphError(
            f"the graph of {len(reactions):,} reactions has no unambiguous question of the kinds planned: "
            f"{', '.join(map(str, plan))}. Molecules asked for are organic, with at least "
            f"{MINIMUM_HEAVY_ATOMS} atoms other than hydrogen. Add reactions to it, or plan other tasks"
        )
    by_task: dict[str, list[Candidate]] = {}
    for kind, candidates in chosen.items():
        by_task.setdefault(kind.task, []).extend(candidates)
    return tuple(
        _question(network, f"{task}-{number:03d}", candidate)
        for task, candidates in by_task.items()
        for number, candidate in enumerate(candidates, start=1)
    )


def _question(network: ReactionNetwork, identifier: str, candidate: Candidate) -> Question:
    kind: Kind = candidate.kind
    return Question(
        id=identifier,
        task=kind.task,
        setting=setting_of(kind.task),
        steps=kind.steps,
        text=paraphrases_of(kind.task).text(candidate.slots),
        slots=dict(candidate.slots),
        reference_cypher=reference_query(kind.task, candidate.slots),
        gold=traverse(network, kind.task, candidate.slots),
        target=candidate.target,
        discriminating=candidate.discriminating,
    )


def _lines(questions: Sequence[Question], name: str) -> bytes:
    setting = name.removesuffix(".jsonl")
    own = [asdict(each) for each in questions if each.setting == setting]
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in own).encode()
