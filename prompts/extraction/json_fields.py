"""JSON in a completion: the first object among words, or one value and nothing else."""

import json
import re
from typing import Any

_LONGEST = 200_000
_MOST_STARTS = 50
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
_LONE_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])')


def extract_json(completion: str) -> dict[str, Any] | None:
    """Return the first JSON object in a completion that has a key; None where there is none.

    Words and fences around it are skipped, and so is what stands between ``<think>`` tags. Line breaks within
    strings are accepted.
    """
    text = re.sub(r"<think>.*?(</think>|\Z)", "", completion[:_LONGEST], flags=re.DOTALL)
    decoder = json.JSONDecoder(strict=False)
    # SMILES contain backslashes that JSON does not allow: read a second time with those doubled.
    for written in (text, _LONE_BACKSLASH.sub(r"\\\\", text)):
        for start in [match.start() for match in re.finditer(r"\{", written)][:_MOST_STARTS]:
            try:
                found, _ = decoder.raw_decode(written, start)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and found:
                return found
    return None


def yes_or_no(value: Any) -> bool | None:
    """Read a boolean or a word such as ``yes`` or ``invalid``; None where a field says neither."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().strip(".!\"'").lower()
    if word in ("true", "yes", "valid", "accepted", "correct", "ok", "pass"):
        return True
    return False if word in ("false", "no", "invalid", "rejected", "incorrect", "wrong", "fail") else None


def texts(value: Any) -> list[str]:
    """Return the texts of a field: one text, or a list of texts or objects.

    Of an object, the values are joined, without that of its key ``item``.
    """
    entries = value if isinstance(value, list) else [value]
    return [text for entry in entries if (text := _text(entry))]


def _text(entry: Any) -> str:
    if isinstance(entry, dict):
        parts = [str(part) for key, part in entry.items() if key != "item" and part not in (None, "", [])]
        return ": ".join(parts).strip()
    return "" if entry is None else str(entry).strip()


def sole_json(reply: str) -> Any:
    """Return the JSON value that a reply consists of, a fence around it aside.

    Several values, a value among words, a repeated name and NaN or Infinity are refused: their meaning is
    unclear, and text that a reply quotes must not be read as its own.

    Raises:
        ValueError: If it is anything else; says why in a few words.
    """
    text = reply.strip()
    if len(text) > _LONGEST:
        raise ValueError(f"longer than {_LONGEST:,} characters")
    if fenced := _FENCED.match(text):
        text = fenced[1]
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except _UnclearError as error:
        raise ValueError(str(error)) from None
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from None


class _UnclearError(ValueError):
    """JSON that Python reads but whose meaning is unclear."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _UnclearError("a name stands twice in one object")
    return found


def _no_number(name: str) -> Any:
    raise _UnclearError(f"{name} is no number")
