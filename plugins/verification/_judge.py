"""An answer, judged by the graph."""

from kg.claims import Claim, Verifier, read_answer
from plugins.verification._asked import requirements_of
from plugins.verification._verdict import AnswerVerdict, Thresholds, overall


def judge_answer(
    question: str, answer: str, verifier: Verifier, thresholds: Thresholds | None = None
) -> AnswerVerdict:
    """Read the claims of an answer, look them up in the graph, and say what that makes of the answer.

    What the question asks is checked with them as far as it can be told from its words: that the reactions
    named make the molecule asked about, that routes have as many steps as asked, end at the target and begin
    at the start, that a yield called the best is the best. It is not checked that the answer is complete.

    Args:
        question: The question, empty where there is none.
        answer: The answer.
        verifier: What asks the graph.
        thresholds: Where verdicts begin; those of `Thresholds` where absent.

    Raises:
        GraphError: The server cannot be read.
    """
    required = requirements_of(question)
    reading = read_answer(answer, required.target, required.known, routes=required.routes)
    said = required.completed(list(reading.claims))
    implied = [claim for claim in required.claims(reading) if claim not in said]
    claims: list[Claim] = [*dict.fromkeys(said), *implied]
    short = required.shortcomings(reading, claims)
    return overall(verifier.verify(claims), short, thresholds or Thresholds())
