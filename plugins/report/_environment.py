"""Templates: everything that goes in is escaped, and every number is told in one way."""

import base64
import hashlib
import math
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from plugins.terminal import counted

# Characters that cannot be seen, or that turn the direction of what follows, are shown by their number.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


@cache
def environment() -> Environment:
    """Return the environment of the page's templates."""
    made = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters |= {
        "score": score,
        "ends": ends,
        "percent": percent,
        "count": lambda number: f"{number:,}",
        "counted": counted,
        "signed": lambda value: "n/a" if value is None else f"{value:+.3f}".replace("-", "\N{MINUS SIGN}"),
        "signed_ends": lambda estimate: ends(estimate, signed=True),
        "p_value": lambda value: "n/a" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}",
        "seconds": lambda value: f"{value:,.2f} s" if value >= 0.1 else f"{1000 * value:.1f} ms",
        "usd": lambda value: f"{value:,.2f} USD" if value >= 1 else f"{value:.6f} USD",
        "words": lambda name: str(name).replace("_", " "),
    }
    return made


def visible(text: str) -> str:
    r"""Return a text with all that cannot be seen in it written as its number, such as ``\u2028``."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def asset(name: str) -> Markup:
    """Return one of the page's own files, to stand in it as it is."""
    return Markup(resources.files(__package__).joinpath("assets").joinpath(name).read_text("utf-8"))


def policy(scripts: list[Markup], styles: list[Markup]) -> str:
    """Return a content security policy: nothing is loaded, and only these scripts and styles are used."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, scripts)) or chr(39) + 'none' + chr(39)}",
            f"style-src {' '.join(map(_hash, styles))}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def score(value: float | None) -> str:
    """Return a score with three digits."""
    return "n/a" if value is None or math.isnan(value) else f"{value:.3f}"


def ends(estimate: Any, *, signed: bool = False) -> str:
    """Return the interval of an estimate in brackets; empty where there is none."""
    told = estimate if isinstance(estimate, Mapping) else estimate.to_json()
    if told["low"] is None or told["high"] is None:
        return ""
    form = "+.3f" if signed else ".3f"
    return f"[{told['low']:{form}}, {told['high']:{form}}]".replace("-", "\N{MINUS SIGN}")


def percent(value: float) -> str:
    """Return a share as a length in a drawing."""
    return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"


def _shown(value: Any) -> Any:
    return visible(value) if type(value) is str else value


def _hash(text: Markup) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
