"""Citations in written answers, such as ``[row 3]``, and whether they name what they stand behind."""

from collections.abc import Mapping

from retrocypher.kg.claims.sentences import Cited, Sentence, sentences_of
from retrocypher.prompts.answering.ranking import Citable, reactions_in
from retrocypher.prompts.answering.roles import Citations


def check_citations(answer: str, given: Mapping[Cited, Citable]) -> Citations:
    """Check each citation of an answer against the rows and passages that were given.

    A citation is right if it was given and names a molecule, or the id of a reaction, that its sentence
    names. One in a sentence that names neither is right if it was given.
    """
    found = Citations()
    for sentence in sentences_of(answer).all:
        found.sentences += 1
        found.cited += bool(sentence.citations)
        for cited in sentence.citations:
            found.citations += 1
            if why := _wrong(cited, sentence, given):
                found.wrong.append(f"sentence {sentence.number}, {cited.kind} {cited.number}: {why}")
    return found


def _wrong(cited: Cited, sentence: Sentence, given: Mapping[Cited, Citable]) -> str:
    if cited not in given:
        return "not given"
    molecules = {each.text for each in sentence.tokens if each.kind == "molecule"}
    reactions = reactions_in(sentence.text)
    if not (molecules or reactions) or molecules & given[cited].molecules:
        return ""
    return "" if reactions & given[cited].reactions else "names no molecule or reaction of the sentence"
