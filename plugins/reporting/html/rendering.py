"""The environment of templates: all text is escaped, and numbers of a kind have one format."""

import base64
import hashlib
import math
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from importlib import metadata, resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import UNSET

from retrocypher.plugins.analysis.report_runs import ReportRun
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.formatting.text import counted, usd
from retrocypher.plugins.reporting.numbers import score_name, without_leaks
from retrocypher.plugins.runs.manifest import AnswerCounts, Manifest, ModelEntry, Prices
from retrocypher.plugins.runs.record import JsonValue
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import Ratio

# Invisible characters, and those that reverse the direction of text, are shown by their number.
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
        "score_name": score_name,
        "without_leaks": without_leaks,
        "score": score,
        "ends": ends,
        "percent": percent,
        "count": lambda number: f"{number:,}",
        "counted": counted,
        "signed": lambda value: "n/a" if value is None else f"{value:+.3f}".replace("-", "\N{MINUS SIGN}"),
        "signed_ends": lambda estimate: ends(estimate, signed=True),
        "p_value": lambda value: "n/a" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}",
        "seconds": lambda value: f"{value:,.2f} s" if value >= 0.1 else f"{1000 * value:.1f} ms",
        "usd": usd,
        "words": lambda name: str(name).replace("_", " "),
    }
    return made


def visible(text: str) -> str:
    r"""Return a text with each invisible character replaced by its number, such as ``\u2028``."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def asset(name: str) -> Markup:
    """Return one of the page's own files, which is included without escaping."""
    return Markup(resources.files(__package__).joinpath("assets").joinpath(name).read_text("utf-8"))


def page(template: str, title: str, **shown: Any) -> str:
    """Return a page in the style of the report, with no script but the choice of the theme."""
    style, script = Markup("\n").join([asset("base.css"), asset("page.css")]), asset("theme.js")
    return (
        environment()
        .get_template(template)
        .render(
            **shown,
            title=title,
            policy=policy([script], [style]),
            style=style,
            script=script,
            footer=f"Made by RetroCypher {metadata.version('retrocypher')}.",
        )
    )


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


def ends(estimate: Estimate | Ratio, *, signed: bool = False) -> str:
    """Return the interval of an estimate in brackets; empty where there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    form = "+.3f" if signed else ".3f"
    return f"[{estimate.low:{form}}, {estimate.high:{form}}]".replace("-", "\N{MINUS SIGN}")


def percent(value: float) -> str:
    """Return a share as a length in a drawing."""
    return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"


def _shown(value: Any) -> Any:
    return visible(value) if type(value) is str else value


def _hash(text: Markup) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_HASH = 12


def about(run: ReportRun) -> dict[str, Any]:
    """Return what was run: ``lines`` of name and text, and the resolved ``options``."""
    manifest = run.log.manifest
    return {
        "lacks": run.lacks,
        "known": run.log.has_manifest,
        "lines": [(term, words) for term, words in _lines(run, manifest) if words],
        "options": [(name, _value(value)) for name, value in sorted(manifest.options.items())],
        "versions": sorted(manifest.versions.items()),
    }


def _lines(run: ReportRun, manifest: Manifest) -> Iterator[tuple[str, str]]:
    cells = run.summary.cells
    prompts, shots = dict.fromkeys(cell.prompt for cell in cells), dict.fromkeys(cell.shot for cell in cells)
    yield "When", _when(manifest)
    if manifest.suite is not UNSET:
        yield "Suite", f"{manifest.suite.name} {manifest.suite.version}"
    yield "Models", ", ".join(map(_model, manifest.models))
    yield "API", manifest.api or ""
    yield "Loops", ", ".join(dict.fromkeys(loop for _, loop in run.series))
    yield "Prompts and shots", f"{', '.join(prompts)} with {', '.join(shots)}"
    yield "Cases", _cases(run.summary)
    questions = manifest.questions
    count = f"{questions.count:,}" if questions.count else ""
    yield "Questions", _joined(count, _hashed("set", questions.set_sha256))
    if (graph := manifest.graph) is not None:
        version = f"Neo4j {graph.version}" if graph.version else ""
        yield "Graph", _joined(version, graph.kind, _hashed("fingerprint", graph.fingerprint))
    if answers := manifest.answers:
        yield "Answers", _answers(answers, manifest.prices)
        served = (each.model for usage in answers.by_model.values() for each in usage.served)
        yield "Reported by servers as", ", ".join(dict.fromkeys(model for model in served if model))
    if (machine := manifest.machine) is not None:
        cores = counted(machine.cores, "core") if machine.cores else ""
        memory = f"{machine.memory_gib} GiB" if machine.memory_gib else ""
        yield "Machine", _joined(machine.system or "", cores, memory)
    yield "Code", _code(manifest)


def _when(manifest: Manifest) -> str:
    started, ended = _date(manifest.started), _date(manifest.ended)
    if started is None:
        return ""
    day = f"{started:%d %B %Y, %H:%M} UTC".lstrip("0")
    return day if ended is None else f"{day}, {_span(ended - started)}"


def _date(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text or "")
    except ValueError:
        return None


def _span(time: timedelta) -> str:
    seconds = int(time.total_seconds())
    minutes, hours = seconds // 60, seconds // 3600
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


def _model(model: ModelEntry) -> str:
    name = model.argument or model.kind
    return model.label if name in ("", model.label) else f"{model.label} ({name})"


def _cases(summary: Summary) -> str:
    parts = [f"{summary.cases:,} on record", f"{summary.passed:,} passed", f"{summary.failed:,} failed"]
    if errors := summary.infrastructure_errors:
        parts.append(f"{errors:,} not run")
    if faults := summary.judge_faults:
        parts.append(f"{faults:,} whose judge could not be asked")
    return ", ".join(parts)


def _answers(answers: AnswerCounts, prices: Prices | None) -> str:
    if not answers.asked and not answers.from_cache:
        return ""
    cost = ""
    if answers.cost is not None:
        cost = f"{usd(answers.cost)} at list prices of {(prices and prices.as_of) or 'no date'}"
    return _joined(f"{answers.asked:,} requested", f"{answers.from_cache:,} from the cache", cost)


def _code(manifest: Manifest) -> str:
    git, version = manifest.git, manifest.versions.get("retrocypher")
    changes = ", with changes" if git and git.changed else ""
    commit = f"commit {git.commit[:_HASH]}{changes}" if git and git.commit else ""
    return _joined(f"RetroCypher {version}" if version else "", commit)


def _hashed(what: str, value: str) -> str:
    return f"{what} {value[:_HASH]}" if value else ""


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _value(value: JsonValue) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
