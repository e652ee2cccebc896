"""Proposals that a person has edited, versions made by them, and versions undone."""

import json
import os
import shutil
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from retrocypher.kg.audit.rules import audit
from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.build import build_graph, open_source
from retrocypher.kg.graph.cleaning import Report
from retrocypher.kg.graph.compact import read_disputed, read_graph, read_manifest, write_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.reaction import Reaction, Source
from retrocypher.kg.resolution.proposal import Keep, Thresholds, find_conflicts, propose, write_proposal
from retrocypher.kg.resolution.versions import apply_proposal, origin_of, revert

TABLE = """\
reactants,products,agents,solvents,yields,grant_date
CCO CC(=O)O,CCOC(C)=O,,,50,1995-11
CCO CC(=O)O,CCOC(C)=O,,,70,2001-07
CCO,CC=O,,CCO,60,1995-11
CC(=O)[O-] CCBr,CCOC(C)=O,,,,
CC(=O)O CCBr,CCOC(C)=O,,,30,
"""
PAPER = Thresholds(0.85, 3)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A graph with a disputed yield, a molecule in two roles, and two reactions that differ in charge."""
    table = tmp_path / "reactions.csv"
    table.write_text(TABLE)
    build_graph([open_source(f"csv:{table}")]).write(tmp_path / "graph")
    return tmp_path / "graph"


def proposed(folder: Path, file: Path, thresholds: Thresholds = PAPER) -> dict[str, Any]:
    """Write the proposal for a graph; return what its file holds."""
    file.unlink(missing_ok=True)
    reactions, records = read_graph(folder), read_disputed(folder)
    conflicts = find_conflicts(reactions, list(audit(reactions, {}, records)), {}, records)
    write_proposal(file, propose(fingerprint_of(reactions), conflicts, thresholds))
    value = yaml.safe_load(file.read_text())
    assert isinstance(value, dict)
    return value


def edited(folder: Path, file: Path, **decisions: object) -> Path:
    """Write a proposal with decisions by the place of a conflict, such as ``_0="drop"``."""
    value = proposed(folder, file)
    for place, decision in decisions.items():
        value["conflicts"][int(place[1:])]["decision"] = decision
    file.write_text(yaml.safe_dump(value))
    return file


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_file_names_the_graph_and_what_stands_behind_each_value(graph: Path, tmp_path: Path) -> None:
    value = proposed(graph, tmp_path / "p.yaml")
    assert value["graph"] == read_manifest(graph)["fingerprint"]
    assert [each["rules"] for each in value["conflicts"]] == [
        ["record_yields"],
        ["two_roles"],
        ["same_but_salt"],
    ]
    first = value["conflicts"][0]
    assert first["candidates"][1]["named_by"] == ["reactions.csv row 3 (2001-07)"]
    assert (first["strategy"], first["proposed"], first["decision"]) == ("review", "review", "review")
    text = (tmp_path / "p.yaml").read_text()
    assert text.startswith("# Conflicts of a graph. Edit each `decision`")


def test_a_version_has_the_decided_values_and_a_new_fingerprint(graph: Path, tmp_path: Path) -> None:
    before = files_of(graph)
    file = edited(graph, tmp_path / "p.yaml", _0={"keep": 70}, _1={"keep": "solvents"}, _2={"keep": 4})
    with pytest.raises(InputError, match="leaves reaction 2 without reactants"):
        apply_proposal(graph, file, {}, tmp_path / "v1")
    assert not (tmp_path / "v1").exists()
    file = edited(graph, file, _0={"keep": 70}, _1={"keep": "reactants"}, _2={"keep": 4})

    changes, left = apply_proposal(graph, file, {}, tmp_path / "v1")

    assert (len(changes), left) == (3, 0)
    one, two, four = read_graph(tmp_path / "v1")
    assert (one.yields, one.yields_disputed) == ((70.0,), False)
    assert (two.reactants, two.solvents) == (("CCO",), ())
    assert (four.id, four.source) == (4, Source("reactions.csv", 6, "CC(=O)O.CCBr>>CCOC(C)=O"))
    manifest = read_manifest(tmp_path / "v1")
    assert manifest["parent"] == read_manifest(graph)["fingerprint"] != manifest["fingerprint"]
    assert manifest["fingerprint"] == fingerprint_of([one, two, four])
    assert manifest["proposal"] == sha256(file.read_bytes()).hexdigest()
    assert manifest["counts"]["reactions"] == 3
    assert origin_of(tmp_path / "v1") == origin_of(graph) == manifest["parent"]
    assert files_of(graph) == before


def test_the_log_says_what_was_decided_and_what_it_changed(graph: Path, tmp_path: Path) -> None:
    sure = proposed(graph, tmp_path / "p.yaml", Thresholds(0.0, 0))
    assert {each["strategy"] for each in sure["conflicts"]} == {"review"}, "equal candidates are not decided"
    apply_proposal(graph, edited(graph, tmp_path / "p.yaml", _0="drop", _2={"keep": 3}), {}, tmp_path / "v1")
    lines = [json.loads(line) for line in (tmp_path / "v1" / "audit.jsonl").read_text().splitlines()]
    assert [(each["rules"], each["strategy"]) for each in lines] == [
        (["record_yields"], "by_hand"),
        (["same_but_salt"], "by_hand"),
    ]
    assert [each["decision"] for each in lines] == ["drop", {"keep": 3}]
    assert lines[0]["before"]["yields"] == [50.0]
    assert lines[0]["after"]["yields"] == [None]
    assert lines[1]["before"]["id"] == 4
    assert "after" not in lines[1]
    assert {each["when"][-6:] for each in lines} == {"+00:00"}
    assert {each["parent"] for each in lines} == {read_manifest(graph)["fingerprint"]}


def test_two_versions_are_undone_one_after_the_other_without_their_parents(
    graph: Path, tmp_path: Path
) -> None:
    names = ("molecules.txt", "reactions.csv", "sources.csv", "dropped.csv", "disputed.csv")
    built = files_of(graph)
    apply_proposal(graph, edited(graph, tmp_path / "p.yaml", _2={"keep": 3}), {}, tmp_path / "v1")
    first = files_of(tmp_path / "v1")
    apply_proposal(
        tmp_path / "v1", edited(tmp_path / "v1", tmp_path / "p.yaml", _0="drop"), {}, tmp_path / "v2"
    )
    for folder in (graph, tmp_path / "v1"):
        folder.rename(tmp_path / f"{folder.name}-away")

    (undone,) = revert(tmp_path / "v2", tmp_path / "v3")
    assert {name: files_of(tmp_path / "v3")[name] for name in names} == {name: first[name] for name in names}
    assert (undone.version, undone.undoes) == (3, 2)
    revert(tmp_path / "v3", tmp_path / "v4")
    assert {name: files_of(tmp_path / "v4")[name] for name in names} == {name: built[name] for name in names}
    assert read_graph(tmp_path / "v4") == read_graph(tmp_path / "graph-away")
    lines = (tmp_path / "v4" / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line).get("undoes") for line in lines] == [None, None, 2, 1]
    with pytest.raises(InputError, match="has no change to revert"):
        revert(tmp_path / "v4", tmp_path / "v5")


def test_a_graph_that_was_built_has_nothing_to_revert(graph: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no change to revert"):
        revert(graph, tmp_path / "v1")


def test_a_log_that_leads_elsewhere_is_refused(graph: Path, tmp_path: Path) -> None:
    version = tmp_path / "v1"
    apply_proposal(graph, edited(graph, tmp_path / "p.yaml", _0={"keep": 70}), {}, version)
    log = (version / "audit.jsonl").read_text()
    for other, message in [
        (log.replace("50.0", "51.0"), "does not lead back"),
        ("[" * 9999, "is not the log"),
    ]:
        (version / "audit.jsonl").write_text(other)
        with pytest.raises(InputError, match="is not the file that its manifest describes"):
            revert(version, tmp_path / "v2")
        manifest = read_manifest(version)
        manifest["files"]["audit.jsonl"] = sha256(other.encode()).hexdigest()
        (version / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(InputError, match=message):
            revert(version, tmp_path / "v2")
    assert not (tmp_path / "v2").exists()


def spoilt(value: dict[str, Any], how: str) -> None:
    first = value["conflicts"][0]
    first["decision"] = {"keep": 50}
    match how:
        case "other value":
            first["decision"] = {"keep": 99}
        case "added candidate":
            first["candidates"].append({**first["candidates"][0], "value": 99.0})
        case "changed candidate":
            first["candidates"][0]["value"] = 99.0
        case "forged strategy":
            first |= {"strategy": "highest_confidence", "proposed": {"keep": 50}}
        case "forged confidence":
            first["candidates"][0]["confidence"] = 0.99
        case "text":
            first["decision"] = {"keep": "50"}
        case "other reaction":
            first["reactions"] = [2]
        case "no reaction":
            first["reactions"] = [77]
        case "other rule":
            first["rules"] = ["text_yield"]
        case "other kind":
            first["about"] = "role"
        case "other molecule":
            first["molecule"] = "CC"
        case "set":
            first["decision"] = {"set": 5}
        case "two decisions":
            first["decision"] = {"keep": 50, "drop": 70}
        case "unknown word":
            first["decision"] = "delete"
        case "unknown key":
            first["note"] = "x"
        case "unknown entry":
            value["reactions"] = []
        case "twice":
            value["conflicts"].append(first.copy())
        case "other graph":
            value["graph"] = "0" * 64
        case "nothing":
            first["decision"] = "review"
        case "list":
            value["conflicts"] = [[]]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("other value", "99.0 is not among the candidates. Keep one of 50.0, 70.0"),
        ("added candidate", "candidates changed since"),
        ("changed candidate", "candidates changed since"),
        ("forged strategy", "entry 1 .*: strategy, proposed changed since"),
        ("forged confidence", "candidates changed since"),
        ("text", "'50' is not among the candidates. Keep one of 50.0, 70.0"),
        ("other reaction", "the graph has no such conflict"),
        ("no reaction", "the graph has no such conflict"),
        ("other rule", "the graph has no such conflict"),
        ("other kind", "the graph has no such conflict"),
        ("other molecule", "the graph has no such conflict"),
        ("set", "Only decisions may be edited"),
        ("two decisions", "Only decisions may be edited"),
        ("unknown word", "Only decisions may be edited"),
        ("unknown key", "Only decisions may be edited"),
        ("unknown entry", "Only decisions may be edited"),
        ("twice", "an entry before is about the same conflict"),
        ("other graph", "is for the graph with fingerprint 000000000000"),
        ("nothing", "decides nothing"),
        ("list", "Only decisions may be edited"),
    ],
)
def test_a_proposal_can_only_keep_or_drop_what_is_in_conflict(
    graph: Path, tmp_path: Path, how: str, message: str
) -> None:
    file = tmp_path / "p.yaml"
    value = proposed(graph, file)
    spoilt(value, how)
    # Aliases are refused, and the dumper would write them for a copied entry.
    file.write_text(json.dumps(value))
    with pytest.raises(InputError, match=message):
        apply_proposal(graph, file, {}, tmp_path / "v1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph", "p.yaml", "reactions.csv"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"graph: [", "line 1"),
        (b"\xff\xfe\x00", "not valid YAML"),
        (b"[" * 2_000, "nested too deeply"),
        (b"graph: &a x\nconflicts: *a", "aliases are not allowed"),
        (b"graph: !!python/object:os.system x", "not valid YAML"),
        (b"#" * (16 * 2**20 + 1), "is larger than 16 MiB"),
    ],
)
def test_what_is_no_proposal_is_refused(graph: Path, tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "p.yaml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        apply_proposal(graph, file, {}, tmp_path / "v1")


def test_a_version_is_never_written_over_anything(graph: Path, tmp_path: Path) -> None:
    file = edited(graph, tmp_path / "p.yaml", _0="drop")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    (tmp_path / "link").symlink_to(graph)
    for out, message in [
        (graph, "in the folder of the graph"),
        (graph / "v1", "in the folder of the graph"),
        (tmp_path / "link", "in the folder of the graph"),
        (tmp_path / "full", "exists already"),
        (file, "exists already"),
        (file / "v1", "cannot be written"),
    ]:
        with pytest.raises(InputError, match=message):
            apply_proposal(graph, file, {}, out)
    (tmp_path / "empty").mkdir()
    apply_proposal(graph, file, {}, tmp_path / "empty")
    assert read_graph(tmp_path / "empty")[0].yields == (None,)


def test_a_reaction_that_one_entry_keeps_and_another_drops_is_refused(tmp_path: Path) -> None:
    one = Reaction(1, ("CC(=O)O",), ("C/C=C/C",), (), (), (None,))
    salt = replace(one, id=2, reactants=("CC(=O)[O-]",))
    stereo = replace(one, id=3, products=("C/C=C\\C",))
    write_graph(tmp_path / "graph", [one, salt, stereo], Report(), {})
    file = edited(tmp_path / "graph", tmp_path / "p.yaml", _0={"keep": 1}, _1={"keep": 3})
    with pytest.raises(InputError, match="Reaction 1 is kept by one entry and dropped by another"):
        apply_proposal(tmp_path / "graph", file, {}, tmp_path / "v1")
    file = edited(tmp_path / "graph", file, _0={"keep": 2}, _1={"keep": 3})
    apply_proposal(tmp_path / "graph", file, {}, tmp_path / "v1")
    assert [each.id for each in read_graph(tmp_path / "v1")] == [2, 3]


NAMES = ("CCO", "CC(=O)O", "CC(=O)[O-]", "C/C=C/C", "C/C=C\\C", "[Na+]", "CCBr")
role = st.lists(st.sampled_from(NAMES), max_size=3, unique=True).map(tuple)
filled = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple)


@st.composite
def rows(draw: st.DrawFn) -> list[str]:
    """Lines of a CSV file in which conflicts are frequent."""
    lines = []
    for _ in range(draw(st.integers(1, 8))):
        products = draw(filled)
        roles = (draw(filled), products, draw(role), draw(role))
        yields = " ".join(draw(st.sampled_from(("-", "10", "60", "70"))) for _ in products)
        lines.append(",".join([*(" ".join(each) for each in roles), yields]))
    return lines


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None
)
@given(rows(), st.data())
def test_a_version_that_is_reverted_has_the_fingerprint_of_its_parent(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("versions")
    (folder / "r.csv").write_text("\n".join(["reactants,products,agents,solvents,yields", *lines]))
    try:
        build_graph([open_source(f"csv:{folder / 'r.csv'}")]).write(folder / "graph")
    except InputError:
        assume(False)
    value = proposed(folder / "graph", folder / "p.yaml")
    for entry in value["conflicts"]:
        keeps = [{"keep": each["value"]} for each in entry["candidates"]]
        entry["decision"] = data.draw(st.sampled_from(["drop", "review", *keeps]))
    (folder / "p.yaml").write_text(json.dumps(value))
    try:
        changes, left = apply_proposal(folder / "graph", folder / "p.yaml", {}, folder / "v1")
    except InputError as error:
        expected = ("decides nothing", "without reactants or products", "kept by one entry")
        assume(not any(words in str(error) for words in expected))
        raise
    assert left == sum(entry["decision"] == "review" for entry in value["conflicts"])
    after = read_graph(folder / "v1")
    assert fingerprint_of(after) == read_manifest(folder / "v1")["fingerprint"]
    changed = {each.before.id for each in changes if each.before}
    kept = {each.id: each for each in after}
    assert all(kept[each.id] == each for each in read_graph(folder / "graph") if each.id not in changed)

    revert(folder / "v1", folder / "v2")

    assert read_manifest(folder / "v2")["fingerprint"] == read_manifest(folder / "graph")["fingerprint"]
    assert read_graph(folder / "v2") == read_graph(folder / "graph")


def killed_at(step: int, graph: Path, file: Path, out: Path) -> None:
    """Apply a proposal, and kill this process when it touches the folder beside `out` for the n-th time."""
    seen = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        touches = event in ("open", "os.mkdir", "os.rename") and f"/.{out.name}-" in str(arguments)
        seen += touches
        if touches and seen == step:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    apply_proposal(graph, file, {}, out)


def test_a_killed_apply_leaves_the_old_version_and_no_other(graph: Path, tmp_path: Path) -> None:
    before = files_of(graph)
    file = edited(graph, tmp_path / "p.yaml", _0={"keep": 70})
    out = tmp_path / "v1"
    for step in range(1, 30):
        process = get_context("fork").Process(target=killed_at, args=(step, graph, file, out))
        process.start()
        process.join()
        assert files_of(graph) == before
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        if out.exists():
            # Killed after it was complete.
            assert read_graph(out)[0].yields == (70.0,)
            shutil.rmtree(out)
    assert step > 8, "each file that is written is a point at which it was killed"
    assert read_graph(out)[0].yields == (70.0,)
    leftovers = list(tmp_path.glob(".v1-*.partial/graph"))
    assert leftovers
    for folder in leftovers:
        with suppress(InputError):
            assert read_graph(folder) == read_graph(out)
            assert files_of(folder).keys() == files_of(out).keys()


def test_keeping_the_value_of_the_graph_settles_the_conflict_and_changes_no_content(
    graph: Path, tmp_path: Path
) -> None:
    apply_proposal(graph, edited(graph, tmp_path / "p.yaml", _0={"keep": 50}), {}, tmp_path / "v1")
    assert read_manifest(tmp_path / "v1")["fingerprint"] == read_manifest(graph)["fingerprint"]
    assert [each["rules"] for each in proposed(tmp_path / "v1", tmp_path / "p.yaml")["conflicts"]] == [
        ["two_roles"],
        ["same_but_salt"],
    ]


def test_a_strategy_is_named_where_a_person_left_its_decision(graph: Path, tmp_path: Path) -> None:
    proposed(graph, tmp_path / "p.yaml", Thresholds(0.85, 3, ("record_yields",)))
    changes, left = apply_proposal(graph, tmp_path / "p.yaml", {}, tmp_path / "v1")
    assert [(each.strategy, each.decision) for each in changes] == [("most_recent", Keep(70.0))]
    assert left == 2
