"""Runs the sessions and commands of ``scenario.toml``, and others that need files made for them."""

import shutil
import tarfile
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import outputs
from checkout import Checkout
from outputs import write_lines
from written_answers import answers, queries

HERE = Path(__file__).resolve().parent


def make(checkout: Checkout) -> None:
    """Make all outputs of a checkout."""
    scenario = tomllib.loads((HERE / "scenario.toml").read_text(encoding="utf-8"))
    lines = scenario["commands"]
    with checkout:
        run_sessions(checkout, scenario)
        checkout.at_once(partial(resume, checkout), partial(merge_shards, checkout))
        label_bank(checkout)
        write_inputs(checkout)
        commands = [*lines["independent"], *show_cases(checkout)]
        if not checkout.quick:
            commands += [*lines["independent_full"], *(f"{name} --help" for name in lines["help"])]
            checkout.at_once(*(partial(checkout.refused_session, each) for each in lines["refused_sessions"]))
        checkout.at_once(*(partial(checkout.commands, [each]) for each in commands))
        in_turn = (lines[name] for name in ("baselines", "rescored", "judged"))
        checkout.at_once(*(partial(checkout.commands, each) for each in in_turn))
        for run in ("rescored", "judged-afterwards"):
            checkout.save_run(run)
        for folder in checkout.work.glob("figures-*"):
            checkout.save(folder.name, outputs.figures(folder))


def run_sessions(checkout: Checkout, scenario: dict[str, Any]) -> None:
    """Run the sessions with all cases and those with samples."""
    few = " --sample=30 --gate-partial" if checkout.quick else ""
    sessions = {name: options + few for name, options in scenario["large_sessions"].items()}
    for name, session in scenario["sessions"].items():
        if size := session.get("quick" if checkout.quick else "full"):
            sessions[name] = f"{session['options']} --sample={size}"
    checkout.at_once(*(partial(checkout.session, name, options) for name, options in sessions.items()))


def resume(checkout: Checkout) -> None:
    """Interrupt a session, resume it, and try to resume it with other options."""
    options = f"--model=mutant --sample={checkout.size(60, 10)} --prompt=P5,P10 --shot=ZS"
    stopped = checkout.runs / "interrupted"
    checkout.session("interrupted", f"{options} --maxfail={checkout.size(20, 4)}", workers=0)
    shutil.copytree(stopped, checkout.runs / "resumed")
    checkout.session("resumed", options)
    checkout.refused_session(f"{options} --seed=1 --run-dir={stopped}")


def merge_shards(checkout: Checkout) -> None:
    """Run a session in two parts and merge them, and try to merge one alone."""
    options = f"--model=exemplar --sample={checkout.size(60, 8)} --prompt=P5,P10"
    for shard in (1, 2):
        checkout.session(f"shard-{shard}", f"{options} --shard={shard}/2")
    checkout.command("merge runs/shard-1 runs/shard-2 --into runs/merged --json")
    checkout.command("merge runs/shard-1 --into runs/partly-merged --partial --json")
    checkout.command("merge runs/shard-2 --into runs/refused --json")
    checkout.save_run("merged")


def label_bank(checkout: Checkout) -> None:
    """Label the bank of known errors: write its entries as records of a run, and score that again."""
    oracle, bank = checkout.runs / "oracle", checkout.runs / "bank"
    bank.mkdir()
    template = next(outputs.read_lines(oracle / "records.jsonl"))
    template.pop("explanation", None)
    questions = {question["id"]: question for question in checkout.questions}
    asked = {entry["question_id"]: questions[entry["question_id"]] for entry in checkout.bank}
    records = [
        as_record(entry, asked[entry["question_id"]], number, template)
        for number, entry in enumerate(checkout.bank)
    ]
    manifest = outputs.json_file(oracle / "manifest.json")
    write_lines(bank / "records.jsonl", records)
    write_lines(bank / "questions.jsonl", asked.values())
    write_lines(bank / "messages.jsonl", [])
    write_lines(bank / "manifest.json", [{**manifest, "cases": len(records), "models": [], "counts": {}}])
    checkout.command("rescore runs/bank --out runs/bank-labelled --json")
    checkout.save_run("bank-labelled")


def as_record(
    entry: dict[str, Any], question: dict[str, Any], number: int, template: dict[str, Any]
) -> dict[str, Any]:
    """Return an entry of the bank as a record, made from that of another case."""
    prompt = "P5" if question["setting"] == "single_step" else "P10"
    query = entry["cypher"]
    changed = {
        "case_id": f"{question['id']}-{prompt}-ZS-none-bank{number}",
        "question_id": question["id"],
        "question": question["text"],
        "prompt": prompt,
        "shot": "ZS",
        "exemplar_id": None,
        "model": f"bank{number}",
        "rounds": [
            {**template["rounds"][0], "answer": query or "", "cypher": query, "messages_sha256": None}
        ],
        "cypher": query,
        "execution": entry["execution"],
        "graph_calls": [],
        "scores": {"precision": 0.0, "recall": 0.0, "f1": 0.0},
        "errors": [],
        "passed": False,
    }
    same = {name: question[name] for name in ("task", "setting", "steps", "reference_cypher")}
    return {**template, **same, **changed}


def write_inputs(checkout: Checkout) -> None:
    """Write the files that commands of the scenario name."""
    work, size = checkout.work, checkout.size
    texts = {question["id"]: question["text"] for question in checkout.questions}
    known = [
        {"question": texts[entry["question_id"]], "cypher": entry["cypher"]}
        for entry in checkout.bank[:: size(1, 6)]
    ]
    write_lines(work / "bank.jsonl", known)
    write_lines(work / "answers.jsonl", answers(checkout.questions, size(300, 50)))
    write_lines(work / "queries.jsonl", queries(checkout.questions, size(400, 60)))
    (work / "bank").symlink_to(checkout.bank_folder)
    shutil.copytree(checkout.runs / "interrupted", checkout.runs / "judged-afterwards")
    for path in (HERE / "runs").glob("*.tar.gz"):
        with tarfile.open(path) as archive:
            archive.extractall(work / "earlier", filter="data")


def show_cases(checkout: Checkout) -> list[str]:
    """Return commands that show some cases."""
    commands = []
    for run in ("mutant", "loops", "judged"):
        cases = sorted(outputs.records(checkout.runs / run))
        step = max(1, len(cases) // checkout.size(8, 2))
        commands += [f"show runs/{run} {case} --messages --json" for case in cases[::step]]
    return commands
