from xml.etree import ElementTree

from plugins.allure._scores import scores_table


def cells(html: str) -> list[list[str]]:
    """Return the texts of all rows."""
    root = ElementTree.fromstring(f"<page>{html.replace('<br>', '<br/>')}</page>")
    return [[cell.text or "" for cell in row] for row in root.iter("tr")]


def test_a_table_has_the_defined_scores_and_the_keys() -> None:
    per_key = {
        "reactants": {
            "precision": 1.0,
            "recall": 0.5,
            "f1": 2 / 3,
            "stage": "stem",
            "tp": 1,
            "fp": 0,
            "fn": 1,
        },
        "agents": {"precision": None, "recall": None, "f1": None, "stage": None, "tp": 0, "fp": 0, "fn": 0},
    }
    scores = {"f1": 2 / 3, "per_key": per_key, "exact_path_f1": None, "unmatched_columns": ["x"], "bleu": 1.0}

    assert cells(scores_table(scores)) == [
        ["score", "value"],
        ["f1", "0.667"],
        ["bleu", "1.000"],
        ["key", "precision", "recall", "f1", "matched by"],
        ["reactants", "1.000", "0.500", "0.667", "stem"],
        ["agents", "", "", "", ""],
    ]


def test_a_case_without_keys_has_one_table() -> None:
    assert cells(scores_table({"f1": 0.0, "per_key": None})) == [["score", "value"], ["f1", "0.000"]]


def test_names_from_an_answer_are_no_markup() -> None:
    per_key = {"<b>": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "stage": "exact"}}
    assert cells(scores_table({"f1": 1.0, "per_key": per_key}))[-1][0] == "<b>"
