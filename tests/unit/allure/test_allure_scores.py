from retrocypher.plugins.reporting.allure.case import scores_table


def test_the_defined_scores_and_the_keys_have_a_line_each() -> None:
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

    assert scores_table(scores) == (
        "<p><b>0.667</b> f1<br><b>1.000</b> bleu</p><br>"
        "<p><b>reactants</b>: F1 0.667, precision 1.000, recall 0.500 (column matched by stem)<br>"
        "<b>agents</b>: nothing expected and nothing returned</p><br>"
    )


def test_a_case_without_keys_has_one_part() -> None:
    assert scores_table({"f1": 0.0, "per_key": None}) == "<p><b>0.000</b> f1</p><br>"


def test_names_from_an_answer_are_no_markup() -> None:
    per_key = {"<i>": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "stage": None}}
    shown = scores_table({"f1": 1.0, "per_key": per_key})
    assert "<b>&lt;i&gt;</b>: F1 1.000, precision 1.000, recall 1.000 (no column)" in shown
