"""Models of a run: checks before it starts, identity in the response cache, opening them in a process."""

import hashlib
import logging
import os
import secrets
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from retrocypher.kg.errors import InputError
from retrocypher.kg.mutations.registry import mutations_of, operators_named
from retrocypher.kg.questions.question import Question
from retrocypher.prompts.models.baselines import (
    ExemplarModel,
    FileModel,
    MutantModel,
    OracleModel,
    read_predictions,
)
from retrocypher.prompts.models.interface import Chat, Completion, Model, ModelError, Request, TextModel
from retrocypher.prompts.models.llama import (
    CONTEXT_TOKENS,
    LlamaModel,
    LlamaProcess,
    answer_tokens,
    gguf_path,
    require_gguf,
    settings_for,
)
from retrocypher.prompts.models.openai_client import address_of, api_parameters, asked_for
from retrocypher.prompts.models.prices import load_prices
from retrocypher.prompts.models.response_cache import (
    CacheEntry,
    Identity,
    ResponseCache,
    ResponseCacheError,
    request_key,
    stamp,
)
from retrocypher.prompts.models.retries import CircuitBreaker, Slots
from retrocypher.prompts.models.spec import TEXT_KINDS, ModelSpec

_logger = logging.getLogger(__name__)


def check_models(
    specs: Sequence[ModelSpec],
    questions: Sequence[Question],
    shots: Sequence[str],
    *,
    every_question: Sequence[Question],
    prompts: Sequence[str],
    loops: Sequence[str] = ("none",),
    paraphrases: Sequence[int] = (1,),
    environment: Mapping[str, str] = os.environ,
    keyless: str = "oracle, exemplar, mutant[:OPERATOR,...], file:PATH, gguf:PATH, local",
) -> None:
    """Refuse models that cannot serve this run; reads files, starts nothing, calls nothing.

    Raises InputError if ``exemplar`` meets zero-shot, an operator does not exist or has nothing to change, a
    file is missing or broken, predictions are for other questions or cases, or there is no key.

    Args:
        shots: Canonical names of the run's shots.
        every_question: The whole question set, against which predictions are checked.
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
        keyless: Models that need no key, for the message that one is missing.
    """
    for spec in specs:
        match spec.kind:
            case "exemplar" if "ZS" in shots:
                raise InputError(
                    f"--model {spec.label}: exemplar answers with the exemplar it is shown, and --shot ZS "
                    "shows none. Choose other shots, or another model for ZS."
                )
            case "mutant" if spec.argument:
                _check_mutant(spec, questions)
            case "file":
                predictions = read_predictions(Path(spec.argument))
                predictions.require_known({question.id for question in every_question})
                case = {
                    "model": (spec.label,),
                    "prompt": prompts,
                    "shot": shots,
                    "loop": loops,
                    "phrasing": [str(number) for number in paraphrases],
                }
                predictions.require_use([question.id for question in questions], case)
            case "local" | "gguf":
                require_gguf(gguf_path(spec))
            case "openai":
                _check_openai(spec, environment, keyless)


def _check_mutant(spec: ModelSpec, questions: Sequence[Question]) -> None:
    for operator in operators_named(spec.argument):
        if not any(mutations_of(operator, question.reference_cypher) for question in questions):
            raise InputError(
                f"--model mutant:{spec.argument}: {operator.name} ({operator.summary}) finds "
                "nothing to change in any reference query of this run. Choose other operators or questions."
            )


def _check_openai(spec: ModelSpec, environment: Mapping[str, str], keyless: str) -> None:
    base_url = environment.get("OPENAI_BASE_URL")
    if not environment.get("OPENAI_API_KEY"):
        remedy = (
            "Set it; any text will do for a server that asks for no key."
            if base_url
            else f"Set it, or choose a model that needs none: {keyless}."
        )
        raise InputError(
            f"--model {spec.argument}: this is not a built-in model, and to ask an OpenAI-compatible API "
            f"for it OPENAI_API_KEY is not set. {remedy}"
        )
    if not environment["OPENAI_API_KEY"].isascii() or not environment["OPENAI_API_KEY"].isprintable():
        raise InputError("OPENAI_API_KEY holds characters no key has. Was a line break copied along with it?")
    if base_url:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                "OPENAI_BASE_URL must be an http or https address, such as http://127.0.0.1:8000/v1."
            )
        if parts.query or parts.fragment:
            raise InputError(
                "OPENAI_BASE_URL must be an address alone: what follows `?` or `#` in it would not reach the "
                "API. Give a key by OPENAI_API_KEY."
            )


def file_of(spec: ModelSpec) -> Path | None:
    """Return the file of a model, its weights or predictions; None for a model without one."""
    if spec.kind in ("local", "gguf"):
        return gguf_path(spec)
    return Path(spec.argument) if spec.kind == "file" else None


def contents_of(specs: Iterable[ModelSpec]) -> dict[str, str]:
    """Return the SHA-256 of each file of these models, by its path; raise InputError if one is unreadable."""
    files = {str(file): spec for spec in specs if (file := file_of(spec)) is not None}
    return {path: _sha256(Path(path), spec) for path, spec in files.items()}


def _sha256(path: Path, spec: ModelSpec) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"--model {spec.kind}:{path}: the file cannot be read ({error.strerror}).") from None


class SharedModels:
    """The llama.cpp processes of a session, one for each GGUF file.

    Processes and SHA-256 (`weights`, empty where no response is stored) are by path of the file. All
    processes ask for the token `api_key`.
    """

    def __init__(
        self, processes: Mapping[str, LlamaProcess], api_key: str, weights: Mapping[str, str]
    ) -> None:
        self._weights = dict(weights)
        self._processes = dict(processes)
        self._api_key = api_key

    def to_json(self) -> dict[str, Any]:
        """Return what workers need to reach them, as plain values; with a token, so keep it out of files."""
        addresses = {path: process.address for path, process in self._processes.items()}
        return {"llama": addresses, "llama_key": self._api_key, "weights": self._weights}

    def stop(self) -> None:
        """End all processes; harmless when repeated."""
        while self._processes:
            self._processes.popitem()[1].stop()


def start_shared(
    specs: Sequence[ModelSpec], *, contents: Mapping[str, str] | None = None, offline: bool = False
) -> SharedModels:
    """Start what the models of a run need besides their workers: llama.cpp for `local` and `gguf`.

    Offline, nothing is started. Raises InputError if llama.cpp cannot load a file; nothing is left running
    then.

    Args:
        contents: SHA-256 of the models' files, by path (`contents_of`), to identify stored responses.
    """
    weights = contents or {}
    api_key = secrets.token_urlsafe(32)
    processes: dict[str, LlamaProcess] = {}
    try:
        for spec in () if offline else specs:
            if spec.kind in ("local", "gguf") and str(gguf_path(spec)) not in processes:
                _logger.info(
                    f"Starting llama.cpp with {spec.label}. On a CPU, a completion takes 10 s to minutes."
                )
                processes[str(gguf_path(spec))] = LlamaProcess(settings_for(spec, api_key))
    except BaseException:
        SharedModels(processes, api_key, weights).stop()
        raise
    return SharedModels(processes, api_key, weights)


class CachedModel:
    """Returns completions from a cache, else asks a model and stores them; failures are never stored.

    Where the cache fails in the course of a run, the model is asked, and a warning says once that its
    completions are not stored.
    """

    def __init__(self, identity: Identity, answers: ResponseCache, model: TextModel) -> None:
        self._identity = identity
        self._answers = answers
        self._model = model
        self._warned = False

    @property
    def label(self) -> str:
        """Name in ids and tables."""
        return self._model.label

    def answer(self, request: Request | Chat) -> Completion:
        """Return the completion of a request; raises as the model does."""
        key = request_key(self._identity, request.messages, request.repeat)
        if (kept := self._unless_broken(lambda: self._answers.get(key))) is not None:
            return _as_answer(kept)
        answer = self._model.answer(request)
        entry = _as_kept(key, self._identity, answer)
        if (first := self._unless_broken(lambda: self._answers.put(entry))) is None:
            return answer
        # Another process may have asked the same at the same time. What was kept first holds for all, so
        # that a repetition of the run finds what the run went on with.
        return replace(_as_answer(first), cached=False, cost=answer.cost)

    def close(self) -> None:
        """Close the model, but not the cache."""
        self._model.close()

    def _unless_broken(self, call: Callable[[], CacheEntry | None]) -> CacheEntry | None:
        """Return what a call of the cache returns; None, with one warning a process, where it fails."""
        try:
            return call()
        except ResponseCacheError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(f"completions are not cached in this run: {error}", stacklevel=2)
            return None


class OfflineModel:
    """Returns completions from a cache and nowhere else."""

    def __init__(self, label: str, identity: Identity, answers: ResponseCache) -> None:
        self.label = label
        self._identity = identity
        self._answers = answers

    def answer(self, request: Request | Chat) -> Completion:
        """Return the stored completion; raise ModelError if there is none or the cache cannot be read."""
        key = request_key(self._identity, request.messages, request.repeat)
        try:
            kept = self._answers.get(key)
        except ResponseCacheError as error:
            raise ModelError("not_cached", str(error)) from error
        if kept is None:
            again = f", asked {request.repeat + 1} times" if request.repeat else ""
            asking = request.case_id or (request.question.id if isinstance(request, Request) else "a request")
            raise ModelError(
                "not_cached",
                f"{asking}: the response cache {self._answers.path} has no completion of {self.label} for "
                f"this request{again}, and --offline asks no model. Run the case once without --offline, or "
                "import an export that has it with `retrocypher cache import`.",
            )
        return _as_answer(kept)

    def close(self) -> None:
        """Nothing is held."""


def _as_kept(key: str, identity: Identity, answer: Completion) -> CacheEntry:
    served = answer.details.get("model")
    return CacheEntry(
        key=key,
        model=identity.model,
        api=identity.api,
        parameters=identity.parameters,
        served=served if isinstance(served, str) else None,
        made=stamp(datetime.now(UTC)),
        text=answer.text,
        tokens=answer.tokens,
        time_s=answer.time_s,
        details=answer.details,
    )


def _as_answer(kept: CacheEntry) -> Completion:
    return Completion(
        kept.text, tokens=kept.tokens, time_s=kept.time_s, details=dict(kept.details), cached=True
    )


@dataclass(frozen=True, slots=True)
class ModelContext:
    """What all models that a process opens have in common.

    Attributes:
        slots: Folder that all processes of the run share, for locks and for which API was given up on.
        concurrency: Calls of API models in flight, over all processes; llama.cpp takes one at a time.
        seed: Sent to the models that take one.
        shared: What `SharedModels.to_json` gave in the controller.
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
        answers: The response cache; None to store nothing.
        offline: Whether models that read messages have only the responses in the cache.
    """

    slots: Path
    concurrency: int
    seed: int
    shared: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    answers: ResponseCache | None = None
    offline: bool = False

    def open(self, specs: Sequence[ModelSpec]) -> dict[str, Model]:
        """Open the models of a run, which `check_models` has let pass, by label."""
        return {
            spec.label: self.open_text(spec) if spec.kind in TEXT_KINDS else _baseline(spec, self.seed)
            for spec in specs
        }

    def open_text(
        self, spec: ModelSpec, *, logprobs: int = 0, form: Mapping[str, Any] | None = None
    ) -> TextModel:
        """Open a model that reads messages, of one of `TEXT_KINDS`.

        Args:
            logprobs: How many log-probabilities of each token to ask for, 0 to 20.
            form: JSON schema that completions of llama.cpp must match; not sent to an API. None for free
                text.
        """
        if self.answers is None:
            return self._open_uncached(spec, logprobs, form)
        identity = self.identity(spec, logprobs=logprobs, form=form)
        if self.offline:
            return OfflineModel(spec.label, identity, self.answers)
        return CachedModel(identity, self.answers, self._open_uncached(spec, logprobs, form))

    def identity(
        self, spec: ModelSpec, *, logprobs: int = 0, form: Mapping[str, Any] | None = None
    ) -> Identity:
        """Return the identity in the response cache of a model that reads messages; as `open_text`."""
        if spec.kind == "openai":
            parameters = api_parameters(self.seed) | asked_for(logprobs)
            return Identity(spec.argument, address_of(self.environment), parameters)
        # Greedy decoding takes no seed, and another llama.cpp may round in other ways.
        parameters = {
            "temperature": 0,
            "max_tokens": answer_tokens(spec),
            "context_tokens": CONTEXT_TOKENS,
            "engine": f"xllamacpp {version('xllamacpp')}",
            **asked_for(logprobs),
            **({} if form is None else {"form": form}),
        }
        return Identity(f"sha256:{self.shared['weights'][str(gguf_path(spec))]}", "", parameters)

    def _open_uncached(self, spec: ModelSpec, logprobs: int, form: Mapping[str, Any] | None) -> TextModel:
        if spec.kind != "openai":
            path = str(gguf_path(spec))
            name = "llama-" + hashlib.sha256(path.encode()).hexdigest()[:12]
            return LlamaModel(
                spec.label,
                self.shared["llama"][path],
                self.shared["llama_key"],
                turn=Slots(self.slots, name, 1),
                seed=self.seed,
                max_tokens=answer_tokens(spec),
                logprobs=logprobs,
                form=form,
            )
        # Its library takes a second to import, which runs without an API model should not pay.
        from retrocypher.prompts.models.openai import OpenAIModel

        return OpenAIModel(
            spec.label,
            spec.argument,
            environment=self.environment,
            slots=Slots(self.slots, "api", self.concurrency),
            # One of the same name elsewhere is another.
            given_up=CircuitBreaker(self.slots, f"{spec.argument} {address_of(self.environment)}"),
            seed=self.seed,
            price=load_prices().of(spec.argument),
            logprobs=logprobs,
        )


def _baseline(spec: ModelSpec, seed: int) -> Model:
    match spec.kind:
        case "exemplar":
            return ExemplarModel(spec.label)
        case "mutant":
            return MutantModel(spec.label, operators_named(spec.argument), seed)
        case "file":
            return FileModel(spec.label, read_predictions(Path(spec.argument)))
        case _:
            return OracleModel(spec.label)
