"""What a session with workers on other machines cannot have."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from kg.errors import InputError
from kg.server import is_uri
from prompts.models import ModelSpec

_HERE = ("local", "gguf")


def require_reachable(
    host: str,
    *,
    graph: str,
    offline: bool,
    specs: Iterable[ModelSpec],
    arguments: Sequence[str],
    root: Path,
) -> None:
    """Refuse what a worker on another machine cannot reach, before anything is started.

    Args:
        host: One such machine.
        graph: What ``--graph`` says.
        offline: Whether nothing but this machine is to be reached.
        specs: The models of the run, those that play roles among them.
        arguments: The command line.
        root: The project's folder, which is copied there.

    Raises:
        InputError: With what cannot be reached and what to give instead.
    """
    where = f"the worker on {host} (--tx)"
    if not is_uri(graph):
        raise InputError(
            f"--graph {graph}: {where} cannot reach a server of this machine. Give the address of one that "
            "all machines reach: --graph neo4j://HOST:7687"
        )
    if offline:
        raise InputError(f"--offline: {where} is another machine. Leave out one of the two")
    for spec in specs:
        if spec.kind in _HERE:
            raise InputError(
                f"--model {spec.label}: its llama.cpp runs on this machine only, where {where} cannot reach "
                "it. Run it with -n, or serve it behind an OpenAI-compatible API"
            )
    for argument in arguments:
        path = Path(argument.partition("::")[0])
        if _exists(path) and not path.is_relative_to(root):
            raise InputError(
                f"{argument}: for {where} name cases by their whole path, such as {root / 'benchmarks'}, and "
                "write options as one word: --name=value"
            )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
