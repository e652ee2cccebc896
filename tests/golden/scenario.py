"""What a golden run is made of."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import normalise
from answers_in_words import answers, queries
from workshop import Workshop

RULES = (
    "f1>=0.6",
    "f1 by task>=0.2",
    "f1 by task,prompt>=0.4",
    "passed by steps>=0.1",
    "status.ok>=0.5",
    "row_f1>=0.05",
    "exact_path_f1>=0.05",
)
LOOPS = ("--model=scripted-a", "--loop=none,cove,review,guarded,guarded-limit", "--validator=schema")
JUDGED = (
    *("--model=gpt-4.1-mini", "--judge=scripted-judge", "--judge-rows=3"),
    *("--answer", "--answer-context=hybrid-lexical"),
)
AGAINST = (
    "no-regression f1 margin=0.02",
    "no-regression f1 margin=0.05 by task",
    "no-regression precision by setting",
)


def make(workshop: Workshop) -> None:
    """Make all outputs of a golden run."""
    workshop.start_server()
    try:
        _large_runs(workshop)
        _api_runs(workshop)
        _runs_from_runs(workshop)
        _files(workshop)
        _bank(workshop)
        _commands(workshop)
        _usage(workshop)
    finally:
        workshop.stop_server()
        workshop.finish()


def _sample(workshop: Workshop, quick: int) -> tuple[str, ...]:
    return (f"--sample={quick}", "--gate-partial") if workshop.quick else ()


def _large_runs(workshop: Workshop) -> None:
    few = ("--sample=30", "--gate-partial") if workshop.quick else ()
    workers = workshop.size(2, 0)
    gates = ("--gate=f1>=0.99", "--gate=f1 by task>=0.9")
    shipped = (f"--gate={AGAINST[0]}", "--baseline=exemplar")
    workshop.at_once(
        lambda: workshop.session("oracle", "--model=oracle", *few, *gates, workers=workers),
        lambda: workshop.session("exemplar", "--model=exemplar", *few, *shipped, workers=workers),
        lambda: workshop.session("mutant", "--model=mutant", *few[:1], workers=workers),
    )


def _api_runs(workshop: Workshop) -> None:
    api, size, runs = workshop.with_api, workshop.size, workshop.runs
    workers = size(2, 0)
    cache = f"--cache={workshop.work / 'answers.sqlite'}"
    judged = (*JUDGED, f"--sample={size(60, 8)}", "--seed=2")
    faulty = (
        *("--model=faulty-model", f"--sample={size(40, 8)}", "--loop=none,cove", "--judge=faulty-judge"),
        "--answer",
    )

    def judge_and_answer() -> None:
        workshop.session("judged", *judged, cache, workers=workers, environment=api)
        gates = ("--gate=f1>=0.1", "--gate=f1>=0.99", "--gate-partial")
        if not workshop.quick:
            workshop.session("offline", *judged, cache, "--offline", *gates, environment=api)
            replay = ("--graph=none", "--offline", f"--replay={runs / 'judged'}")
            workshop.session("replayed-judged", *judged, *replay, environment=api)

    def loops() -> None:
        told = (*LOOPS, f"--sample={size(100, 8)}")
        workshop.session("loops", *told, "--ledger", workers=workers, environment=api)
        replay = ("--graph=none", "--offline", f"--replay={runs / 'loops'}")
        workshop.session("replayed-loops", *told, *replay, environment=api)

    def fail_and_recover() -> None:
        workshop.session("faulty", *faulty, workers=workers, environment=api)
        shutil.copytree(runs / "faulty", runs / "recovered")
        workshop.api.heal()
        workshop.session("recovered", *faulty, workers=workers, run=runs / "recovered", environment=api)

    wordings = "--phrasing=1,2,5" if not workshop.quick else "--phrasing=1"
    every = (
        "--model=scripted-a",
        "--prompt=all",
        "--shot=all",
        f"--sample={size(10, 6)}",
        "--seed=3",
        wordings,
    )
    workshop.at_once(
        loops,
        judge_and_answer,
        fail_and_recover,
        lambda: workshop.session("prompts", *every, workers=workers, environment=api),
    )
    if workshop.quick:
        return
    workshop.at_once(
        lambda: workshop.session(
            "checklist",
            *("--model=scripted-a", "--model=other=scripted-b", "--loop=cove", "--validator=both"),
            *("--sample=40", "--prompt=P1,P9", "--shot=ZS"),
            workers=2,
            environment=api,
        ),
        lambda: workshop.session(
            "repaired",
            *(
                "--model=mutant",
                "--loop=cove,review",
                "--loop-model=fixer=scripted-c",
                "--validator=checklist",
            ),
            *("--sample=40", "--case-threshold=0.5"),
            workers=2,
            environment=api,
        ),
        lambda: workshop.session(
            "answered",
            *("--model=oracle", "--answer", "--answer-model=writer=scripted-w", "--sample=60"),
            *("--answer-rows=5", "--answer-thresholds=0.8,0.5"),
            workers=2,
            environment=api,
        ),
        lambda: workshop.session(
            "several",
            *("--model=oracle", "--model=weak=exemplar", "--model=mutant:reverse_arrow,drop_component"),
            *("--sample=40", "--shot=1S-D-R,1S-S", "--seed=7", "--query-timeout=20"),
            workers=2,
        ),
    )


def _runs_from_runs(workshop: Workshop) -> None:
    runs, size = workshop.runs, workshop.size
    small = ("--model=mutant", f"--sample={size(60, 10)}", "--prompt=P5,P10", "--shot=ZS")

    def cut_and_go_on() -> None:
        workshop.session("cut", *small, f"--maxfail={size(20, 4)}")
        shutil.copytree(runs / "cut", runs / "resumed")
        workshop.session("resumed", *small, run=runs / "resumed")
        if not workshop.quick:
            workshop.session("refused: complete", *small, run=runs / "resumed", keep=False)
            workshop.session("refused: seed", *small, "--seed=1", run=runs / "cut", keep=False)
            killed = as_killed(runs / "resumed", runs / "killed")
            workshop.session("killed", *small, run=killed, workers=2)

    def shards() -> None:
        parts = ["shard-1", "shard-2"]
        told = ("--model=exemplar", f"--sample={size(60, 8)}", "--prompt=P5,P10")
        for number, part in enumerate(parts, 1):
            workshop.session(part, *told, f"--shard={number}/2", keep=number == 1)
        folders = [str(runs / part) for part in parts]
        workshop.command("merge", "merge", *folders, "--into", str(runs / "merged"), "--json")
        workshop.keep_run("merged", runs / "merged")
        partial = ("--into", str(runs / "part-merged"), "--partial", "--json")
        workshop.command("merge: partial", "merge", folders[0], *partial)
        workshop.command("merge: missing", "merge", folders[1], "--into", str(runs / "no"), "--json")

    workshop.at_once(cut_and_go_on, shards)


def as_killed(run: Path, folder: Path) -> Path:
    """Copy a run, and leave what a killed process would: half of the records, and half of one more."""
    shutil.copytree(run, folder)
    lines = (folder / "records.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    half = len(lines) // 2
    torn = lines[half][: len(lines[half]) // 2]
    (folder / "records.jsonl").write_text("".join(lines[:half]) + torn, encoding="utf-8")
    (folder / "summary.json").unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest |= {"ended": None, "exit_status": None}
    for name in ("counts", "answers", "standstill", "continued"):
        manifest.pop(name, None)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2))
    return folder


def _files(workshop: Workshop) -> None:
    """Judge written answers and queries of a file."""
    size = workshop.size
    told = workshop.work / "answers.jsonl"
    write(told, [*answers(workshop.questions, size(300, 50)), {"question": "no answer"}])
    asked = workshop.work / "queries.jsonl"
    write(asked, list(queries(workshop.questions, size(400, 60))))
    known = workshop.work / "bank.jsonl"
    by_id = {question["id"]: question for question in workshop.questions}
    entries = workshop.bank[:: size(1, 6)]
    pairs = [{"question": by_id[each["question_id"]]["text"], "cypher": each["cypher"]} for each in entries]
    write(known, pairs)
    workshop.at_once(
        lambda: workshop.command_by_line("verify", "verify", str(told), "--json"),
        lambda: workshop.command_by_line("check", "check", str(asked), "--json"),
        lambda: workshop.command_by_line(
            "check-bank", "check", str(known), "--json", "--convention", "benchmark"
        ),
    )
    if not workshop.quick:
        workshop.command("verify", "verify", str(told), "--partial", "0.5")
        workshop.command("check", "check", str(asked))


def _bank(workshop: Workshop) -> None:
    """Label every entry of the bank of known errors, as cases of a run that is scored again.

    A session with predictions from a file shows that such a run is what a session makes.
    """
    by_id = {question["id"]: question for question in workshop.questions}
    seen: dict[str, int] = {}
    records = []
    for entry in workshop.bank:
        number = seen[entry["question_id"]] = seen.get(entry["question_id"], 0) + 1
        records.append(bank_record(entry, by_id[entry["question_id"]], f"bank{number}"))
    folder = workshop.runs / "bank"
    folder.mkdir()
    write(folder / "records.jsonl", records)
    write(folder / "questions.jsonl", [by_id[name] for name in seen])
    (folder / "messages.jsonl").write_text("")
    manifest = json.loads((workshop.runs / "mutant" / "manifest.json").read_text())
    manifest |= {"cases": len(records), "models": [], "counts": {}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    labelled = workshop.runs / "bank-labelled"
    told = workshop.command("rescore: bank", "rescore", str(folder), "--out", str(labelled), "--json")
    if not told:
        raise SystemExit("the bank could not be labelled")
    workshop.save("records.bank", normalise.records(labelled, workshop.normaliser))
    workshop.save("summary.bank", normalise.summary(labelled, workshop.normaliser))
    first = {entry["question_id"]: entry for entry in reversed(workshop.bank)}
    predictions = workshop.work / "predictions.jsonl"
    write(predictions, [{"question_id": name, "cypher": each["cypher"]} for name, each in first.items()])
    if not workshop.quick:
        told_by = (f"--model=given=file:{predictions}", "--sample=120", "--prompt=P5,P10", "--shot=ZS")
        workshop.session("predicted", *told_by)


def bank_record(entry: dict[str, Any], question: dict[str, Any], model: str) -> dict[str, Any]:
    """Return an entry of the bank as a record without scores of its own."""
    prompt = "P5" if question["setting"] == "single_step" else "P10"
    scores = dict.fromkeys(("precision", "recall", "f1"), 0.0)
    return {
        "schema_version": 1,
        "case_id": f"{question['id']}-{prompt}-ZS-none-{model}",
        "question_id": question["id"],
        "task": question["task"],
        "setting": question["setting"],
        "steps": question["steps"],
        "prompt": prompt,
        "shot": "ZS",
        "loop": "none",
        "model": model,
        "exemplar_id": None,
        "question": question["text"],
        "reference_cypher": question["reference_cypher"],
        "phrasing": 1,
        "rounds": [
            {
                "role": "generator",
                "messages_sha256": None,
                "answer": entry["cypher"] or "",
                "cypher": entry["cypher"],
                "verdict": None,
                "findings": [],
                "time_s": 0.0,
                "tokens": None,
                "cost": None,
                "cached": False,
            }
        ],
        "cypher": entry["cypher"],
        "execution": entry["execution"],
        "graph_calls": [],
        "scores": scores,
        "errors": [],
        "judge": None,
        "answer": None,
        "claims": None,
        "verification": None,
        "infrastructure_error": None,
        "passed": False,
    }


def _commands(workshop: Workshop) -> None:
    """Ask the command about the runs."""
    runs, quick = workshop.runs, workshop.quick
    here = workshop.work / "desk"
    here.mkdir()
    call = workshop.command
    tasks = []

    def later(name: str, *arguments: str, **keywords: Any) -> None:
        tasks.append(lambda: call(name, *arguments, where=here, **keywords))

    def named(*names: str) -> list[str]:
        return [str(runs / name) for name in names]

    groups = [("oracle", "exemplar", "mutant"), ("loops",), ("judged",)]
    if not quick:
        groups += [(name,) for name in ("merged", "cut", "several", "recovered", "answered", "prompts")]
        groups += [("repaired",), ("checklist",)]
    for group in groups:
        label = " ".join(group)
        later(f"summary {label}", "summary", *named(*group), "--ledger", "--json")
        out = ["--out", str(workshop.work / f"{group[0]}.html")]
        if not quick or group == ("loops",):
            out += ["--figures", str(workshop.work / f"figures-{group[0]}")]
        if not quick or group != ("judged",):
            later(f"report {label}", "report", *named(*group), *out, "--json")
    later("runs", "runs", str(runs), "--json")
    against = ("--baseline", str(runs / "exemplar"), "--gate-partial", "--json")
    later("gate mutant against exemplar", "gate", *named("mutant"), *AGAINST, *against)
    later("gate mutant", "gate", *named("mutant"), *RULES, "--gate-partial", "--json")
    later("gate: a part", "gate", *named("prompts"), "f1>=0.1", "--json")
    by = ("--by", "task,steps", "--by", "prompt", "--by", "setting")
    later("compare exemplar mutant", "compare", *named("exemplar", "mutant"), *by, "--json")
    for run in ("mutant", "loops", "judged", *(() if quick else ("recovered", "answered", "several"))):
        ids = sorted(record["case_id"] for record in normalise.read_lines(runs / run / "records.jsonl"))
        for case in ids[:: max(1, len(ids) // workshop.size(8, 1))][: workshop.size(8, 1)]:
            later(f"show {run} {case}", "show", *named(run), case, "--messages", "--json")
    later("rescore loops", "rescore", *named("loops"), "--json")
    later("allure", "allure", *named("loops"), "--out", str(workshop.work / "allure-again"), "--json")
    if not quick:
        _more_commands(workshop, later, named)
    workshop.at_once(*tasks)
    _in_turn(workshop, here)
    workshop.save("allure.again", normalise.allure(workshop.work / "allure-again", workshop.normaliser))
    for folder in sorted(workshop.work.glob("figures-*")):
        name = folder.name.replace("-", ".", 1)
        workshop.save(name, normalise.figures(folder, workshop.normaliser))
    pages = {page.name: normalise.page(page, workshop.normaliser) for page in workshop.work.glob("*.html")}
    workshop.save("report-pages", pages)


def _more_commands(workshop: Workshop, later: Callable[..., None], named: Callable[..., list[str]]) -> None:
    """Ask what only the full version asks."""
    against = ("--baseline", str(workshop.runs / "exemplar"), "--gate-partial", "--json")
    later("summary: text", "summary", *named("loops", "judged"), "--ledger")
    later("compare: text", "compare", *named("exemplar", "mutant"))
    for one, other in (("oracle", "exemplar"), ("loops", "replayed-loops"), ("cut", "resumed")):
        later(f"compare {one} {other}", "compare", *named(one, other), "--json")
    metric = ("--metric", "row_f1", "--margin", "0.1", "--json")
    later("compare: metric", "compare", *named("exemplar", "mutant"), *metric)
    later("compare: unlike", "compare", *named("repaired", "mutant"), "--json")
    later("compare: on common", "compare", *named("predicted", "mutant"), "--on-common", "--json")
    for run in ("exemplar", "loops", "recovered", "cut"):
        later(f"gate {run}", "gate", *named(run), *RULES, "--gate-partial", "--json")
    later("gate exemplar against exemplar", "gate", *named("exemplar"), *AGAINST, *against)
    narrow = "no-regression f1 margin=0.001"
    later("gate: inconclusive", "gate", *named("resumed"), narrow, *against)
    wide = ("no-regression recall margin=0.2", "--gate-allow-inconclusive")
    later("gate: allowed", "gate", *named("resumed"), *wide, *against)
    later("gate: incomplete", "gate", *named("faulty"), "f1>=0.1", "--gate-partial", "--json")
    later("gate: bad rule", "gate", *named("several"), "f1 by tusk>=0.1", "--json")
    later("gate: no judge", "gate", *named("several"), "judge>=0.1", "--json")
    later("gate: uncalibrated judge", "gate", *named("judged"), "judge>=0.1", "--gate-partial", "--json")
    first = min(
        record["case_id"] for record in normalise.read_lines(workshop.runs / "loops" / "records.jsonl")
    )
    later("show: text", "show", *named("loops"), first)
    later("show: no case", "show", *named("loops"), "nothing-like-it", "--json")
    for run in ("mutant", "judged"):
        later(f"rescore {run}", "rescore", *named(run), "--json")
    later("labels", "labels", "list", "--json")
    later("bank", "bank", "show", "--bank", str(workshop.bank_folder), "--json")
    later("graph status", "graph", "status", "--json")
    later("cache", "cache", "stats", "--cache", str(workshop.work / "answers.sqlite"), "--json")


def _in_turn(workshop: Workshop, here: Path) -> None:
    """Do what builds on what was done before: baselines, rescoring in place, judging afterwards."""
    runs, api = workshop.runs, workshop.with_api
    call = workshop.command
    told = {"where": here}

    def baselines() -> None:
        call("baseline save", "baseline", "save", str(runs / "exemplar"), "kept", "--json", **told)
        call("baseline show", "baseline", "show", "kept", "--json", **told)
        against = ("--baseline", "kept", "--gate-partial", "--json")
        call("gate: baseline", "gate", str(runs / "exemplar"), *AGAINST, *against, **told)
        if not workshop.quick:
            again = ("baseline", "save", str(runs / "exemplar"), "kept", "--json")
            call("baseline save: taken", *again, **told)
            call("baseline list", "baseline", "list", "--json", **told)
            call("compare: baseline", "compare", "kept", str(runs / "mutant"), "--json", **told)

    def rescored() -> None:
        lower = ("rescore", str(runs / "loops"), "--case-threshold", "0.5", "--out", str(runs / "rescored"))
        call("rescore: threshold", *lower, "--json", **told)
        for section in (normalise.records, normalise.summary, normalise.manifest):
            workshop.save(f"{section.__name__}.rescored", section(runs / "rescored", workshop.normaliser))
        if not workshop.quick:
            call("rescore: there already", *lower, "--json", **told)

    def judged() -> None:
        run = runs / "judged-afterwards"
        shutil.copytree(runs / ("mutant" if workshop.quick else "several"), run)
        ask = ("judge", str(run), "--cache", "none", "--json")
        call("judge", *ask, "--judge", "other-judge", environment=api, **told)
        if not workshop.quick:
            call("judge: again", *ask, "--judge", "other-judge", environment=api, **told)
            call("judge: another", *ask, "--judge", "scripted-judge", environment=api, **told)
            replaced = ("--judge", "scripted-judge", "--replace")
            call("judge: replaced", *ask, *replaced, environment=api, **told)
            call("judge: back again", *ask, "--judge", "other-judge", "--replace", environment=api, **told)
        for section in (normalise.records, normalise.summary):
            workshop.save(f"{section.__name__}.judged-afterwards", section(run, workshop.normaliser))
        bank = ("--bank", str(workshop.bank_folder), "--per-error", str(workshop.size(3, 1)))
        calibrate = ("judge", "--calibrate", "--judge", "other-judge", *bank, "--cache", "none", "--json")
        call("judge: calibrated", *calibrate, environment=api, **told)
        rules = ("judge>=0.2", "judge by task>=0.9", "--gate-partial", "--json")
        call("gate: judge", "gate", str(run), *rules, **told)
        if not workshop.quick:
            call("gate: judge, lenient", "gate", str(run), *rules, "--gate-judge-kappa", "-1", **told)

    workshop.at_once(baselines, rescored, judged)


def _usage(workshop: Workshop) -> None:
    """Give wrong command lines, and ask for help."""
    wrong = {
        "prompt": ("--model=oracle", "--prompt=P11"),
        "model": ("--model=oracel",),
        "no model": (),
        "gate": ("--model=oracle", "--gate=f1>0.5"),
        "shard": ("--model=oracle", "--shard=3/2"),
        "graph": ("--model=oracle", "--graph=none"),
        "part": ("--model=oracle", "--sample=5", "--gate=f1>=0.5"),
        "loop": ("--model=oracle", "--loop=nothing"),
        "predictions": ("--model=file:/nothing/there.jsonl",),
        "no case": ("--model=oracle", "--sample=5", "-k", "nothing_like_it"),
    }
    names = list(wrong)[:2] if workshop.quick else list(wrong)
    lines = {
        "no run": ("summary", "/nothing/there"),
        "no command": ("frobnicate",),
        "no argument": ("compare", "a"),
        "no option": ("runs", "--nothing"),
        "no file": ("check", "/nothing/there.jsonl"),
        "number": ("judge", "--concurrency", "0"),
        "merge": ("merge", str(workshop.runs / "mutant"), "--into", str(workshop.runs / "never")),
    }
    tasks = [lambda name=name: workshop.usage(name, *wrong[name]) for name in names]
    few = list(lines)[: 2 if workshop.quick else None]
    tasks += [lambda name=name: workshop.command(f"usage: {name}", *lines[name]) for name in few]
    tasks += [lambda: workshop.command("help", "--help")]
    if not workshop.quick:
        for each in HELP:
            tasks.append(lambda each=each: workshop.command(f"help {each}", *each.split(), "--help"))
    workshop.at_once(*tasks)


HELP = (
    *("summary", "compare", "gate", "report", "show", "verify", "check", "rescore", "merge", "runs", "judge"),
    *("allure", "baseline save", "baseline list", "baseline show", "labels list", "graph up", "graph status"),
    *(
        "graph down",
        "graph load",
        "graph build",
        "cache stats",
        "cache prune",
        "cache export",
        "cache import",
    ),
    *("questions build", "passages build", "vectors build", "bank build", "bank show", "bank sample"),
)


def write(path: Path, values: list[Any]) -> None:
    """Write values as lines of JSON."""
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
