"""`retrocypher study`: the numbers of scripted records, what is missing, and what is planned."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.judged import judged
from support.records import key_score, record_of, write_run
from support.reported import Read, some_questions

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.runs.record import Leak, Record, Round

QUESTIONS = {task: [q for q in some_questions() if q.task == task] for task in ("best_yield", "precursors")}
MODEL = "gpt-4.1-mini"
TEXTS = dict.fromkeys(("bleu", "meteor", "rouge_l"), 0.5)


def study(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["study", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def plan(*arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(study(*arguments, "--plan", "--json"))["runs"]
    return found


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))


def numbers(row: dict[str, str], *names: str) -> list[float]:
    return [round(float(row[name]), 6) for name in names]


def case(question: Question, f1: float, **fields: Any) -> Record:
    """Return the record of a query that ran, right if its F1 is 1."""
    label = {"prompt": "P1", "shot": "ZS", "loop": "none", "model": MODEL, **fields}
    name = "-".join([question.id, *(str(label[part]) for part in ("prompt", "shot", "loop", "model"))])
    values = {
        "scores": {"f1": f1, "precision": f1, "recall": f1, **TEXTS},
        "cypher": question.reference_cypher,
        "execution": {"status": "ok"},
        "errors": [] if f1 == 1 else ["missing_component:agents"],
        "passed": f1 == 1,
        "rounds": [called(1000, 100, 2.0)],
    }
    return record_of(name, of=question, **{**values, **label})


def called(prompt: int, completion: int, seconds: float, **more: Any) -> Round:
    values: dict[str, Any] = {"role": "generator", "messages_sha256": "h", "answer": "", "cypher": "A"}
    tokens = {"prompt": prompt, "completion": completion}
    return Round(**{**values, "tokens": tokens, "time_s": seconds, **more})


def corrected(question: Question, before: str, after: str, flagged: bool = False, **fields: Any) -> Record:
    """Return a case of cove by its labels; no label is right, and `syntax_error` did not run."""
    status = "syntax_error" if before == "syntax_error" else "ok"
    scores = dict.fromkeys(("f1", "precision", "recall", "row_f1", "focus_f1"), float(not before))
    result = {"status": status, **scores, "passed": not before, "errors": [before] if before else []}
    verdict = "invalid" if flagged else "valid"
    rounds = [
        called(1, 1, 1.0, findings=[{"result": result}]),
        Round("validator:checklist", None, "", "A", verdict),
    ]
    errors = [after] if after else []
    of_loop = {"prompt": "P2", "loop": "cove", "rounds": rounds, "errors": errors}
    return case(question, float(not after), **{**of_loop, **fields})


def write(folder: Path, records: list[Record], *models: dict[str, str]) -> Path:
    listed = [*models] or [{"label": MODEL, "kind": "openai", "argument": MODEL}]
    return write_run(folder, records, some_questions(), {"exit_status": 0, "models": listed})


def test_questions_are_counted_as_figure_1_counts_them(tmp_path: Path) -> None:
    asked = load_questions().questions
    products = {len(each.slots["products"]): each for each in asked if each.task == "multi_product"}
    roles = {each.slots["role"]: each for each in asked if each.task == "conditions"}
    chosen = [*products.values(), *roles.values(), QUESTIONS["precursors"][0]]
    listed = {"exit_status": 0, "models": [{"label": MODEL, "kind": "openai", "argument": MODEL}]}
    run = write_run(tmp_path / "run", [case(each, 1.0) for each in chosen], chosen, listed)
    study("reaction", run, "--out", tmp_path / "out")

    rows = rows_of(tmp_path / "out" / "figure-1.csv")
    assert rows[0]["task_in_paper"] == "Precursor Identification"
    assert [(row["task"], row["of"], row["paper"], row["questions"]) for row in rows] == [
        ("precursors", "", "200", "1"),
        ("multi_product", "n = 2", "150", "1"),
        ("multi_product", "n = 3", "45", "1"),
        ("multi_product", "n = 4", "5", "1"),
        ("conditions", "agents", "100", "1"),
        ("conditions", "solvents", "100", "1"),
    ]


def test_box_plots_and_models_have_the_numbers_of_the_cases(tmp_path: Path) -> None:
    first, second, *_ = QUESTIONS["best_yield"]
    run = write(tmp_path / "run", [case(first, 1.0), case(second, 0.5)])
    study("reaction", run, "--out", tmp_path / "out")

    page = Read((tmp_path / "out" / "index.html").read_text("utf-8")).text
    assert "have other questions" not in page
    rows = {row["metric"]: row for row in rows_of(tmp_path / "out" / "figure-3.csv")}
    assert numbers(rows["f1"], "cases", "mean", "median", "q1", "q3") == [2, 0.75, 0.75, 0.625, 0.875]
    assert numbers(rows["bleu"], "mean", "median") == [0.5, 0.5]
    for ending in ("svg", "png"):
        assert (tmp_path / "out" / f"figure-A5.{ending}").stat().st_size > 1000
    # 1,000 and 100 tokens at 0.40 and 1.60 USD a million.
    (model,) = rows_of(tmp_path / "out" / "models.csv")
    names = ("f1", "tokens_per_case", "seconds_per_case", "usd_per_1000_cases")
    assert numbers(model, *names) == [0.75, 1100, 2.0, 0.56]


def test_rates_before_and_after_correction(tmp_path: Path) -> None:
    missing = "missing_component:reactants"
    fates = ((missing, "", True), (missing, missing, False), ("other", "other", True), ("", "", False))
    fates += (("syntax_error", "", False),)
    asked = QUESTIONS["precursors"]
    records = [corrected(asked[place], *fate) for place, fate in enumerate(fates)]
    out = tmp_path / "out"
    study("reaction", write(tmp_path / "run", records), "--out", out)

    before, after = rows_of(out / "figure-A2.csv")
    names = ("cases", "invalid_query_rate", "retrieval_error_rate", "error_coverage", missing, "other")
    assert numbers(before, *names) == [5, 0.2, 0.75, round(2 / 3, 6), 2, 1]
    assert numbers(after, *names) == [5, 0, 0.4, 0.5, 1, 1]
    assert before["non_detected_error_rate"] == ""
    rates = numbers(after, "non_detected_error_rate", "non_corrected_error_rate")
    assert rates == [round(1 / 3, 6), round(2 / 3, 6)]
    text = rows_of(out / "section-3.csv")
    # No query missed products, so none can be fewer.
    assert [row["ours_percent"][:4] for row in text] == ["50.0", "", "33.3", "66.6"]
    assert [row["paper"] for row in text] == ["~80", "~80", "up to ~86-95", "up to ~86-95"]
    # A table does not repeat what all its rows have, but says it.
    page = Read((out / "index.html").read_text("utf-8")).text
    assert "In all rows: shot ZS; prompt P2; loop cove." in page


def test_what_was_mended_before_a_validator_looked_is_an_error_that_was_corrected(tmp_path: Path) -> None:
    label = "traversal_direction"
    mended = corrected(QUESTIONS["precursors"][0], label, "")
    scores = dict.fromkeys(("f1", "precision", "recall", "row_f1", "focus_f1"), 1.0)
    right: dict[str, Any] = {**scores, "passed": True, "errors": []}
    looked = Round(
        "validator:checklist", None, "", "B", "valid", findings=[{"result": {"status": "ok", **right}}]
    )
    mended.rounds[1:] = [looked]
    records = [mended, *(corrected(each, label, label) for each in QUESTIONS["precursors"][1:4])]
    study("reaction", write(tmp_path / "run", records), "--out", tmp_path / "out")
    _, after = rows_of(tmp_path / "out" / "figure-A2.csv")
    assert numbers(after, "non_detected_error_rate", "non_corrected_error_rate") == [0.75, 0.75]


def test_variations_and_columns_stand_beside_those_of_the_paper(tmp_path: Path) -> None:
    first, second, third, *_ = QUESTIONS["precursors"]
    keys = {"agents": {**key_score(1.0), "columns": {"agentName": "stem", "mine_$": "misspelling"}}}
    keys["products"] = {**key_score(1.0), "columns": {"mainProduct": "stem"}}
    scores = {"f1": 1.0, "precision": 1.0, "recall": 1.0, "per_key": keys}
    renamed = first.reference_cypher.replace("AS reactants", "AS precursors")
    records = [
        case(first, 1.0, cypher=renamed, scores=scores),
        case(second, 1.0),
        case(third, 0.5, cypher="RETURN 1"),
    ]
    out = tmp_path / "out"
    study("reaction", write(tmp_path / "run", records), "--out", out)

    (row,) = rows_of(out / "figure-A4.csv")
    assert renamed != first.reference_cypher
    names = ("right", "aliases_percent", "aliases_paper_percent", "property_order_percent")
    assert numbers(row, *names) == [2, 50, 100, 0]
    columns = [(row["variant"], row["stage"], row["in_paper"]) for row in rows_of(out / "figure-A3.csv")]
    expected = [("agentName", "stem", "yes"), ("mine_$", "misspelling", "no"), ("mainProduct", "stem", "yes")]
    assert columns == expected
    latex = (out / "figure-A3.tex").read_text("utf-8")
    assert r"agentName (1), mine\_\$ (1)" in latex
    assert not re.search(r"(?<!\\)[$_]", latex)


def test_what_is_missing_is_listed_with_its_command(tmp_path: Path) -> None:
    run = write(tmp_path / "run", [case(QUESTIONS["best_yield"][0], 1.0)])
    found = json.loads(study("reaction", run, "--out", tmp_path / "out", "--json"))

    commands: dict[str, list[str]] = {}
    for each in found["missing"]:
        for number in each["numbers"]:
            commands.setdefault(number, []).extend(each["commands"])
    ends = [each["numbers"] for each in found["missing"] if "P10" in each["why"] and "1S-S" in each["why"]]
    assert ends == [["figure A7", "figure A8"]]
    ask = f"pytest benchmarks --model {MODEL}"
    assert commands["figure 3"] == [
        f"{ask} --prompt P2,P3,P4,P5 --shot ZS",
        f"{ask} --prompt P1,P2,P3,P4,P5 --shot 1S-S,1S-D-R,1S-D-S",
    ]
    assert f"{ask} --prompt P2,P4 --shot ZS,1S-D-R,1S-D-S --loop cove" in commands["figure A2"]
    assert commands["section 3"] == commands["figure A2"][-1:]
    assert commands["figure 4, table"] == commands["figure 4"]
    others = "precursors,producing_reactions,multi_product,co_products,conditions"
    every = "--prompt P1,P2,P3,P4,P5 --shot ZS,1S-S,1S-D-R,1S-D-S"
    assert f"{ask} {every} --task {others}" in commands["figure A5"]
    (rescore,) = commands["figure A3"]
    assert rescore.startswith(f"retrocypher rescore {run} --key-encoder ")
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert commands["figure 3"][0] in Read(page).text
    assert "Figure A5: Generated and reference queries" in Read(page).text
    # No query is wrong, so there is nothing to draw.
    assert (tmp_path / "out" / "figure-A2.csv").is_file()
    assert not (tmp_path / "out" / "figure-A2.png").exists()
    addresses = re.findall(r'(?:src|href)="([^"#][^"]*)"', page)
    assert addresses
    assert all(each.startswith("data:") or (tmp_path / "out" / each).is_file() for each in addresses)


def test_a_command_asks_as_the_runs_of_its_model_did(tmp_path: Path) -> None:
    options = {
        "task": ["precursors", "best_yield"],
        "sample": 6,
        "seed": 3,
        "questions": "random",
        "query_timeout": 30.0,
    }
    manifest = {"models": [{"label": "mutant", "kind": "mutant"}], "options": {**options, "cache": "x"}}
    record = case(QUESTIONS["precursors"][0], 1.0, model="mutant")
    asked = [*QUESTIONS["precursors"][:4], *QUESTIONS["best_yield"][:2]]
    run = write_run(tmp_path / "run", [record], asked, manifest)
    found = json.loads(study("reaction", run, "--out", tmp_path / "out", "--json"))["missing"]
    commands = {number: each["commands"] for each in found for number in each["numbers"]}

    # So many of the sample are questions of the task.
    carried = "--seed 3 --questions random"
    every = "--prompt P1,P2,P3,P4,P5 --shot ZS,1S-S,1S-D-R,1S-D-S"
    assert commands["figure 3"] == [
        f"pytest benchmarks --model mutant {every} --task best_yield --sample 2 {carried}"
    ]
    cove = "--prompt P2,P4 --shot ZS,1S-D-R,1S-D-S --loop cove --task precursors,best_yield"
    of_cove = f"{cove} --loop-model SPEC --sample 6 {carried}"
    assert commands["section 3"] == [f"pytest benchmarks --model mutant {of_cove}"]

    # A command that asks both tasks takes as many questions as they have together.
    records = [record, case(QUESTIONS["best_yield"][0], 1.0, model="mutant")]
    both = write_run(tmp_path / "both", records, asked, manifest)
    found = json.loads(study("reaction", both, "--out", tmp_path / "out", "--json"))["missing"]
    (first, *_) = next(each["commands"] for each in found if "figure 3" in each["numbers"])
    of_first = "--prompt P2,P3,P4,P5 --shot ZS --task precursors,best_yield --sample 6"
    assert first == f"pytest benchmarks --model mutant {of_first} {carried}"


def test_a_command_asks_no_more_questions_than_runs_with_samples_of_different_sizes(tmp_path: Path) -> None:
    first, second, *_ = QUESTIONS["best_yield"]

    def run(name: str, sample: int, record: Record, *asked: Question) -> Path:
        options = {"sample": sample, "graph": "local"}
        manifest = {"models": [{"label": "mutant", "kind": "mutant"}], "options": options}
        return write_run(tmp_path / name, [record], asked, manifest)

    runs = [
        run("a", 2, case(first, 1.0, model="mutant", rounds=[]), first, second),
        run("b", 1, case(first, 1.0, model="mutant", rounds=[], prompt="P2"), first),
    ]
    found = json.loads(study("reaction", *runs, "--out", tmp_path / "out", "--json"))["missing"]
    asking = [each for one in found for each in one["commands"] if "--model mutant" in each]
    assert len(asking) > 5
    assert all("--sample 2 --graph local" in command for command in asking)
    (models,) = (each["commands"] for each in found if each["numbers"] == ["models"])
    # The same runs, of another model.
    assert models == [f"pytest benchmarks --model SPEC --sample {size} --graph local" for size in (2, 1)]


def test_exemplars_that_give_the_answer_away_are_counted_by_shot(tmp_path: Path) -> None:
    leaks = (Leak(1.0, 1.0, None), Leak(0.0, 1.0, "swap_ends"), Leak(0.0, 0.5, "swap_ends"))
    scored = zip(QUESTIONS["best_yield"], (1.0, 1.0, 0.5), leaks, strict=False)
    records = [case(question, f1, shot="1S-S", leak=leak) for question, f1, leak in scored]
    records.append(case(QUESTIONS["best_yield"][0], 1.0, leak=None))
    study("reaction", write(tmp_path / "run", records), "--out", tmp_path / "out")
    (row,) = rows_of(tmp_path / "out" / "leaks.csv")
    assert (row["shot"], row["right_as_is"], row["right_with_one_edit"]) == ("1S-S", "1", "1")
    assert numbers(row, "cases", "f1", "f1_without_these") == [3, round(2.5 / 3, 6), 0.5]


def test_errors_that_no_column_of_the_table_shows_are_not_covered(tmp_path: Path) -> None:
    frequent = ("limit", "path_length", "endpoint_anchoring")
    labels = [*frequent, *frequent, *frequent, "return_shape", "other"]
    asked = [question for task in QUESTIONS.values() for question in task]
    records = [case(q, 0.0, prompt="P2", errors=[label]) for q, label in zip(asked, labels, strict=False)]
    assert len(records) == len(labels)
    study("reaction", write(tmp_path / "run", records), "--out", tmp_path / "out")
    (row,) = rows_of(tmp_path / "out" / "figure-A2.csv")
    # The paper names three categories, so two others have a column of their own.
    assert numbers(row, "error_coverage") == [round(6 / 11, 6)]


def test_the_table_of_errors_shows_the_categories_that_it_counts_as_covered(tmp_path: Path) -> None:
    fates = (("", "wrong_entity"), ("limit", ""), ("path_length", "path_length"))
    fates += (("path_length", "path_length"),)
    asked = QUESTIONS["precursors"]
    records = [corrected(asked[place], *fate) for place, fate in enumerate(fates)]
    study("reaction", write(tmp_path / "run", records), "--out", tmp_path / "out")
    covered = [numbers(row, "error_coverage") for row in rows_of(tmp_path / "out" / "figure-A2.csv")]
    page = Read((tmp_path / "out" / "index.html").read_text("utf-8")).text
    # Which of the two rarest labels has a column: the first query's, which occurs first.
    table = page.split("Figure A2:")[1].split("Files:")[0]
    assert "others" in table
    assert ("limit" in table, "wrong entity" in table.replace("_", " ")) == (False, True)
    assert covered == [[round(2 / 3, 6)], [1.0]]


def test_runs_of_other_questions_are_refused_and_other_differences_named(tmp_path: Path) -> None:
    first, second, *_ = QUESTIONS["best_yield"]

    def run(name: str, prompt: str, *asked: Question, **conditions: Any) -> Path:
        manifest = {"models": [{"label": MODEL, "kind": "openai"}], **conditions}
        return write_run(tmp_path / name, [case(asked[0], 1.0, prompt=prompt)], asked, manifest)

    paper, guided = ({"prompt_set": {"name": name, "sha256": "a"}} for name in ("paper", "guided"))
    runs = [run("a", "P1", first, **paper), run("b", "P2", second, **guided)]
    said = study("reaction", *runs, "--out", tmp_path / "out")
    assert f"the runs differ in prompt set: paper (a) in {runs[0]}; guided (a) in {runs[1]}" in said
    page = Read((tmp_path / "out" / "index.html").read_text("utf-8")).text
    assert "The runs differ in prompt set" in page
    # P1 and P2 were asked other questions; this is said of the errors and of each figure of box plots.
    for heading in ("Figure 3:", "Figure A2:", "Figure A5:", "Figure A6:"):
        assert "Some rows or boxes have other questions" in page.split(heading)[1].split("Figure")[0]

    other = replace(first, reference_cypher="RETURN 1")
    for name, changed in (("other", {}), ("graph", {"graph": {"fingerprint": "f"}})):
        third = run(name, "P3", first if changed else other, **changed)
        with pytest.raises(InputError, match=f"a and .*{name} were measured under different conditions"):
            study("reaction", runs[0], third, "--out", tmp_path / "out")


def test_a_run_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    run = write(tmp_path / "run", [case(QUESTIONS["best_yield"][0], 1.0)])
    found = json.loads(study("reaction", run, tmp_path / "." / "run", "--out", tmp_path / "out", "--json"))
    assert found["cases"] == 1


def test_no_command_asks_the_exemplar_without_an_exemplar(tmp_path: Path) -> None:
    record = case(QUESTIONS["best_yield"][0], 1.0, model="exemplar", shot="1S-S")
    run = write(tmp_path / "run", [record], {"label": "exemplar", "kind": "exemplar"})
    found = json.loads(study("reaction", run, "--out", tmp_path / "out", "--json"))
    commands = [command for each in found["missing"] for command in each["commands"]]
    assert any("--shot 1S-D-R,1S-D-S" in command for command in commands)
    assert not any("ZS" in command for command in commands)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["nowhere"], "nowhere: there is no such folder; name the folder of a run"),
        (["run", "again"], "both have the case"),
        (["table"], "no case of these runs is about reactions"),
        (["unscored"], "no scored case"),
        ([], "RUNS: none is named"),
        (["--plan", "--run", "--model", "oracle"], "give either --plan or --run"),
        (["--plan", "--model", "oracle", "--options=--smaple 20"], "--smaple 20: not an option"),
        (["--plan", "--model", "oracle", "--options=--task 'a"], "close the quotation"),
        (["run", "--plan", "--model", "oracle"], "take no RUNS"),
        (["--run", "--model", "oracle", "--options=--sample 2 --loop=none"], "the study sets --loop itself"),
    ],
)
def test_what_cannot_be_read_is_one_error(arguments: list[str], error: str, tmp_path: Path) -> None:
    record = case(QUESTIONS["best_yield"][0], 1.0)
    for name in ("run", "again"):
        write(tmp_path / name, [record])
    write(tmp_path / "table", [case(QUESTIONS["best_yield"][0], 1.0, setting="table")])
    write(tmp_path / "unscored", [case(QUESTIONS["best_yield"][0], 1.0, scores=None)])
    models = ("oracle", "exemplar")
    paths = [str(tmp_path / each) if each.isalpha() and each not in models else each for each in arguments]
    command = ["study", "reaction", *paths, "--out", str(tmp_path / "out")]
    with pytest.raises(InputError, match=error.replace("(", r"\(")):
        CliRunner().invoke(cli, command, catch_exceptions=False)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [("run",), ("--run", "--model", "oracle")])
def test_without_a_folder_nothing_is_run_or_written(arguments: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="name it with --out DIR"):
        CliRunner().invoke(cli, ["study", "reaction", *arguments], catch_exceptions=False)


def test_the_plan_names_calls_and_prices_and_what_cannot_be_run() -> None:
    models = ("--model", MODEL, "--model", "oracle", "--model", "exemplar")
    planned = plan("reaction", *models, "--options", "--task precursors --sample 2")

    direct, cove, oracle, _, exemplar, left_out = planned
    # Two questions, five prompts, four shots; with cove two prompts and three shots.
    assert (direct["cases"], direct["calls"], cove["cases"], cove["calls"]) == (40, [40, 40], 12, [24, 84])
    low, high = cove["usd"]
    assert high == pytest.approx(low * 7 / 2)
    # Prompt tokens cost least, completion tokens most.
    assert 0.4 < direct["usd"][0] / direct["tokens"][0] * 1e6 < 1.6
    assert (oracle["cases"], oracle["calls"], oracle["usd"]) == (40, [0, 0], None)
    assert exemplar["cases"] == 30
    assert "--shot 1S-S,1S-D-R,1S-D-S" in exemplar["command"]
    assert "--loop-model" in left_out["left_out"]


def test_the_validator_by_rules_calls_no_model() -> None:
    options = ("--options", "--task precursors --sample 2 --validator schema")
    _, cove = plan("reaction", "--model", MODEL, *options)
    assert cove["calls"] == [12, 48]


def test_a_run_without_a_key_is_refused_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    command = ["study", "reaction", "--run", "--model", MODEL, "--out", str(tmp_path / "out")]
    with pytest.raises(InputError, match="OPENAI_API_KEY is not set"):
        CliRunner().invoke(cli, command, catch_exceptions=False)
    # A model that is not run needs none; the review has nobody to play its roles.
    reviewed = ["study", "self-review", *command[2:4], "oracle", *command[5:]]
    with pytest.raises(InputError, match="reads no messages"):
        CliRunner().invoke(cli, reviewed, catch_exceptions=False)
    assert not (tmp_path / "out").exists()


def test_each_call_is_priced_at_the_price_of_the_model_that_is_called() -> None:
    def costs(*more: str) -> tuple[list[int], list[float]]:
        options = " ".join(("--task precursors --sample 2", *more))
        (found,) = plan("self-review", "--model", "gpt-4.1-nano", "--options", options)
        return found["calls"], found["usd"]

    # Two questions, each with review and without: four completions, two to seven calls of roles for each
    # review, one of the schema analyst for both loops together, and eight judgements.
    calls, (low, high) = costs("--judge gpt-4.1-nano")
    assert calls == [17, 27]
    once = low / 17
    assert high == pytest.approx(27 * once)
    # Prompts and completions of this one cost twenty times as much.
    dear = 20 * once
    assert costs("--judge gpt-4.1")[1] == pytest.approx([9 * once + 8 * dear, 19 * once + 8 * dear])
    _, usd = costs("--judge gpt-4.1-nano --loop-model gpt-4.1")
    assert usd == pytest.approx([12 * once + 5 * dear, 12 * once + 15 * dear])
    # The paper's judge, 25 times as much.
    assert costs()[1] == pytest.approx([(9 + 8 * 25) * once, (19 + 8 * 25) * once])
    # What is known is summed without it, and the plan says so.
    unknown = "--task precursors --sample 2 --judge nobody-knows"
    assert costs("--judge nobody-knows")[1] == pytest.approx([9 * once, 19 * once])
    said = study("self-review", "--plan", "--model", "gpt-4.1-nano", "--options", unknown)
    assert said.count("USD, besides calls of nobody-knows, whose list price is not known") == 2
    said = study("self-review", "--plan", "--model", "nobody-knows", "--options", unknown)
    assert "thousand tokens, calls of nobody-knows, whose list price is not known" in said
    (judged, _) = plan("reaction", "--model", "oracle", "--options", "--sample 2 --judge gpt-4o")
    assert judged["calls"] == [2 * judged["cases"]] * 2


def test_the_arms_of_the_self_review_paper(tmp_path: Path) -> None:
    asked = QUESTIONS["precursors"]
    scores = {"self-review-control": (0.2, 0.6), "self-review": (0.4, 1.0)}
    records = [
        case(asked[place], 1.0, loop=loop, judge=judged(score))
        for loop, of_loop in scores.items()
        for place, score in enumerate(of_loop)
    ]
    out = tmp_path / "out"
    output = study("self-review", write(tmp_path / "run", records), "--out", out)

    for number, expected in (("3", {"0.2", "0.6"}), ("4", {"0.4", "1.0"})):
        rows = rows_of(out / f"figure-{number}-with-reference.csv")
        assert {row["score"] for row in rows if row["cases"] == "1"} == expected
    control, review = rows_of(out / "results.csv")
    assert numbers(control, "score", "paper_score") == [0.4, 0.61]
    names = ("score", "paper_score", "gain_percent", "cases_of_gain", "usd_per_million_prompt_tokens")
    assert numbers(review, *names) == [0.7, 0.65, 75, 2, 0.4]
    assert "have other questions" not in (out / "index.html").read_text("utf-8")
    asked_of = [line for line in output.splitlines() if "missing" in line]
    assert all("not made from runs" in line for line in asked_of)
    assert "figures 5 to 8" in "".join(asked_of)

    # Another judge has a row of its own; the gain is of the case that both arms have.
    other = [
        case(asked[place], 1.0, loop=loop, prompt="P4", judge={**judged(score), "model": "other"})
        for loop, place, score in (
            ("self-review-control", 0, 0.5),
            ("self-review-control", 1, 0.9),
            ("self-review", 0, 0.6),
        )
    ]
    study("self-review", write(tmp_path / "two", [*records, *other]), "--out", tmp_path / "two-out")
    _, _, first, second = rows_of(tmp_path / "two-out" / "results.csv")
    assert numbers(first, "score", "gain_percent") == [0.7, 75]
    names = ("score", "gain_percent", "cases_of_gain")
    assert (second["judge"], *numbers(second, *names)) == ("other", 0.6, 20, 1)

    alone = write(tmp_path / "alone", [case(asked[0], 1.0, loop="review", prompt="P4")])
    output = study("self-review", alone, "--out", tmp_path / "other")
    assert "no case with the loop self-review-control" in output
    assert "--prompt P4 --shot ZS --judge gpt-4o --loop self-review-control" in output
    uneven = [case(asked[0], 1.0, loop="review"), *records[:2]]
    study("self-review", write(tmp_path / "uneven", uneven), "--out", tmp_path / "uneven-out")
    assert "have other questions" in (tmp_path / "uneven-out" / "index.html").read_text("utf-8")
    assert f"retrocypher judge {alone} --judge gpt-4o" in output
