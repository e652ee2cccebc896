"""The manifest in words."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from plugins.records import JUDGE_STAGE
from plugins.report._environment import environment
from plugins.report._run import Run
from plugins.terminal import counted

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
