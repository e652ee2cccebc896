"""What a golden run is made of."""

import json
import shutil
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
    few = _sample(workshop, 40)
    shipped = "--baseline=exemplar"
    workers = workshop.size(2, 0)
    workshop.at_once(
        lambda: workshop.session(
            "oracle", "--model=oracle", *few, "--gate=f1>=0.99", "--gate=f1 by task>=0.9", workers=workers
        ),
        lambda: workshop.session(
            "exemplar", "--model=exemplar", *few, f"--gate={AGAINST[0]}", shipped, workers=workers
        ),
    )
    mutants = ("--sample=60",) if workshop.quick else ()
    workshop.session("mutant", "--model=mutant", *mutants, workers=2)


def _api_runs(workshop: Workshop) -> None:
    api = workshop.with_api
    size = workshop.size
    workers = size(2, 0)
    cache = f"--cache={workshop.work / 'answers.sqlite'}"
    judged = (
        *("--model=gpt-4.1-mini", f"--sample={size(60, 6)}", "--judge=scripted-judge", "--judge-rows=3"),
        *("--answer", "--answer-context=hybrid-lexical"),
    )
    faulty = (
        *("--model=faulty-model", f"--sample={size(40, 8)}", "--loop=none,cove", "--judge=faulty-judge"),
        "--answer",
    )

    def judge_and_answer() -> None:
        workshop.session("judged", *judged, cache, workers=workers, environment=api)
        again = ("--offline", "--gate=f1>=0.1", "--gate=f1>=0.99", "--gate-partial")
        workshop.session("offline", *judged, cache, *again, environment=api)

    def fail_and_recover() -> None:
        workshop.session("faulty", *faulty, workers=workers, environment=api)
        interrupted = workshop.runs / "faulty"
        workshop.api.heal()
        workshop.session("recovered", *faulty, workers=workers, run=interrupted, environment=api)

    workshop.at_once(
        lambda: workshop.session(
            "loops",
            *("--model=scripted-a", "--loop=none,cove,review,guarded,guarded-limit", "--validator=schema"),
            *(f"--sample={size(100, 6)}", "--ledger"),
            workers=workers,
            environment=api,
        ),
        judge_and_answer,
        fail_and_recover,
        lambda: workshop.session(
            "checklist",
            *("--model=scripted-a", "--model=other=scripted-b", "--loop=cove", "--validator=both"),
            *(f"--sample={size(40, 4)}", "--prompt=P1,P9", "--shot=ZS"),
            workers=workers,
            environment=api,
        ),
        lambda: workshop.session(
            "prompts",
            *("--model=scripted-a", "--prompt=all", "--shot=all", f"--phrasing={'1,4' if workshop.quick else '1,2,5'}"),
            *(f"--sample={size(10, 2)}", "--seed=3"),
            workers=workers,
            environment=api,
        ),
        lambda: workshop.session(
            "repaired",
            *("--model=mutant", "--loop=cove,review", "--loop-model=fixer=scripted-c", "--validator=checklist"),
            *(f"--sample={size(40, 4)}", "--case-threshold=0.5"),
            workers=workers,
            environment=api,
        ),
        lambda: workshop.session(
            "answered",
            *("--model=oracle", "--answer", "--answer-model=writer=scripted-w", f"--sample={size(60, 6)}"),
            *("--answer-rows=5", "--answer-thresholds=0.8,0.5"),
            workers=workers,
            environment=api,
        ),
        lambda: workshop.session(
            "several",
            *("--model=oracle", "--model=weak=exemplar", "--model=mutant:reverse_arrow,drop_component"),
            *(f"--sample={size(40, 8)}", "--shot=1S-D-R,1S-S", "--seed=7", "--query-timeout=20"),
            workers=workers,
        ),
    )


def _runs_from_runs(workshop: Workshop) -> None:
    api, runs, size = workshop.with_api, workshop.runs, workshop.size
    small = ("--model=mutant", f"--sample={size(60, 10)}", "--prompt=P5,P10", "--shot=ZS")
    limit = f"--maxfail={size(20, 4)}"

    def cut_and_go_on() -> None:
        workshop.session("cut", *small, limit)
        shutil.copytree(runs / "cut", runs / "resumed")
        workshop.session("resumed", *small, run=runs / "resumed")
        workshop.session("refused: complete", *small, run=runs / "resumed", keep=False)
        workshop.session("refused: seed", *small, "--seed=1", run=runs / "resumed", keep=False)
        killed = as_killed(runs / "resumed", runs / "killed")
        workshop.session("killed", *small, run=killed, workers=size(2, 0))

    def shards() -> None:
        parts = [f"shard-{number}" for number in (1, 2, 3)]
        told = ("--model=exemplar", f"--sample={size(60, 12)}", "--prompt=P5,P10")
        for number, part in enumerate(parts, 1):
            workshop.session(part, *told, f"--shard={number}/3", keep=number == 1)
        folders = [str(runs / part) for part in parts]
        merged = runs / "merged"
        workshop.command("merge", "merge", *folders, "--into", str(merged), "--json")
        workshop.keep_run("merged", merged)
        partial = ("--into", str(runs / "part-merged"), "--partial", "--json")
        workshop.command("merge: partial", "merge", *folders[:2], *partial)
        workshop.command("merge: missing", "merge", *folders[1:], "--into", str(runs / "no"), "--json")

    replay = ("--graph=none", "--offline")
    loops = (
        *("--model=scripted-a", "--loop=none,cove,review,guarded,guarded-limit", "--validator=schema"),
        *(f"--sample={size(100, 6)}", f"--replay={runs / 'loops'}"),
    )
    judged = (
        *("--model=gpt-4.1-mini", f"--sample={size(60, 6)}", "--judge=scripted-judge", "--judge-rows=3"),
        *("--answer", "--answer-context=hybrid-lexical", f"--replay={runs / 'judged'}"),
    )
    workshop.at_once(
        cut_and_go_on,
        shards,
        lambda: workshop.session("replayed-loops", *loops, *replay, environment=api),
        lambda: workshop.session("replayed-judged", *judged, *replay, environment=api),
    )


def as_killed(run: Path, folder: Path) -> Path:
    """Copy a run, and leave of it what a killed process would have: half of the records, the last one torn."""
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
    write(told, [*answers(workshop.questions, size(300, 60)), {"question": "no answer"}])
    asked = workshop.work / "queries.jsonl"
    write(asked, list(queries(workshop.questions, size(400, 80))))
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
        lambda: workshop.command("verify", "verify", str(told), "--partial", "0.5"),
        lambda: workshop.command("check", "check", str(asked)),
    )


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
    told_by = (f"--model=file={'file:'}{predictions}", f"--sample={workshop.size(120, 10)}", "--prompt=P5,P10")
    workshop.session("predicted", *told_by, "--shot=ZS")


def bank_record(entry: dict[str, Any], question: dict[str, Any], model: str) -> dict[str, Any]:
    """Return an entry of the bank as a record without scores of its own."""
    prompt = "P5" if question["setting"] == "single_step" else "P10"
    scores = {name: 0.0 for name in ("precision", "recall", "f1")}
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

    groups = [("oracle", "exemplar", "mutant"), ("loops",), ("judged",), ("merged",), ("cut",), ("several",)]
    groups += [] if quick else [("recovered",), ("answered",), ("prompts",), ("repaired",), ("checklist",)]
    for group in groups:
        label = " ".join(group)
        later(f"summary {label}", "summary", *named(*group), "--ledger", "--json")
        folder = workshop.work / f"figures-{group[0]}"
        page = workshop.work / f"{group[0]}.html"
        report = ("report", *named(*group), "--out", str(page), "--figures", str(folder), "--json")
        if group[0] in ("oracle", "loops", "judged") or not quick:
            later(f"report {label}", *report)
    later("summary: text", "summary", *named("loops", "judged"), "--ledger")
    later("runs", "runs", str(runs), "--json")
    pairs = [("exemplar", "mutant"), ("oracle", "exemplar"), ("loops", "replayed-loops"), ("cut", "resumed")]
    for one, other in pairs[: 2 if quick else 4]:
        by = ("--by", "task,steps", "--by", "prompt", "--by", "setting")
        later(f"compare {one} {other}", "compare", *named(one, other), *by, "--json")
    later("compare: text", "compare", *named("exemplar", "mutant"))
    later("compare: metric", "compare", *named("exemplar", "mutant"), "--metric", "row_f1", "--margin", "0.1", "--json")
    later("compare: unlike", "compare", *named("several", "mutant"), "--json")
    later("compare: on common", "compare", *named("several", "mutant"), "--on-common", "--json")
    for run in ("exemplar", "mutant", "loops", "recovered", "cut")[: 2 if quick else 5]:
        later(f"gate {run}", "gate", *named(run), *RULES, "--gate-partial", "--json")
    against = ("--baseline", str(runs / "exemplar"), "--gate-partial", "--json")
    later("gate mutant against exemplar", "gate", *named("mutant"), *AGAINST, *against)
    later("gate exemplar against exemplar", "gate", *named("exemplar"), *AGAINST, *against)
    wide = ("no-regression recall margin=0.2", *against)
    later("gate: inconclusive", "gate", *named("several"), "no-regression f1 margin=0.001", *against)
    later("gate: wide", "gate", *named("mutant"), *wide, "--gate-allow-inconclusive")
    later("gate: a part", "gate", *named("several"), "f1>=0.1", "--json")
    later("gate: incomplete", "gate", *named("cut"), "f1>=0.1", "--json")
    later("gate: bad rule", "gate", *named("several"), "f1 by tusk>=0.1", "--json")
    later("gate: no judge", "gate", *named("several"), "judge>=0.1", "--json")
    later("gate: uncalibrated judge", "gate", *named("judged"), "judge>=0.1", "--gate-partial", "--json")
    for run in ("mutant", "loops", "judged", "recovered", "answered", "several"):
        ids = sorted(record["case_id"] for record in normalise.read_lines(runs / run / "records.jsonl"))
        for case in ids[:: max(1, len(ids) // workshop.size(8, 1))][: workshop.size(8, 1)]:
            later(f"show {run} {case}", "show", *named(run), case, "--messages", "--json")
    first = min(record["case_id"] for record in normalise.read_lines(runs / "loops" / "records.jsonl"))
    later("show: text", "show", *named("loops"), first)
    later("show: no case", "show", *named("loops"), "nothing-like-it", "--json")
    for run in ("mutant", "loops", "judged")[: 1 if quick else 3]:
        later(f"rescore {run}", "rescore", *named(run), "--json")
    later("allure", "allure", *named("loops"), "--out", str(workshop.work / "allure-again"), "--json")
    later("labels", "labels", "list", "--json")
    later("bank", "bank", "show", "--bank", str(workshop.bank_folder), "--json")
    later("graph status", "graph", "status", "--json")
    later("cache", "cache", "stats", "--cache", str(workshop.work / "answers.sqlite"), "--json")
    workshop.at_once(*tasks)
    _in_turn(workshop, here)
    workshop.save("allure.again", normalise.allure(workshop.work / "allure-again", workshop.normaliser))
    for folder in sorted(workshop.work.glob("figures-*")):
        name = folder.name.replace("-", ".", 1)
        workshop.save(name, normalise.figures(folder, workshop.normaliser))
    pages = {page.name: normalise.page(page, workshop.normaliser) for page in workshop.work.glob("*.html")}
    workshop.save("report-pages", pages)


def _in_turn(workshop: Workshop, here: Path) -> None:
    """Do what builds on what was done before: baselines, rescoring in place, judging afterwards."""
    runs, api = workshop.runs, workshop.with_api
    call = workshop.command
    told = {"where": here}

    def baselines() -> None:
        call("baseline save", "baseline", "save", str(runs / "exemplar"), "kept", "--json", **told)
        call("baseline save: taken", "baseline", "save", str(runs / "exemplar"), "kept", "--json", **told)
        call("baseline list", "baseline", "list", "--json", **told)
        call("baseline show", "baseline", "show", "kept", "--json", **told)
        call("compare: baseline", "compare", "kept", str(runs / "mutant"), "--json", **told)
        against = ("--baseline", "kept", "--gate-partial", "--json")
        call("gate: baseline", "gate", str(runs / "exemplar"), *AGAINST, *against, **told)

    def rescored() -> None:
        out = runs / "rescored"
        lower = ("--case-threshold", "0.5", "--out", str(out), "--json")
        call("rescore: threshold", "rescore", str(runs / "loops"), *lower, **told)
        workshop.save("records.rescored", normalise.records(out, workshop.normaliser))
        workshop.save("summary.rescored", normalise.summary(out, workshop.normaliser))
        workshop.save("manifest.rescored", normalise.manifest(out, workshop.normaliser))
        call("rescore: there already", "rescore", str(runs / "loops"), *lower, **told)

    def judged() -> None:
        run = runs / "several"
        ask = ("judge", str(run), "--cache", "none", "--json")
        call("judge", *ask, "--judge", "scripted-judge", environment=api, **told)
        call("judge: again", *ask, "--judge", "scripted-judge", environment=api, **told)
        call("judge: another", *ask, "--judge", "other-judge", environment=api, **told)
        call("judge: replaced", *ask, "--judge", "other-judge", "--replace", environment=api, **told)
        for section, read in (("records", normalise.records), ("summary", normalise.summary)):
            workshop.save(f"{section}.judged-afterwards", read(run, workshop.normaliser))
        bank = ("--bank", str(workshop.bank_folder), "--per-error", str(workshop.size(3, 1)))
        calibrate = ("judge", "--calibrate", "--judge", "other-judge", *bank, "--cache", "none", "--json")
        call("judge: calibrated", *calibrate, environment=api, **told)
        strict = ("gate", str(run), "judge>=0.2", "judge by task>=0.9", "--gate-partial", "--json")
        call("gate: judge", *strict, **told)
        call("gate: judge, lenient", *strict, "--gate-judge-kappa", "-1", **told)

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
    names = list(wrong)[:3] if workshop.quick else list(wrong)
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
    tasks += [lambda name=name: workshop.command(f"usage: {name}", *lines[name]) for name in lines]
    tasks += [lambda: workshop.command("help", "--help")]
    if not workshop.quick:
        for each in HELP:
            tasks.append(lambda each=each: workshop.command(f"help {each}", *each.split(), "--help"))
    workshop.at_once(*tasks)


HELP = (
    *("summary", "compare", "gate", "report", "show", "verify", "check", "rescore", "merge", "runs", "judge"),
    *("allure", "baseline save", "baseline list", "baseline show", "labels list", "graph up", "graph status"),
    *("graph down", "graph load", "graph build", "cache stats", "cache prune", "cache export", "cache import"),
    *("questions build", "passages build", "vectors build", "bank build", "bank show", "bank sample"),
)


def write(path: Path, values: list[Any]) -> None:
    """Write values as lines of JSON."""
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
