"""Who is to judge, as a command is told."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.offline import refuse_network
from retrocypher.plugins.judge.criteria import Criteria, judge_facts, judge_spec, load_criteria
from retrocypher.plugins.judge.judge import Panel, open_panel
from retrocypher.prompts.models.cache_files import default_file, prepare
from retrocypher.prompts.models.checks import contents_of
from retrocypher.prompts.models.spec import ModelSpec

NO_CACHE = "none"


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """Who is to judge, and how.

    Attributes:
        spec: The judge's model.
        criteria: What it judges by.
        concurrency: Calls in flight.
        seed: Seed sent along.
        cache: Where its answers are kept; None for nowhere.
        offline: Whether it is not to be asked what is not there.
        environment: Where key and address are looked up.
    """

    spec: ModelSpec
    criteria: Criteria
    concurrency: int
    seed: int
    cache: Path | None
    offline: bool
    environment: Mapping[str, str]

    @contextmanager
    def panel(self) -> Iterator[Panel]:
        """Start what the judge needs, and stop it after the block; raises as `open_panel`."""
        with open_panel(
            self.spec,
            concurrency=self.concurrency,
            seed=self.seed,
            cache=self.cache,
            offline=self.offline,
            environment=self.environment,
            criteria=self.criteria,
        ) as panel:
            yield panel

    def to_json(self) -> dict[str, Any]:
        """Return what a manifest says of a judge."""
        return judge_facts(self.spec, self.criteria, contents_of([self.spec]), self.environment)


def judge_request(
    model: str,
    *,
    rows: int = 0,
    concurrency: int = 8,
    seed: int = 0,
    cache: str | None = None,
    offline: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> JudgeRequest:
    """Read and check who is to judge; opens the cache, and starts and calls nothing.

    Args:
        model: ``SPEC`` or ``LABEL=SPEC``.
        rows: Most rows of a result that the judge is shown.
        concurrency: Calls in flight.
        seed: Seed sent along.
        cache: File that answers are kept in, or ``none``; None for the one in the cache folder.
        offline: Whether no other machine is to be reached: the judge's answers must be in the cache.
        environment: Where key and address are looked up.

    Raises:
        InputError: If the model cannot judge, or the cache cannot be used.
    """
    if offline:
        if cache == NO_CACHE:
            raise InputError("--offline --cache none: then there are no answers. Leave out one of the two.")
        refuse_network()
        environment = {**environment, "OPENAI_API_KEY": environment.get("OPENAI_API_KEY") or "none"}
    spec = judge_spec(model, environment)
    file = None
    if cache != NO_CACHE:
        file = Path(cache).expanduser().absolute() if cache else default_file()
        prepare(file, read_only=offline)
    return JudgeRequest(spec, load_criteria(rows), concurrency, seed, file, offline, environment)


def run_judge(manifest: Mapping[str, Any]) -> str | None:
    """Return the judge of a run as ``--judge`` takes it; None where it had none.

    Args:
        manifest: The manifest of the run.
    """
    judge = manifest.get("judge")
    if judge is None:
        return None
    spec = judge["model"]
    named = spec["argument"] if spec["kind"] == "openai" else spec["kind"]
    if spec["kind"] == "gguf":
        named = f"gguf:{spec['argument']}"
    return f"{spec['label']}={named}"
