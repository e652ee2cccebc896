"""The suite of a session: what ``--suite`` names, checked, in the form in which sessions use questions."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TableFacts
from retrocypher.kg.questions.reading import QuestionSet
from retrocypher.kg.semantics.reader import read_query
from retrocypher.kg.semantics.schema import Schema
from retrocypher.kg.server.open import is_uri
from retrocypher.kg.suites.questions import TableQuestion, asked, read_questions
from retrocypher.kg.suites.suite import QUESTIONS_FILE, SUITE_FILE, SuiteFile, read_suite, suite_folder
from retrocypher.plugins.formatting.text import shortened
from retrocypher.plugins.runs.manifest import SuiteEntry
from retrocypher.plugins.runs.record import MORE_METRICS, RETRIEVAL_METRICS
from retrocypher.plugins.session.options import Options
from retrocypher.prompts.templates.exemplars import SHOTS, Bank, Exemplar
from retrocypher.prompts.templates.template import PROMPT_SETS, Prompt, load_table_prompts

_TABLE_SHOT = "ZS"
_LONGEST_LIST = 300


@dataclass(frozen=True, slots=True)
class TableSuite:
    """A suite whose answers are tables.

    Attributes:
        entries: All questions as the file has them.
        question_set: The questions of the test split.
        bank: The questions of the training split, as exemplars.
        prompts: All prompts it can be run with, by name.
    """

    folder: Path
    about: SuiteFile
    entries: Sequence[TableQuestion]
    question_set: QuestionSet
    bank: Bank
    prompts: Mapping[str, Prompt]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of its questions: those that ``suite.yaml`` lists, in this order, then the others."""
        found = dict.fromkeys(each.task for each in self.question_set.questions)
        return tuple(dict.fromkeys([*(name for name in self.about.tasks if name in found), *found]))

    @property
    def graph_file(self) -> Path | None:
        """The file with its graph; None where a server has it."""
        return self.folder / self.about.graph.file if self.about.graph.file else None

    def graph_spec(self, given: str) -> str:
        """Return what `open_server` is given for a ``--graph``; raise InputError if it does not fit."""
        own = self.about.graph.uri
        if own is not None and given != "auto" and not is_uri(given):
            raise InputError(
                f"--graph or --server {given}: the suite {self.about.name} has no graph to load; "
                "give a server's address"
            )
        return own if own is not None and given == "auto" else given

    def described(self) -> SuiteEntry:
        """Return the ``suite`` of the manifest."""
        sha256 = hashlib.sha256((self.folder / SUITE_FILE).read_bytes()).hexdigest()
        about = self.about
        return SuiteEntry(about.name, str(about.version), sha256, about.headline, list(self.tasks))


def open_suite(options: Options) -> tuple[Options, TableSuite | None]:
    """Read and check the suite of a session; raise InputError if it cannot be run.

    Returns:
        The options with what the suite sets where the command line does not, and the suite; None without
        ``--suite`` and for a suite of reactions, which only sets options.
    """
    if options.suite is None:
        return options, None
    folder = suite_folder(options.suite)
    about = read_suite(folder)
    prompt, shot = options.prompt or tuple(about.prompts), options.shot or tuple(about.shots)
    if about.graph.reactions is not None:
        own = about.graph.reactions
        graph = options.graph if options.graph != "auto" or own == "shipped" else str(folder / own)
        folder_of_set = options.questions or (str(folder / about.questions) if about.questions else None)
        return replace(options, prompt=prompt, shot=shot, questions=folder_of_set, graph=graph), None
    _refuse_reaction_options(options)
    suite = read_table_suite(folder, Path(options.prompt_dir) if options.prompt_dir else None)
    chosen = replace(
        options,
        prompt=prompt or tuple(suite.prompts)[:1],
        shot=shot or (_TABLE_SHOT,),
        metrics=tuple(dict.fromkeys((*about.metrics, *options.metrics))),
        graph=suite.graph_spec(options.graph),
    )
    return chosen, suite


def read_table_suite(folder: Path, prompts: Path | None = None) -> TableSuite:
    """Read and check a suite of table questions; raise InputError if a file of it is not valid.

    Args:
        prompts: A folder of prompts in place of the suite's own.
    """
    about = read_suite(folder)
    if about.graph.reactions is not None:
        raise InputError(
            f"{folder / SUITE_FILE}: a suite of reactions, not of tables; to check its reference queries, "
            f"run `pytest benchmarks --suite {about.name} --model oracle`"
        )
    questions = read_questions(folder)
    content = (folder / QUESTIONS_FILE).read_bytes()
    question_set = QuestionSet(
        tuple(asked(each, about.slices) for each in questions if each.split == "test"),
        about.graph.fingerprint or "",
        hashlib.sha256(content).hexdigest(),
        {},
    )
    known = load_table_prompts(prompts or folder / "prompts")
    _require_names(folder / SUITE_FILE, about, known, questions)
    suite = TableSuite(folder, about, questions, question_set, _bank(questions), known)
    if suite.graph_file is not None and not suite.graph_file.is_file():
        raise InputError(f"{suite.graph_file}: no such file; {folder / SUITE_FILE} names it as graph.file")
    return suite


def require_known_names(suite: TableSuite, schema: Schema) -> None:
    """Refuse reference queries and entities with a label or type that the graph lacks; raise InputError."""
    for question in suite.question_set.questions:
        facts = question.table if isinstance(question.table, TableFacts) else TableFacts()
        named = [each.partition(":")[0] for each in facts.entities]
        unknown = [label for label in named if not schema.has_label(label)]
        for query in filter(None, (question.reference_cypher, *facts.readings)):
            read = read_query(query, schema)
            unknown += [use.name for use in read.labels if not schema.has_label(use.name)]
            unknown += [use.name for use in read.types if not schema.has_type(use.name)]
        if unknown:
            raise InputError(
                f"{suite.folder / QUESTIONS_FILE}: the graph has no label or relationship type "
                f"{unknown[0]!r}, which {question.id} uses. Labels: {_listed(schema.labels)}. Types: "
                f"{_listed(schema.types)}. Correct the question, or name its graph."
            )


def _listed(names: Iterable[str]) -> str:
    return shortened(", ".join(names) or "none", _LONGEST_LIST)


def _refuse_reaction_options(options: Options) -> None:
    """Refuse options that mean something only for reactions; raise InputError."""
    for name, given in (
        ("questions", options.questions),
        ("prompt-set", options.prompt_set != PROMPT_SETS[0]),
        ("exemplar-dir", options.exemplar_dir),
        ("key-encoder", options.key_encoder),
        ("answer", options.answer),
        ("replay", options.replay),
    ):
        if given:
            raise InputError(
                f"--{name}: the suite {options.suite} asks for tables, and the option is for questions about "
                "reactions. Leave it out."
            )
    if options.phrasing not in ((), ("1",)):
        raise InputError("--phrasing: questions of a table suite have one paraphrase. Leave it out.")


def _require_names(
    file: Path, about: SuiteFile, prompts: Mapping[str, Prompt], questions: Iterable[TableQuestion]
) -> None:
    """Refuse names in ``suite.yaml`` that stand for nothing; raise InputError."""
    tested = [each for each in questions if each.split == "test"]
    tasks = dict.fromkeys(each.task for each in tested)
    slices = dict.fromkeys(("template", *(name for each in tested for name in each.facts)))
    for entry, kind, named, known in (
        ("prompts", "prompt", about.prompts, tuple(prompts)),
        ("shots", "shot", about.shots, SHOTS),
        ("metrics", "metric", about.metrics, MORE_METRICS),
        ("headline", "metric", [about.headline], (*RETRIEVAL_METRICS, *about.metrics)),
        ("tasks", "task", about.tasks, tuple(tasks)),
        ("slices", "slice", about.slices, tuple(slices)),
    ):
        if unknown := [name for name in named if name not in known]:
            raise InputError(
                f"{file}: {entry}: no such {kind} {unknown[0]!r}; choose from {', '.join(known)}"
            )


def _bank(questions: list[TableQuestion]) -> Bank:
    return tuple(
        Exemplar(
            id=each.id,
            setting="table",
            task=each.task,
            question=each.question,
            intent="",
            cypher=each.cypher,
            pattern=each.cypher,
            match=each.match,
        )
        for each in questions
        if each.split == "train" and each.cypher
    )
