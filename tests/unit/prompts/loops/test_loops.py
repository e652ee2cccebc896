"""Chain of verification and guarded retrieval, with models that play a script and no server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdkit import Chem
from support.loops import BROKEN, RIGHT, TARGET, Cast, FakeGraph, play

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.loops.cove import mask
from retrocypher.prompts.loops.guarded import Guarded, entities_in
from retrocypher.prompts.loops.proposal import edits_between
from retrocypher.prompts.loops.registry import loops_by_name
from retrocypher.prompts.validation.question import common_names

COVE = loops_by_name()["cove"]
VALID = '{"valid": true, "errors": []}'
WRONG = '{"valid": false, "errors": [{"item": 9, "problem": "agents are not returned"}]}'
TURNED = RIGHT.replace("-[:PRODUCES]->", "<-[:PRODUCES]-", 1)
LONGER = RIGHT.replace("AS id,", "AS id, count(*) AS n,")
QUESTIONS = load_questions().questions


def fenced(query: str) -> str:
    return f"```\n{query}\n```"


def masked(query: str) -> str:
    """A query as the corrector of an error reads and writes it."""
    return fenced(query.replace(TARGET, "MOLECULE_1"))


def test_a_query_found_valid_is_left_alone() -> None:
    played = play(COVE, RIGHT, Cast(validator=VALID))
    assert played.result.cypher == RIGHT
    assert played.story == [("explain", "ok"), ("direction", "unchanged"), ("validator:checklist", "valid")]


def test_an_arrow_is_turned_without_a_model() -> None:
    played = play(COVE, TURNED, Cast(validator=VALID))
    assert played.result.cypher == RIGHT
    assert played.story[1] == ("direction", "turned")
    assert played.finding("direction")["edit"] == [{"was": "<-[:PRODUCES]-", "is": "-[:PRODUCES]->"}]
    assert [role for role, _ in played.cast.asked] == ["validator"]


def test_a_query_that_cannot_run_is_corrected_without_its_smiles() -> None:
    played = play(COVE, BROKEN, Cast(corrector=masked(RIGHT), validator=VALID))
    assert played.result.cypher == RIGHT
    assert [verdict for role, verdict in played.story if role == "corrector"] == ["taken"]
    (asked,) = played.cast.texts("corrector")
    assert TARGET not in asked
    for part in ("RETRUN", "name: 'MOLECULE_1'", "is MOLECULE_1 made?"):
        assert part in asked
    assert played.finding("corrector")["edit"] == [{"was": "RETRUN", "is": "RETURN"}]
    with_messages = [step for step in played.steps if step.messages is not None]
    assert [step.messages for step in with_messages] == [messages for _, messages in played.cast.asked]
    assert all(step.answer is not None and step.answer.tokens for step in with_messages)
    assert all(step.time_s > 0 for step in played.steps if step.messages is None)


def test_findings_go_to_the_corrector() -> None:
    played = play(COVE, RIGHT, Cast(validator=[WRONG, VALID], corrector=fenced(LONGER)))
    assert played.result.cypher == LONGER
    assert played.story[2:] == [
        ("validator:checklist", "invalid"),
        ("corrector", "taken"),
        ("explain", "ok"),
        ("direction", "unchanged"),
        ("validator:checklist", "valid"),
    ]
    (asked,) = played.cast.texts("corrector")
    assert "1. agents are not returned" in asked
    # Only what cannot run is masked.
    assert RIGHT in asked
    assert "MOLECULE_1" not in asked
    assert played.finding("validator:checklist")["label"] == "duplicate_or_incomplete"


def test_three_corrections_end_it() -> None:
    proposals = [fenced(LONGER + f" LIMIT {number}") for number in (1, 2, 3, 4)]
    played = play(COVE, RIGHT, Cast(validator=WRONG, corrector=proposals))
    assert played.result.cypher == LONGER + " LIMIT 3"
    assert [verdict for role, verdict in played.story if role == "corrector"] == ["taken"] * 3
    # After the last correction nobody validates.
    assert len(played.cast.texts("validator")) == 3


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("I am sorry, this query is fine as it is.", "no_query"),
        ("", "no_query"),
        (fenced(RIGHT), "unchanged"),
        (fenced(RIGHT).replace("OPTIONAL", "  OPTIONAL"), "unchanged"),
        (fenced(RIGHT).replace(TARGET, "CC(=O)OC"), "other_molecule"),
        (fenced(LONGER).replace(f" {{name: '{TARGET}'}}", ""), "lost_molecule"),
        (fenced(BROKEN), "not_executable"),
        (fenced(f"MATCH (n) DELETE n RETURN '{TARGET}'"), "not_executable"),
    ],
)
def test_a_useless_correction_is_refused_with_its_reason_three_times(said: str, verdict: str) -> None:
    played = play(COVE, RIGHT, Cast(validator=WRONG, corrector=said))
    assert played.result.cypher == RIGHT
    assert [found for role, found in played.story if role == "corrector"] == [verdict] * 3
    first, second, third = played.cast.texts("corrector")
    assert "was not taken" not in first
    assert "was not taken" in second
    assert second == third
    # The same query is not validated again.
    assert len(played.cast.texts("validator")) == 1


def test_a_query_that_cannot_run_may_be_replaced_by_another_that_cannot() -> None:
    worse = BROKEN.replace("OPTIONAL", "OPTIONALLY")
    played = play(COVE, BROKEN, Cast(corrector=[masked(worse), masked(RIGHT)], validator=VALID))
    assert played.result.cypher == RIGHT
    assert [verdict for role, verdict in played.story if role == "corrector"] == ["taken", "taken"]
    assert "OPTIONALLY" in played.cast.texts("corrector")[1]


def test_a_correction_with_a_name_that_stands_for_nothing_is_refused() -> None:
    proposals = [masked(RIGHT).replace("MOLECULE_1", "MOLECULE_7"), masked(RIGHT)]
    played = play(COVE, BROKEN, Cast(corrector=proposals, validator=VALID))
    assert played.result.cypher == RIGHT
    assert [found for role, found in played.story if role == "corrector"] == ["unknown_name", "taken"]
    second = played.cast.texts("corrector")[1]
    assert "a name that stands for nothing: MOLECULE_7" in second
    assert TARGET not in second


WORSE = RIGHT.replace("OPTIONAL MATCH (r)-[:USES_AGENT]->", "MATCH (r)-[:USES_AGENT]->")


def test_with_both_validators_a_correction_that_breaks_a_valid_query_is_refused() -> None:
    played = play(COVE, RIGHT, Cast(validator=WRONG, corrector=fenced(WORSE)), validator="both")
    assert played.result.cypher == RIGHT
    assert [found for role, found in played.story if role == "corrector"] == ["rejected"] * 3
    assert "the query as it stood is valid" in played.cast.texts("corrector")[1]
    # A correction that is right too is taken, and one of a query that is wrong may be wrong.
    played = play(COVE, RIGHT, Cast(validator=[WRONG, VALID], corrector=fenced(LONGER)), validator="both")
    assert played.result.cypher == LONGER
    wrong = WORSE.replace("OPTIONAL MATCH (r)-[:USES_SOLVENT]->", "MATCH (r)-[:USES_SOLVENT]->")
    played = play(COVE, wrong, Cast(validator=VALID, corrector=fenced(WORSE)), validator="both")
    assert ("corrector", "taken") in played.story
    # With the checklist alone, as in the paper, the model decides.
    played = play(COVE, RIGHT, Cast(validator=[WRONG, VALID], corrector=fenced(WORSE)))
    assert played.result.cypher == WORSE


def test_an_arrow_that_would_be_turned_rejects_no_correction() -> None:
    turned = LONGER.replace("-[:PRODUCES]->", "<-[:PRODUCES]-", 1)
    played = play(COVE, RIGHT, Cast(validator=[WRONG, VALID], corrector=fenced(turned)), validator="both")
    assert played.result.cypher == LONGER


@pytest.mark.parametrize(("first", "status"), [(None, "no_query"), ("MATCH (n) DELETE n", "refused")])
def test_a_completion_without_a_query_that_may_run_is_corrected(first: str | None, status: str) -> None:
    played = play(COVE, first, Cast(corrector=fenced(RIGHT), validator=VALID))
    assert played.result.cypher == RIGHT
    assert played.story[0] == ("explain", status)


@pytest.mark.parametrize("said", ["", "Hm.", "{", '{"score": 3}', "{" * 500])
def test_a_validator_that_is_not_understood_starts_no_correction(said: str) -> None:
    played = play(COVE, RIGHT, Cast(validator=said), validator="both")
    assert played.result.cypher == RIGHT
    assert [role for role, _ in played.story[2:]] == ["validator:schema", "validator:checklist"]
    assert played.story[-1][1] == "malformed"


ASKED = "Which reactions make F/C=C\\F and C[N+](C)(C)C in one step?"


def test_a_molecule_has_one_name_in_question_and_query() -> None:
    query = f"MATCH (m) WHERE m.name IN [{quote('F/C=C' + chr(92) + 'F')}, 'CCO'] RETURN m"
    masked = mask(ASKED, query)
    assert masked.question == "Which reactions make MOLECULE_1 and MOLECULE_2 in one step?"
    assert masked.query == "MATCH (m) WHERE m.name IN ['MOLECULE_1', 'MOLECULE_3'] RETURN m"
    # A molecule beside a broken quote is masked too.
    assert "MOLECULE_2" in mask(ASKED, "MATCH (m {name: 'C[N+](C)(C)C}) RETURN m").query


def test_names_of_a_correction() -> None:
    masked = mask(ASKED, "RETURN 1")
    for written in ("'MOLECULE_2'", '"MOLECULE_2"', "MOLECULE_2", "$MOLECULE_2"):
        restored = masked.restore(f"MATCH (m {{name: {written}}}) RETURN m")
        assert restored == "MATCH (m {name: 'C[N+](C)(C)C'}) RETURN m"
    unknown = masked.unknown_names("RETURN 'MOLECULE_1', 'MOLECULE_9', MOLECULE_12")
    assert unknown == ["MOLECULE_12", "MOLECULE_9"]


def test_names_do_not_clash_with_the_text() -> None:
    masked = mask(ASKED, "MATCH (MOLECULE_1) RETURN MOLECULE_1, 'CCO'")
    assert masked.query == "MATCH (MOLECULE_1) RETURN MOLECULE_1, 'MOLECULEX_3'"
    assert masked.unknown_names(masked.query) == []


@given(st.lists(st.text(max_size=12), max_size=5), st.text(max_size=30), st.sampled_from("'\""))
def test_any_strings_come_back(values: list[str], question: str, other: str) -> None:
    query = "RETURN " + ", ".join([*map(quote, values), f"{other}CCO{other}", "'CCO'"])
    masked = mask(question, query)
    assert masked.restore(masked.query) == query


REFERENCES = st.sampled_from(sorted({question.reference_cypher for question in QUESTIONS})[::100])


@given(REFERENCES, REFERENCES)
def test_each_edit_is_a_part_of_its_query(before: str, after: str) -> None:
    edits = edits_between(before, after)
    assert bool(edits) == (before != after)
    assert all(edit["was"] in " ".join(before.split()) for edit in edits)
    assert all(edit["is"] in " ".join(after.split()) for edit in edits)
    assert edits_between(None, "RETURN 1") == [{"was": "", "is": "RETURN 1"}]


GUARDED = loops_by_name()["guarded"]
EMPTY = Execution("ok", columns=["id", "names"], rows=[[None, []]], row_count=1)


class Around(FakeGraph):
    """Knows one molecule, with one reaction around it."""

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        for part, column, value in (("AS name", "name", "CCOC(C)=O"), ("[*1..1]", "id", 7)):
            if part in (cypher or ""):
                self.ran.append((cypher, timeout_s, row_limit))
                return Execution("ok", columns=[column], rows=[[value]], row_count=1)
        return super().run(cypher, timeout_s=timeout_s, row_limit=row_limit)


def test_a_query_that_brings_rows_is_left_alone() -> None:
    played = play(GUARDED, RIGHT)
    assert played.result.cypher == RIGHT
    assert played.result.execution is played.graph.result
    assert played.result.fallback is None
    assert played.story == [("guard", "ok"), ("executor", "ok")]
    assert played.graph.ran == [(RIGHT, 5.0, None)]
    limited = play(loops_by_name()["guarded-limit"], RIGHT)
    assert limited.result.cypher == RIGHT + "\nLIMIT 100"
    assert limited.graph.ran == [(RIGHT + "\nLIMIT 100", 5.0, 100)]
    assert limited.finding("guard")["edit"] == "no more than 100 rows"


@pytest.mark.parametrize(
    ("first", "reason"),
    [(BROKEN, "syntax_error"), ("MATCH (n) DELETE n", "refused"), (None, "no_query"), (RIGHT, "empty")],
)
def test_the_fallback_looks_around_the_molecules(first: str | None, reason: str) -> None:
    played = play(GUARDED, first, graph=Around(EMPTY))
    fallback = played.result.fallback
    assert fallback is not None
    assert fallback["reason"] == reason
    # The question writes another SMILES than the graph.
    assert fallback["entities"] == [{"text": "CC(=O)OCC", "names": ["CC(=O)OCC", "CCOC(C)=O"]}]
    assert fallback["resolved"] == ["CCOC(C)=O"]
    assert (fallback["status"], fallback["rows"], fallback["hops"]) == ("ok", [[7]], 2)
    assert "seed.name IN ['CCOC(C)=O']" in fallback["cypher"]
    assert "LIMIT 100" in fallback["cypher"]
    assert played.story[-1] == ("fallback", "ok")
    # The rows of the fallback are never those of the query.
    assert played.result.cypher == first
    assert played.result.execution is not None
    assert played.result.execution.rows != [[7]]


@pytest.mark.parametrize("question", ["How is it made?", "How is CCCCCCO made?"])
def test_nothing_found_is_a_fallback_without_rows(question: str) -> None:
    graph = FakeGraph(Execution("ok", columns=["name"]))
    played = play(GUARDED, None, graph=graph, question=question)
    fallback = played.result.fallback
    assert fallback is not None
    assert (fallback["status"], fallback["rows"], fallback["resolved"]) == ("no_query", [], [])


def test_what_a_question_names_cannot_break_out_of_the_query() -> None:
    played = play(GUARDED, None, graph=Around(), question="Is 'F/C=C\\F' or \"C'] DELETE\" made?")
    assert all("DELETE" not in (cypher or "") for cypher, _, _ in played.graph.ran)
    assert "'F/C=C\\\\F'" in (played.graph.ran[1][0] or "")


def test_entities_by_smiles_and_by_name() -> None:
    found = entities_in("Is CCO or ethanol made from Tetrahydrofuran, 2-methanol or methanol-d4 in DMF?")
    assert [(entity.text, entity.names) for entity in found] == [
        ("CCO", ("CCO",)),
        ("Tetrahydrofuran", ("C1CCOC1",)),
        ("DMF", ("CN(C)C=O",)),
    ]
    assert all(Chem.CanonSmiles(smiles) == smiles for smiles in common_names().values())


def test_how_far_the_fallback_reaches_can_be_set() -> None:
    played = play(Guarded(hops=4), None, graph=Around(EMPTY))
    assert played.result.fallback is not None
    assert played.result.fallback["hops"] == 4
    assert "[*1..3]-(reaction:Reaction)" in played.result.fallback["cypher"]
