"""The judge that a command asks for."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.offline import refuse_network
from retrocypher.plugins.judge.criteria import Criteria, judge_facts, judge_spec, load_criteria
from retrocypher.plugins.judge.judge import JudgePool, open_judge_pool
from retrocypher.plugins.runs.manifest import JudgeEntry
from retrocypher.prompts.models.cache_files import default_file, prepare
from retrocypher.prompts.models.checks import contents_of
from retrocypher.prompts.models.spec import ModelSpec

NO_CACHE = "none"


class JudgeRequest(Struct, frozen=True):
    """Who judges, and how."""

    spec: ModelSpec
    criteria: Criteria
    concurrency: int
    """Calls in flight."""
    seed: int
    cache: Path | None
    """File of the response cache; None for none."""
    offline: bool
    environment: Mapping[str, str]

    @contextmanager
    def pool(self) -> Iterator[JudgePool]:
        """Start the judge, and stop it after the block; raises as `open_judge_pool`."""
        with open_judge_pool(
            self.spec,
            concurrency=self.concurrency,
            seed=self.seed,
            cache=self.cache,
            offline=self.offline,
            environment=self.environment,
            criteria=self.criteria,
        ) as pool:
            yield pool

    def entry(self) -> JudgeEntry:
        """Return the judge as a manifest holds it."""
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
    """Check who is to judge, and open the cache; raise InputError if either cannot be used."""
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


def named_judge(judge: JudgeEntry) -> str:
    """Return the judge of a run as ``--judge`` takes it."""
    model = judge.model
    spec = {"openai": model.argument, "gguf": f"gguf:{model.argument}"}.get(model.kind, model.kind)
    return f"{model.label}={spec}"
