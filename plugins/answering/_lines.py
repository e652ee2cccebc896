"""Claims and verdicts in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from plugins.terminal import counted

_ANY = "?"


def claim_line(claim: Mapping[str, Any]) -> str:
    """Return a claim in one line: what the graph says of it, the triple, where it stands, who read it.

    Args:
        claim: An entry of the ``claims`` of a record.
    """
    ends = [_end(claim["subject"]), str(claim["predicate"]), _end(claim["object"])]
    of = f" of {claim['product']}" if claim.get("product") else ""
    steps = f" in {counted(claim['steps'], 'step')}" if claim.get("steps") else ""
    negation = "not " if claim.get("negated") else ""
    said = f"{claim['verdict']}: {negation}({', '.join(ends)}{of}{steps})"
    shown = [each for each in map(_evidence, claim.get("evidence") or ()) if each]
    where = f"; {', '.join(shown)}" if shown else ""
    why = f"; {claim['reason']}" if claim.get("reason") and claim["verdict"] != "SUPPORTED" else ""
    return f"{said}{why}{where}; by {' and '.join(claim['by'])}"


def verification_lines(verification: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the graph says of an answer, and how far the model's own list of claims agrees.

    Args:
        verification: The ``verification`` of a record.
    """
    support, claims = verification["support"], counted(verification["claims"], "claim")
    share = "nothing is claimed" if support is None else f"{support:.0%} of {claims} supported"
    yield f"{verification['verdict']}, {share}"
    yield from verification["shortcomings"]
    if (model := verification["model"]) is not None:
        listed = counted(model["claims"], "claim")
        share = "" if model["support"] is None else f" {model['support']:.0%} of its list supported;"
        yield (
            f"the model lists {listed}:{share} {model['shared']:,} that the reader finds too, "
            f"{model['only_model']:,} that it does not, and leaves out {model['only_reader']:,}"
        )
    if (judge := verification.get("judge")) is not None:
        told = [_measured(name.replace("_", " "), judge[name]) for name in judge if name != "model"]
        yield f"measured by {judge['model']}: {', '.join(told)}"


def _measured(name: str, told: Mapping[str, Any]) -> str:
    if told["score"] is None:
        return f"no {name} ({(told['error'] or {}).get('kind')})"
    return f"{name} {told['score']:.3f} of {told['parts']:,}"


def _end(value: Any) -> str:
    return _ANY if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _evidence(evidence: Mapping[str, Any]) -> str:
    source = evidence.get("source") or {}
    told = f" ({source['file']}, row {source['row']})" if source.get("file") else ""
    return f"reaction {evidence['reaction']}{told}"
