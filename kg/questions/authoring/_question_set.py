"""A question set, from a graph."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg.errors import InputError
from kg.questions._model import Question, setting_of
from kg.questions._phrasings import wordings_of
from kg.questions._read import MANIFEST_FILE, QUESTION_FILES
from kg.questions.authoring._candidate import Candidate, Kind
from kg.questions.authoring._choose import Plan, choose, read_plan
from kg.questions.authoring._manifest import describe
from kg.questions.authoring._network import ReactionNetwork
from kg.questions.authoring._reference import check_gold
from kg.questions.authoring._templates import reference_template
from kg.questions.authoring._traversal import traverse
from kg.reactions import Reaction, fingerprint_of

if TYPE_CHECKING:
    import neo4j


@dataclass(frozen=True, slots=True)
class BuiltQuestions:
    """A question set that was made, with what its manifest says.

    Attributes:
        questions: The questions, in the order of the plan.
        manifest: Graph fingerprint, seed, counts, trivial shares, shared targets and file hashes.
        files: What each file of the set holds, by name; the manifest among them.
    """

    questions: tuple[Question, ...]
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> None:
        """Write the set as `kg.questions.load_questions` reads it.

        Raises:
            InputError: If the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in self.files.items():
                (folder / name).write_bytes(content)
        except OSError as error:
            raise InputError(f"{folder}: questions cannot be written there ({error.strerror})") from error


def build_questions(
    reactions: Sequence[Reaction],
    driver: "neo4j.Driver",
    seed: int,
    *,
    plan: Plan | None = None,
    database: str = "neo4j",
) -> BuiltQuestions:
    """Make a question set, its gold computed twice.

    Args:
        reactions: The graph.
        driver: A driver of a server that holds the same graph.
        seed: Seed of every choice; the same seed and graph give the same bytes.
        plan: How many questions of each kind; the shipped plan of 2,400 when None.
        database: Name of the database.

    Raises:
        GraphError: If the graph is too small for the plan, or (`GoldDifferenceError`) if the reference
            Cypher and the traversal answer a question differently.
    """
    plan = read_plan() if plan is None else plan
    questions = draft_questions(reactions, seed, plan)
    check_gold(driver, questions, database)
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
    """Choose questions and answer them by traversal alone.

    Raises:
        GraphError: If the graph is too small for the plan.
    """
    network = ReactionNetwork.of(reactions)
    chosen = choose(network, plan, seed)
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
        text=wordings_of(kind.task).text(candidate.slots),
        slots=dict(candidate.slots),
        reference_cypher=reference_template(kind.task).reference(candidate.slots),
        gold=traverse(network, kind.task, candidate.slots),
        target=candidate.target,
        discriminating=candidate.discriminating,
    )


def _lines(questions: Sequence[Question], name: str) -> bytes:
    setting = name.removesuffix(".jsonl")
    own = [each.to_json() for each in questions if each.setting == setting]
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in own).encode()
