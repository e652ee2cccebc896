"""Records with a written answer that was checked."""

from typing import Any

from retrocypher.plugins.runs.record import Round


def written(answer: str = "It is CCO.", verdict: str = "VERIFIED", **more: Any) -> dict[str, Any]:
    """Return the fields of a record with a written answer of one claim; ``more`` is on its verification."""
    supported = verdict == "VERIFIED"
    evidence = [{"reaction": 5, "found": "PRODUCES", "source": {"file": "a.parquet", "row": 3}}]
    claim = {
        "subject": 5,
        "predicate": "PRODUCES",
        "object": "CCO",
        "verdict": "SUPPORTED" if supported else "CONTRADICTED",
        "reason": "it is there" if supported else "it is a solvent there",
        "evidence": evidence,
        "by": ["reader"],
    }
    verification = {
        "verdict": verdict,
        "support": 1.0 if supported else 0.0,
        "claims": 1,
        "counts": {"SUPPORTED": int(supported), "CONTRADICTED": int(not supported)},
        "shortcomings": [],
        "thresholds": {"verified": 0.9, "partial": 0.7, "false_claims": 0},
        "model": None,
    }
    rounds = [
        Round("generator", None, "RETURN 1", "RETURN 1"),
        Round("answer:text", None, answer, None, "written", time_s=0.5),
        Round("answer:check", None, "", None, verdict),
    ]
    return {"rounds": rounds, "answer": answer, "claims": [claim], "verification": {**verification, **more}}
