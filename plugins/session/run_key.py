"""The key of a run, from its plan."""

import hashlib
import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from msgspec import to_builtins

from retrocypher.kg.questions.question import Question, paraphrase
from retrocypher.plugins.judge.criteria import judge_facts
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.manifest import ShardEntry
from retrocypher.plugins.runs.record import JsonValue
from retrocypher.plugins.runs.resume import RunKey
from retrocypher.plugins.session.options import named_paths
from retrocypher.plugins.session.plan import Plan
from retrocypher.prompts.loops.guarded import Guarded
from retrocypher.prompts.loops.interface import Loop
from retrocypher.prompts.models.open import file_of
from retrocypher.prompts.models.openai_client import api_address
from retrocypher.prompts.models.spec import ModelSpec

_LIST = Path(__file__).with_name("code.yaml")
_CHECKOUT = Path(__file__).parents[2]


def code_sha256(checkout: Path = _CHECKOUT) -> str:
    """Return a hash of the code and data files that decide what is on a record."""
    digest = hashlib.sha256()
    for file in code_files(checkout):
        content = hashlib.sha256(file.read_bytes()).digest()
        digest.update(file.relative_to(checkout).as_posix().encode() + b"\0" + content)
    return digest.hexdigest()


def code_files(checkout: Path = _CHECKOUT) -> list[Path]:
    """Return the files that `code_sha256` reads, in order (``code.yaml`` says which)."""
    listed = _listed()
    apart = tuple(listed["apart"])
    found = (file for folder in listed["folders"] for file in _below(checkout / folder, apart))
    return sorted(file for file in found if file.suffix in listed["endings"])


def library_versions() -> dict[str, str]:
    """Return the versions of the installed packages that a record depends on."""
    found = {}
    for name in _listed()["libraries"]:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _below(folder: Path, apart: tuple[str, ...]) -> Iterator[Path]:
    for entry in os.scandir(folder) if folder.is_dir() else ():
        path = Path(entry.path)
        if entry.name.startswith((".", "__pycache__")) or any(map(path.match, apart)):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(path, apart)
        else:
            yield path


@cache
def _listed() -> Mapping[str, JsonValue]:
    listed: dict[str, JsonValue] = yaml.safe_load(_LIST.read_text(encoding="utf-8"))
    return listed


_CHOOSING = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "stepwise", "stepwise_skip")


def run_key(plan: Plan, selection: Mapping[str, JsonValue], contents: Mapping[str, str]) -> RunKey:
    """Return the key of a run; `contents` are the hashes of its model files by path."""
    options = plan.options
    settings = {prompt.setting for prompt in plan.prompts.values()}
    loop_models = plan.loops.models
    validator = plan.loops.validator if plan.loops.validates else None
    encoder = plan.key_encoder
    return RunKey(
        {
            "questions": _questions(plan, plan.questions),
            "selection": dict(selection),
            "graph": plan.question_set.fingerprint,
            "replay": [str(log.path) for log in plan.replay.logs] if plan.replay else None,
            "prompt_set": options.prompt_set,
            "prompts": {name: prompt.sha256 for name, prompt in plan.prompts.items()},
            "shots": sorted(plan.shots),
            "exemplars": {setting: _sha256(map(repr, plan.banks[setting])) for setting in settings},
            "models": {spec.label: _model(spec, contents) for spec in plan.models},
            "loops": {name: _code_of(loop) for name, loop in plan.loops.loops.items()},
            "validator": validator,
            "players": {label: _model(spec, contents) for label, spec in loop_models.items()},
            "answering": _answering(plan, contents),
            **_judge(plan, contents),
            "seed": options.seed,
            # Left out where nothing is set, so that the keys of older runs stay.
            **({"sampling": dict(plan.sampling)} if plan.sampling else {}),
            **(
                {"metrics": [*sorted(options.metrics), options.cypherbench_compat]} if options.metrics else {}
            ),
            **({"fallback_hops": options.fallback_hops} if options.fallback_hops != Guarded().hops else {}),
            **({"guidelines": plan.loops.guidelines.sha256} if plan.loops.guidelines else {}),
            **({"addendum": plan.addendum} if plan.addendum else {}),
            **({"suite": to_builtins(plan.suite.described())} if plan.suite else {}),
            "query_timeout": options.query_timeout,
            "case_threshold": options.case_threshold,
            "key_encoder": f"{encoder.name}@{encoder.threshold:g}" if encoder else None,
            "code": code_sha256(),
            "libraries": library_versions(),
        }
    )


def shard_facts(plan: Plan, key: RunKey) -> ShardEntry | None:
    """Return which shard of what run this is; None if it is none. Only the questions differ in the keys."""
    if plan.shard is None:
        return None
    whole = RunKey({**key.parts, "questions": _questions(plan, plan.whole)})
    return ShardEntry(
        plan.shard.number,
        plan.shard.of,
        plan.cases_for(plan.whole),
        whole.entry(),
    )


def selection_of(config: pytest.Config) -> dict[str, JsonValue]:
    """Return what pytest itself selects: files and cases, ``-k``, ``-m`` and the like."""
    paths = {os.path.relpath(path, config.rootpath) + rest for path, rest in named_paths(config)}
    chosen = {name: getattr(config.option, name, None) for name in _CHOOSING}
    return {"arguments": sorted(paths), **{name: value for name, value in chosen.items() if value}}


def _questions(plan: Plan, questions: Sequence[Question]) -> dict[str, JsonValue]:
    return {
        "set": plan.question_set.sha256,
        "asked": _sha256(_asked(plan, questions)),
        "count": len(questions),
        "phrasings": sorted(plan.paraphrases),
        **({"repeat": plan.options.repeat} if plan.options.repeat > 1 else {}),
    }


def _asked(plan: Plan, questions: Sequence[Question]) -> Iterator[str]:
    for question in questions:
        for number in plan.paraphrases:
            yield json_line(paraphrase(question, number))


def _judge(plan: Plan, contents: Mapping[str, str]) -> dict[str, JsonValue]:
    """Who judges, and by what; nothing without a judge, so that the keys of older runs stay."""
    judge = plan.judge
    if judge is None:
        return {}
    facts = judge_facts(judge.spec, judge.criteria, contents)
    described = {"api": facts.api, "criteria": facts.criteria, "deepeval": version("deepeval")}
    return {"judge": {**_model(judge.spec, contents), **described}}


def _model(spec: ModelSpec, contents: Mapping[str, str]) -> dict[str, JsonValue]:
    """What is asked, whatever the path of its file; host, port and path of the API for one behind one."""
    file = file_of(spec)
    return {
        "kind": spec.kind,
        "argument": spec.argument if file is None else contents[str(file)],
        "api": api_address([spec]),
    }


def _answering(plan: Plan, contents: Mapping[str, str]) -> dict[str, JsonValue] | None:
    if plan.answering is None:
        return None
    answer_models = {label: _model(spec, contents) for label, spec in plan.answering.models.items()}
    extractor = plan.answering.extractor
    return {
        **to_builtins(plan.answering.described()),
        "writers": answer_models,
        "extractor": extractor and _model(extractor, contents),
    }


def _code_of(loop: Loop) -> str | None:
    """Hash of the file that a loop is written in: one of the user's own is no part of our code."""
    try:
        return hashlib.sha256(Path(inspect.getfile(type(loop))).read_bytes()).hexdigest()
    except (OSError, TypeError):
        return None


def _sha256(parts: Iterator[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
