"""Templates: everything that goes in is escaped, and every number is told in one way."""

import base64
import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.html.run import Run
from retrocypher.plugins.runs.record import JUDGE_STAGE

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


_HASH = 12


def about(run: Run) -> dict[str, Any]:
    """Return what was run: ``lines`` of term and words, and the ``options`` as they were resolved."""
    manifest = run.manifest
    return {
        "name": run.name,
        "lacks": run.lacks,
        "known": bool(manifest),
        "lines": [(term, words) for term, words in _lines(run) if words],
        "options": [(name, _value(value)) for name, value in sorted((manifest.get("options") or {}).items())],
        "versions": sorted((manifest.get("versions") or {}).items()),
    }


def _lines(run: Run) -> Iterator[tuple[str, str]]:
    manifest, cells = run.manifest, run.summary["cells"]
    asked = {name: list(dict.fromkeys(cell[name] for cell in cells)) for name in ("prompt", "shot", "task")}
    yield "When", _when(manifest)
    yield "Models", ", ".join(_model(model) for model in manifest.get("models") or ())
    yield "Asked behind", str(manifest.get("api") or "")
    yield "Loops", ", ".join(dict.fromkeys(loop for _, loop in run.series))
    yield "Prompts and shots", f"{', '.join(asked['prompt'])} with {', '.join(asked['shot'])}"
    yield "Cases", _cases(run)
    yield "Questions", _questions(manifest.get("questions") or {})
    yield "Graph", _graph(manifest.get("graph") or {})
    yield "Answers", _answers(manifest.get("answers") or {}, manifest.get("prices") or {})
    yield "Answered as", _names(manifest.get("answers") or {})
    yield "Machine", _machine(manifest)
    yield "Code", _code(manifest)


def _when(manifest: Mapping[str, Any]) -> str:
    started, ended = (_date(manifest.get(name)) for name in ("started", "ended"))
    if started is None:
        return ""
    day = f"{started:%d %B %Y, %H:%M} UTC".lstrip("0")
    return day if ended is None else f"{day}, {_span(ended - started)}"


def _date(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def _span(time: timedelta) -> str:
    seconds = int(time.total_seconds())
    minutes, hours = seconds // 60, seconds // 3600
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


def _model(model: Mapping[str, Any]) -> str:
    label, name = str(model.get("label", "")), str(model.get("argument") or model.get("kind") or "")
    return label if name in ("", label) else f"{label} ({name})"


def _cases(run: Run) -> str:
    told = run.summary
    parts = [f"{told['cases']:,} on record", f"{told['passed']:,} passed", f"{told['failed']:,} failed"]
    if told["infrastructure_errors"]:
        parts.append(f"{told['infrastructure_errors']:,} not run")
    if faults := told["infrastructure_errors_by_stage"].get(JUDGE_STAGE):
        parts.append(f"{faults:,} whose judge could not be asked")
    return ", ".join(parts)


def _questions(questions: Mapping[str, Any]) -> str:
    return _joined(
        f"{questions['count']:,}" if isinstance(questions.get("count"), int) else "",
        _hashed("set", questions.get("set_sha256")),
    )


def _graph(graph: Mapping[str, Any]) -> str:
    version = graph.get("version")
    return _joined(
        f"Neo4j {version}" if version else "",
        str(graph.get("kind") or ""),
        _hashed("fingerprint", graph.get("fingerprint")),
    )


def _answers(answers: Mapping[str, Any], prices: Mapping[str, Any]) -> str:
    asked, cached, cost = answers.get("asked") or 0, answers.get("from_cache") or 0, answers.get("cost")
    if not asked and not cached:
        return ""
    return _joined(
        f"{asked:,} asked for",
        f"{cached:,} from the cache",
        "" if cost is None else f"{_usd(cost)} at list prices of {prices.get('as_of', 'no date')}",
    )


def _usd(cost: float) -> str:
    return str(environment().filters["usd"](cost))


def _names(answers: Mapping[str, Any]) -> str:
    """Return what the servers called the models that answered."""
    served = (each for told in (answers.get("by_model") or {}).values() for each in told.get("served") or ())
    return ", ".join(dict.fromkeys(str(each["model"]) for each in served if each.get("model")))


def _machine(manifest: Mapping[str, Any]) -> str:
    machine = manifest.get("machine") or {}
    cores, memory = machine.get("cores"), machine.get("memory_gib")
    return _joined(
        str(machine.get("system") or ""),
        counted(cores, "core") if cores else "",
        f"{memory} GiB" if memory else "",
    )


def _code(manifest: Mapping[str, Any]) -> str:
    git, version = manifest.get("git") or {}, (manifest.get("versions") or {}).get("retrocypher")
    commit = str(git.get("commit") or "")[:_HASH]
    return _joined(
        f"RetroCypher {version}" if version else "",
        f"commit {commit}{', with changes' if git.get('changed') else ''}" if commit else "",
    )


def _hashed(what: str, value: Any) -> str:
    return f"{what} {str(value)[:_HASH]}" if value else ""


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
