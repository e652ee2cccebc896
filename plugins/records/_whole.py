"""What a run that was kept says of itself: its models, and whether it is whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugins.records._asked import JUDGE_STAGE
from plugins.records._read import read_manifest, read_summary
from plugins.terminal import counted

INCOMPLETE_ENDING = "incomplete"
"""How a run ended that lacks something: scores, judgements or written answers."""

_ENDINGS = {
    None: "not ended",
    2: "interrupted",
    3: "ended by an error of the harness",
    16: INCOMPLETE_ENDING,
}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run says of itself.

    Attributes:
        models: Labels of its models, in the order they were asked for; empty where that is not known.
        planned: How many cases were selected, or planned where the run did not get so far; None if unknown.
        ending: How it ended other than whole; None where it ended well, or nothing is known.
        loops: Names of its loops, in the order they were asked for; empty where that is not known.
        unpriced: By label of a model, the name of the one that plays its roles, where that has no list price.
    """

    models: tuple[str, ...]
    planned: int | None
    ending: str | None
    loops: tuple[str, ...]
    unpriced: Mapping[str, str]

    def lacks(self, cases: int) -> str:
        """Return in a few words what the run lacks, such as ``43 of 2,400 cases; interrupted``.

        Args:
            cases: How many cases it has on record.

        Returns:
            The words; empty where nothing is missing.
        """
        parts = []
        if self.planned is not None and cases < self.planned:
            parts.append(f"{cases:,} of {counted(self.planned, 'case')}")
        return "; ".join(parts + ([self.ending] if self.ending else []))


def read_facts(path: Path) -> RunFacts:
    """Read what a run says of itself; of a folder with records alone nothing is known.

    Args:
        path: The run directory.

    Raises:
        InputError: If the manifest or the summary is not a JSON object.
    """
    manifest, summary = read_manifest(path), read_summary(path)
    if not manifest:
        return RunFacts((), None, None, (), {})
    status, loops = manifest.get("exit_status"), manifest.get("loops", {})
    return RunFacts(
        tuple(model["label"] for model in manifest.get("models", ())),
        summary.get("selected_cases") or manifest.get("cases"),
        _ENDINGS.get(status, INCOMPLETE_ENDING if lacks_aside(summary) else None),
        tuple(loops.get("names", ())),
        unpriced_players(loops.get("players", {}), manifest.get("prices")),
    )


def lacks_aside(summary: Mapping[str, Any]) -> bool:
    """Return whether judgements or written answers of a run are missing, of which its gate may ask nothing.

    Args:
        summary: Its summary.
    """
    by_stage = summary.get("infrastructure_errors_by_stage") or {}
    return bool(by_stage.get(JUDGE_STAGE) or (summary.get("answers") or {}).get("failed"))


def unpriced_players(
    players: Mapping[str, Mapping[str, str]], prices: Mapping[str, Any] | None
) -> dict[str, str]:
    """Return, by label of a model, the name of the one that plays its roles, where that has no list price.

    Args:
        players: The ``loops.players`` of a manifest.
        prices: Its ``prices``.
    """
    known = (prices or {}).get("usd_per_million_tokens", {})
    return {
        label: spec["argument"]
        for label, spec in players.items()
        if spec["kind"] == "openai" and spec["argument"] not in known
    }
