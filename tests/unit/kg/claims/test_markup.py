"""Answers in HTML and LaTeX."""

import pytest

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.reader import read_answer

A, B, P = "CCO", "CC(=O)O", "CCOC(C)=O"
REACTION = {Claim(A, "REACTS_IN", 1404), Claim(B, "REACTS_IN", 1404), Claim(1404, "PRODUCES", P)}


@pytest.mark.parametrize(
    "answer",
    [
        f"<b>1404</b>: {A} + {B} &rarr; {P}",
        f"<ul><li><strong>1404</strong>: {A} + {B} → {P}</li></ul>",
        f"<h3>Reaction 1404</h3><p>Reactants: <code>{A}</code>, <code>{B}</code></p><p>Product: {P}</p>",
        f"Reaction 1404<br>Reactants: {A}, {B}<br/>Products: {P}",
        "<table><tr><th>ID</th><th>Reactants</th><th>Products</th></tr>\n"
        f"<tr><td>1404</td><td>{A}, {B}</td><td>{P}</td></tr></table>",
        f"|ID|Reactants|Products|\n|-|-|-|\n|1404|{A}<br>{B}|{P}|",
        f'<reaction id="1404"><reactant>{A}</reactant><reactant>{B}</reactant><product>{P}</product>',
        f"\\textbf{{Reaction 1404}}: \\texttt{{{A}}} + \\texttt{{{B}}} $\\rightarrow$ \\texttt{{{P}}}",
        f"\\begin{{itemize}}\n\\item Reaction 1404: {A} + {B} $\\to$ {P}\n\\end{{itemize}}",
        f"Reaction 1404: {P} ← {A} + {B}",
        f"Reaction 1404: {P} <- {A} + {B}",
    ],
)
def test_a_reaction_is_read_from_each_markup(answer: str) -> None:
    found = read_answer(answer)
    assert set(found.claims) == REACTION
    assert (found.unplaced, found.unreadable, found.without_role) == ((), (), ())


def test_a_table_without_headings_says_nothing_of_its_first_row() -> None:
    answer = f"<table><tr><td>1404</td><td>{A}</td></tr>\n<tr><td>1405</td><td>{B}</td></tr></table>"
    assert read_answer(answer).without_role == (A, B)


@pytest.mark.parametrize(
    "said", ["$81.5\\%$ yield", "81.5&nbsp;% yield", "a yield of $81.5$", "81,5 % yield"]
)
def test_a_yield_is_read_from_each_markup(said: str) -> None:
    found = read_answer(f"Reaction 12 makes {P} with {said}.")
    assert Claim(12, "YIELD", 81.5, product=P) in found.claims


def test_claims_stay_where_they_stand_in_the_answer() -> None:
    answer = f"<b>Reaction 12</b> makes <i>{P}</i>."
    (claim,) = read_answer(answer).claims
    assert answer[claim.start : claim.stop] == P


def test_a_smiles_in_angle_brackets_is_none_of_html() -> None:
    assert read_answer(f"Reaction 12 makes <{P}>.").claims == (Claim(12, "PRODUCES", P),)


@pytest.mark.parametrize(
    "answer",
    [
        '{"reaction_nodes": [{"id": 12}, {"id": 1404}]}\n{"reaction_nodes": [{"id": 13}, {"id": 1404}]}',
        "- route: [{'id': 12}, {'id': 1404}]\n- route: [{'id': 13}, {'id': 1404}]",
        'Two routes:\n\n[{"id":12},{"id":1404}]\n[{"id":13},{"id":1404}]',
    ],
)
def test_routes_are_read_as_rows_show_them(answer: str) -> None:
    found = read_answer(answer, routes=True)
    assert found.routes == ((12, 1404), (13, 1404))
    assert set(found.claims) == {Claim(12, "LEADS_TO", 1404), Claim(13, "LEADS_TO", 1404)}
    assert read_answer(answer).reactions == (12, 1404, 13)


def test_a_route_of_one_node_is_one_step() -> None:
    answer = '{"reaction_nodes": [{"id": 12}, {"id": 1404}]}\n{"reaction_nodes": [{"id": 13}]}'
    assert read_answer(answer, routes=True).routes == ((12, 1404), (13,))
