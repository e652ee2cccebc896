"""What an exemplar is."""

from dataclasses import dataclass

from kg.questions import Setting


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A question and its Cypher, shown to a model in one-shot prompting.

    Attributes:
        id: Stable identifier, on the record of each case that shows it.
        setting: The bank it belongs to.
        task: Name of the forward task, e.g. ``Product Identification``.
        question: The question as shown: placeholders in place of molecules, the step count written out.
        intent: What kind of thing the question asks for, as matched by 1S-D-S.
        cypher: The query as shown, with the same placeholders.
        pattern: The query with ``<STEPS>`` and ``<HOPS>`` still open, for `fill`.
        steps: The step count shown; None in the single-step bank.
    """

    id: str
    setting: Setting
    task: str
    question: str
    intent: str
    cypher: str
    pattern: str = ""
    steps: int | None = None
