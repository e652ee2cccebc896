from kg.labels import LABELS
from plugins.allure._errors import errors_list


def test_labels_are_listed_with_their_meanings_in_order() -> None:
    lines = errors_list(
        ["traversal_direction", "missing_component:agents", "of_a_later_version"]
    ).splitlines()

    assert lines[2:] == [
        f"1. `traversal_direction`: {LABELS['traversal_direction'].meaning}",
        f"1. `missing_component:agents`: {LABELS['missing_component'].meaning}",
        "1. `of_a_later_version`",
    ]
