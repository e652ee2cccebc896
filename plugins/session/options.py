"""The options of the suite as pytest knows them: names, help texts and defaults."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from retrocypher.kg.questions.sampling import PHRASINGS


@dataclass(frozen=True, slots=True)
class Declared:
    """One option."""

    name: str
    help: str
    metavar: str
    default: str | None
    many: bool = False
    flag: bool = False
    once: bool = False


class _Once(argparse.Action):
    """Stores a value, and refuses a second one: it would replace the first without a word."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest)
        if before is not None:
            raise argparse.ArgumentError(self, f"given twice ({before}, {values}); one plays all the roles")
        setattr(namespace, self.dest, values)


DECLARED = (
    Declared("prompt", "prompts to run: P1 to P10, or all", "NAME,...", "P5,P10", many=True),
    Declared("shot", "shots to run: ZS, 1S-S, 1S-D-R, 1S-D-S, or all", "NAME,...", "1S-D-S", many=True),
    Declared(
        "model",
        "oracle, exemplar, mutant[:OPERATOR,...], file:PATH, gguf:PATH, local, or the name of a model "
        "behind an OpenAI-compatible API; LABEL=SPEC names it in ids and tables (repeatable)",
        "SPEC",
        None,
        many=True,
    ),
    Declared("task", "tasks to run (default: all)", "NAME,...", None, many=True),
    Declared(
        "phrasing",
        f"wordings of each question: 1 to {PHRASINGS}, or all",
        "N,...",
        "1",
        many=True,
    ),
    Declared(
        "loop",
        "what happens after the first answer: none, cove, review, guarded, guarded-limit, or a loop of yours",
        "NAME,...",
        "none",
        many=True,
    ),
    Declared("validator", "what judges queries in loops: schema (default), checklist, or both", "NAME", None),
    Declared(
        "loop-model",
        "model that plays the other roles of loops (default: the model itself; for one that reads no "
        "messages, the default model)",
        "SPEC",
        None,
        once=True,
    ),
    Declared(
        "judge",
        "model that judges each query, with and without the reference: gguf:PATH, local, or one behind an "
        "OpenAI-compatible API (RETROCYPHER_JUDGE_BASE_URL, else OPENAI_BASE_URL)",
        "MODEL",
        None,
    ),
    Declared("judge-rows", "most rows of its result that the judge is shown", "N", "0"),
    Declared("ledger", "show what the loops repaired and broke, and at what cost", "", None, flag=True),
    Declared("sample", "questions in total, stratified by task and step count", "N", None),
    Declared("seed", "seed of the sample and of random exemplars", "N", "0"),
    Declared(
        "graph",
        "where Neo4j runs: auto, docker, local, or a bolt/neo4j URI; none with --replay",
        "WHERE",
        "auto",
    ),
    Declared(
        "replay",
        "runs whose rows and answers are taken again, with --graph none",
        "DIR,...",
        None,
        many=True,
    ),
    Declared("questions", "folder of a question set of your own", "DIR", None),
    Declared("prompt-dir", "folder of prompts that replace the shipped ones", "DIR", None),
    Declared("run-dir", "folder to write the run to (default: a new one under reports)", "DIR", None),
    Declared("query-timeout", "seconds a generated query may take", "S", "30"),
    Declared("case-threshold", "F1 under which a case fails", "F", "1.0"),
    Declared("concurrency", "model calls in flight, over all workers together", "N", "8"),
    Declared(
        "cache",
        "file that answers of models are kept in, or none (default: answers.sqlite in the cache folder)",
        "FILE",
        None,
    ),
    Declared("fresh", "start anew where a run that was cut short could be gone on with", "", None, flag=True),
    Declared(
        "offline",
        "refuse all connections to other machines; answers come from the cache",
        "",
        None,
        flag=True,
    ),
    Declared(
        "gate",
        'rule that decides the exit status, such as "f1 by task>=0.4" or "no-regression f1 margin=0.02" '
        "(repeatable)",
        "RULE",
        None,
        many=True,
    ),
    Declared("baseline", "what no-regression is measured against: its name, or a folder", "NAME|DIR", None),
    Declared("gate-allow-inconclusive", "let no-regression hold where nothing shows", "", None, flag=True),
    Declared("gate-partial", "let the gate judge a part of a run, or of its baseline", "", None, flag=True),
    Declared(
        "gate-judge-kappa",
        "least lower end of kappa of a judge's calibration, for rules on its score",
        "F",
        "0.6",
    ),
    Declared("shard", "run one part of the run: 2/5 is the second of five", "I/N", None),
    Declared("answer", "have an answer written from the rows, and check what it claims", "", None, flag=True),
    Declared(
        "answer-model",
        "model that writes answers (default: the model itself; for one that reads no messages, the default "
        "model)",
        "SPEC",
        None,
        once=True,
    ),
    Declared(
        "answer-context",
        "what answers are written from: rows; hybrid, with passages of patents found by vectors; or "
        "hybrid-lexical, with passages found by words",
        "NAME",
        "rows",
    ),
    Declared(
        "answer-encoder",
        "what made the vectors that the context hybrid finds passages by",
        "NAME",
        "all-MiniLM-L6-v2",
    ),
    Declared("answer-weights", "weights of passages and of rows in a hybrid context", "T,G", "0.6,0.4"),
    Declared("answer-rows", "rows that an answer is written from, at most", "N", "50"),
    Declared("answer-budget", "characters of rows and passages together, at most", "N", "6000"),
    Declared(
        "answer-thresholds",
        "shares of supported claims from which an answer is verified, and partially verified",
        "V,P",
        "0.9,0.7",
    ),
    Declared("key-encoder", "match leftover keys by an encoder at a cosine threshold", "NAME@T", None),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare the options, each also as a setting of the same name in ``pyproject.toml``."""
    group = parser.getgroup("retrocypher", "RetroCypher benchmark")
    for option in DECLARED:
        shown = "" if option.default is None else f" (default: {option.default})"
        setting = option.name.replace("-", "_")
        if option.flag:
            group.addoption(
                f"--{option.name}",
                dest=dest(option.name),
                action="store_true",
                default=None,
                help=option.help,
            )
            parser.addini(setting, option.help, type="bool", default=False)
            continue
        group.addoption(
            f"--{option.name}",
            dest=dest(option.name),
            action=_Once if option.once else "append" if option.many else "store",
            metavar=option.metavar,
            help=option.help + shown,
        )
        if option.many:
            # A rule has spaces in it, so that a text is one rule, and a list several.
            kind: Literal["args", "linelist"] = "linelist" if option.name == "gate" else "args"
            parser.addini(setting, option.help, type=kind, default=None)
        else:
            parser.addini(setting, option.help, type="string", default=None)


def dest(name: str) -> str:
    """Return the name that an option has among pytest's own."""
    return "retrocypher_" + name.replace("-", "_")
