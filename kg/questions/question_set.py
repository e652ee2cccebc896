"""A question set: the questions chosen by a plan, their gold, and a manifest that describes them."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any, Literal

from msgspec import to_builtins

from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.candidates import MINIMUM_HEAVY_ATOMS, Candidate, Kind
from retrocypher.kg.questions.choice import Choice, choose, choose_at_random
from retrocypher.kg.questions.gold import ReactionNetwork, reference_query, traverse
from retrocypher.kg.questions.plan import Plan, read_plan
from retrocypher.kg.questions.question import Question, paraphrases_of, setting_of
from retrocypher.kg.questions.reading import MANIFEST_FILE, QUESTION_FILES

Targets = Literal["telling", "random"]
"""How targets are chosen: those that tell most about a query, or at random."""


def describe(questions: Sequence[Question], plan: Plan, choice: Choice) -> dict[str, Any]:
    """Return counts, their differences from the plan, and what a reader should know about the questions."""
    found = {kind: len(choice.candidates[kind]) for kind in plan}
    by_task: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_task[question.task].append(question)
    candidates = [each for chosen in choice.candidates.values() for each in chosen]
    return {
        "questions": len(questions),
        "counts": {str(kind): count for kind, count in found.items()},
        # Product sets that the graph lacks are made up for by smaller ones.
        "not_as_planned": {
            str(kind): {"planned": count, "made": found[kind]}
            for kind, count in plan.items()
            if found[kind] != count
        },
        "trivial": {task: _trivial(own) for task, own in by_task.items()},
        "targets": _targets(questions),
        "gold_rows": {task: _sizes([len(each.gold) for each in own]) for task, own in by_task.items()},
        "carried_carbons": _carried(candidates) if choice.carbons_computed else "not computed",
        "most_questions_with_a_pair_of_reactions": choice.repetition,
        "one_transformation": dict(Counter(each.kind.task for each in candidates if each.one_transformation)),
        "flaws": dict(Counter(each.flaw for each in candidates if each.flaw)),
    }


def _carried(candidates: Sequence[Candidate]) -> dict[str, dict[str, float]]:
    """Return by task the smallest shares of the precursor's carbon atoms that a route carries."""
    shares: dict[str, list[float]] = defaultdict(list)
    for each in candidates:
        if each.carried is not None:
            shares[each.kind.task].append(each.carried)
    return {task: _sizes(found) for task, found in shares.items()}


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


def _sizes(values: Sequence[float]) -> dict[str, float]:
    return {"least": min(values), "median": median(values), "most": max(values)}


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
    reactions: Sequence[Reaction], seed: int, plan: Plan | None = None, targets: Targets = "telling"
) -> BuiltQuestions:
    """Make a question set with gold by traversal alone; the same seed and graph give the same bytes.

    `check_gold` computes the gold a second time. Without a plan it is the shipped one of 2,400 questions.
    Where the graph has fewer questions of a kind, the manifest says so under ``not_as_planned``. Raise
    GraphError if it has none at all.
    """
    plan = read_plan() if plan is None else plan
    network = ReactionNetwork.of(reactions)
    choice = (choose if targets == "telling" else choose_at_random)(network, plan, seed)
    questions = _questions(network, choice)
    if not questions:
        raise GraphError(
            f"the graph of {len(reactions):,} reactions has no unambiguous question of the kinds planned: "
            f"{', '.join(map(str, plan))}. Molecules asked for are organic, with at least "
            f"{MINIMUM_HEAVY_ATOMS} atoms other than hydrogen. Add reactions to it, or plan other tasks"
        )
    files = {name: _lines(questions, name) for name in QUESTION_FILES}
    manifest = {
        "schema_version": 1,
        "graph_fingerprint": fingerprint_of(reactions),
        "seed": seed,
        "chosen_targets": targets,
        **describe(questions, plan, choice),
        "files": {name: sha256(content).hexdigest() for name, content in files.items()},
    }
    files[MANIFEST_FILE] = (json.dumps(manifest, indent=2) + "\n").encode()
    return BuiltQuestions(questions, manifest, files)


def _questions(network: ReactionNetwork, choice: Choice) -> tuple[Question, ...]:
    by_task: dict[str, list[Candidate]] = {}
    for kind, candidates in choice.candidates.items():
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
        carried_share=None if candidate.carried is None else round(candidate.carried, 4),
    )


def _lines(questions: Sequence[Question], name: str) -> bytes:
    setting = name.removesuffix(".jsonl")
    own = [to_builtins(each) for each in questions if each.setting == setting]
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in own).encode()
