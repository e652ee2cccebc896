"""Who says what the graph holds of an answer."""

from kg.claims import Verifier
from kg.errors import GraphError
from plugins.answer_checks._check import check_answer
from plugins.answering import Checked
from plugins.replay import RunIndex
from plugins.verification import Thresholds
from prompts.answering import Written


class GraphChecker:
    """Asks the graph.

    Args:
        verifier: What asks it.
        thresholds: Where verdicts begin.
    """

    def __init__(self, verifier: Verifier, thresholds: Thresholds) -> None:
        self._verifier = verifier
        self._thresholds = thresholds

    def check(self, case_id: str, question: str, written: Written) -> Checked:
        """Check an answer; raises GraphError where the graph cannot be asked."""
        return check_answer(question, written.text or "", written.stated, self._verifier, self._thresholds)


class NotChecked(GraphError):  # noqa: N818 - the name that records and readers know
    """No run that is replayed has the verdict on an answer."""


class RecordedChecker:
    """Takes verdicts from the records of runs that are replayed: there is no graph to ask.

    Args:
        index: The records.
    """

    def __init__(self, index: RunIndex) -> None:
        self._index = index

    def check(self, case_id: str, question: str, written: Written) -> Checked:
        """Return what the record of the case has.

        Raises:
            NotChecked: If it has another answer, or none.
        """
        record = self._index.case(case_id)
        if record is None or record["answer"] != written.text or not record.get("verification"):
            raise NotChecked(
                f"{case_id}: the records of {self._index.named} have no verdict on the answer that it gives "
                "now. Run the case once on a graph with --answer, and name that run with --replay too."
            )
        # What a judge made of it is asked for anew, by the judge of this run.
        told = {name: value for name, value in record["verification"].items() if name != "judge"}
        return Checked(record["claims"], told)
