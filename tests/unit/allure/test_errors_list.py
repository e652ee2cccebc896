from html import escape

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.reporting.allure.case import errors_list


def test_labels_are_listed_with_their_meanings_in_order() -> None:
    shown = errors_list(["traversal_direction", "missing_component:agents", "<of a later version>"], {})

    assert shown.endswith(
        "<ol>"
        f"<li><code>traversal_direction</code>: {escape(LABELS['traversal_direction'].meaning)}</li>"
        f"<li><code>missing_component:agents</code>: {escape(LABELS['missing_component'].meaning)}</li>"
        "<li><code>&lt;of a later version&gt;</code></li>"
        "</ol>"
    )


def test_what_else_is_known_follows_the_labels() -> None:
    shown = errors_list(["other"], {"loop": "cove: corrector: no_query <&>"})

    assert shown.endswith("</ol><p><b>loop</b>: cove: corrector: no_query &lt;&amp;&gt;</p>")
