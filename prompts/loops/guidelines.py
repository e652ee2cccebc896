"""Guidelines for the generator of self-review: a file of Markdown, with what it rests on in front.

They are learned from the failures of a training part, after MAGIC, which the self-review paper builds on.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import yaml
from msgspec import Struct, to_builtins

from retrocypher.kg.errors import InputError, conversion_fault
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.split import TargetSplit, parse_split, targets_of

_MARK = "---\n"
_BUILD = "write one with retrocypher guidelines build"


class Source(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What guidelines rest on."""

    run: str
    """Folder of the run whose failures they are learned from."""
    model: str
    """Label of the model that wrote them."""
    split: str
    """Share and seed of the split by target molecule, such as `0.5:0`."""
    failures: int
    """Number of failures that the model read."""
    targets: list[str]
    """Target molecules of these failures."""


@dataclass(frozen=True, slots=True)
class Guidelines:
    """Guidelines and what they rest on; `sha256` is that of the file."""

    path: str
    source: Source
    split: TargetSplit
    text: str
    sha256: str

    def require_unseen(self, questions: Iterable[Question]) -> None:
        """Refuse questions with a target of the training part; raise InputError with the remedy."""
        used = set(self.source.targets)
        asked = list(questions)
        seen = [
            question
            for question in asked
            if any(name in used or self.split.trains(name) for name in targets_of(question))
        ]
        if seen:
            raise InputError(
                f"--guidelines {self.path}: {len(seen):,} of the {len(asked):,} questions to be asked, such "
                f"as {seen[0].id}, have a target molecule of the training part that the guidelines are "
                f"learned from. Add --split test:{self.split}, or leave --guidelines out."
            )


def file_text(source: Source, text: str) -> str:
    """Return the content of a file of guidelines."""
    head = yaml.safe_dump(to_builtins(source), sort_keys=False, allow_unicode=True)
    return f"{_MARK}{head}{_MARK}\n{text.strip()}\n"


def read_guidelines(path: Path, option: str) -> Guidelines:
    """Read a file of guidelines; raises InputError, which names the option, if it cannot be used."""
    try:
        content = path.read_bytes()
        _, head, text = content.decode("utf-8-sig").replace("\r\n", "\n").split(_MARK, 2)
        source = msgspec.convert(yaml.safe_load(head), Source)
        split = parse_split(source.split, f"{option} {path}: split")
    except OSError as error:
        raise InputError(f"{option} {path}: {error.strerror}; {_BUILD}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{option} {path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (ValueError, yaml.YAMLError) as error:
        why = f" ({conversion_fault(error)})" if isinstance(error, msgspec.ValidationError) else ""
        raise InputError(
            f"{option} {path}: no guidelines with what they rest on between two lines --- in front{why}; "
            f"edit the text below these lines only, or {_BUILD}"
        ) from error
    if not text.strip():
        raise InputError(f"{option} {path}: it holds no guideline; {_BUILD}")
    return Guidelines(str(path), source, split, text.strip(), hashlib.sha256(content).hexdigest())
