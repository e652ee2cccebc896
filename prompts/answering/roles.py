"""What records say of written answers: the roles of the rounds in which they are made, and citations."""

from msgspec import Struct, field

TEXT_ROLE = "answer:text"
CLAIMS_ROLE = "answer:claims"


class Citations(Struct):
    """Citations of a written answer."""

    sentences: int = 0
    """Number of sentences of the answer."""
    cited: int = 0
    """Those with a citation."""
    citations: int = 0
    """Number of citations."""
    wrong: list[str] = field(default_factory=list)
    """Why citations are wrong, one text each: the row or passage was not given, or it names no molecule and
    no reaction of the sentence."""
