"""What is read from written answers: those of answers.yaml, and molecules in every form."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.reader import read_answer

ANSWERS = Path(__file__).with_name("answers.yaml")


def cases() -> Iterator[object]:
    for group, entries in yaml.safe_load(ANSWERS.read_text(encoding="utf-8")).items():
        for entry in entries:
            asked = entry.pop("asked", {})
            answers = entry.pop("answers", None) or [entry.pop("answer")]
            yield from (pytest.param(answer, asked, entry, id=group) for answer in answers)


def written(claim: Claim) -> str:
    words = ["not"] if claim.negated else []
    words += [str(claim.subject), claim.predicate]
    if isinstance(claim.object, float):
        words.append(f"{claim.object:g}" if claim.low is None else f"{claim.low:g}-{claim.object:g}")
    else:
        words.append(str(claim.object))
    words += ["as a share"] if claim.share else []
    words += [f"of {claim.product}"] if claim.product else []
    return " ".join(words)


@pytest.mark.parametrize(("answer", "asked", "wanted"), list(cases()))
def test_an_answer(answer: str, asked: dict[str, Any], wanted: dict[str, Any]) -> None:
    found = read_answer(answer, **asked)
    claims = set(map(written, found.claims))
    for part, expected in wanted.items():
        if part == "claims":
            assert claims == set(expected)
        elif part == "holds":
            assert claims >= set(expected)
        elif part == "denied":
            assert bool(found.denied) is expected
        else:
            assert json.loads(json.dumps(getattr(found, part))) == expected


def test_an_answer_without_ids_is_read_with_the_molecule_of_its_question() -> None:
    target = "CCOC(C)=O"
    found = read_answer("It is made from CCO and CC(=O)O.", target, frozenset([target])).claims
    assert found == (
        Claim("CCO", "REACTS_IN", None, product=target),
        Claim("CC(=O)O", "REACTS_IN", None, product=target),
    )


def test_claims_stay_where_they_stand_in_the_answer() -> None:
    answer = "<b>Reaction 12</b> makes <i>CCOC(C)=O</i>."
    (claim,) = read_answer(answer).claims
    assert answer[claim.start : claim.stop] == "CCOC(C)=O"


@pytest.mark.parametrize("name", ["N", "O", "I", "P", "B"])
@pytest.mark.parametrize(
    "form",
    [
        "Reaction 12\n- Products: `{}`",
        "Reaction 12\n- Products: `{}`\n- Step 2: reaction 13",
        "Reaction 12\n- Products: **{}**",
        "Reaction 12\n- **Products:** {}",
        "Reaction 12 makes `{}`.",
        "CCO → `{}` (reaction 12)",
    ],
)
def test_a_molecule_of_one_letter_is_read_where_molecules_stand(name: str, form: str) -> None:
    assert Claim(12, "PRODUCES", name) in read_answer(form.format(name)).claims


@pytest.mark.parametrize(
    "smiles",
    [
        *("F/C=C\\F", "[13CH4]", "[2H]O[2H]", "[Cl-].[Na+]", "C[C@H](N)C(=O)O", "O=[N+]([O-])c1ccccc1"),
        *("C#Cc1ccc2c(c1)C(C)(C)CCC2(C)C", "O", "Cl", "[Fe]"),
    ],
)
@pytest.mark.parametrize(
    "around",
    ["{}", "`{}`", "**{}**", "({})", '"{}"', "['CCCCO', '{}']", '["{}", "CCCCO"]', "{}, CCCCO", "| {} |"],
)
def test_smiles_of_all_kinds_are_read_whole(smiles: str, around: str) -> None:
    found = read_answer(f"Reaction 12\n- Reactants: {around.format(smiles)}").claims
    assert Claim(smiles, "REACTS_IN", 12) in found
