"""The names of the scores that means are taken of."""

METRICS = (
    "f1",
    "precision",
    "recall",
    "focus_f1",
    "row_f1",
    "exact_path_f1",
    "exact_path_precision",
    "exact_path_recall",
    "partial_path_recall",
    "bleu",
    "meteor",
    "rouge_l",
)
