"""A look whether ssh reaches the machines of workers, before anything is started."""

import subprocess
from collections.abc import Iterable
from typing import Any

from kg.errors import InputError
from plugins.remote._specs import host_of

_PATIENCE_S = 60


def require_log_on(specs: Iterable[Any]) -> None:
    """Refuse machines that ssh does not reach, or that have no such Python; each is asked once.

    Without this execnet's traceback is all that a user sees of a wrong name or key.

    Args:
        specs: Workers as execnet knows them; those that are not reached by ssh are passed over.

    Raises:
        InputError: With the machine and what ssh says.
    """
    for command, spec in {_command(spec): spec for spec in specs if spec.ssh}.items():
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                timeout=_PATIENCE_S,
                check=False,
            )
        except FileNotFoundError:
            raise InputError("--tx: there is no ssh on this machine. Install an OpenSSH client") from None
        except subprocess.TimeoutExpired:
            raise _unreached(spec, f"ssh has no answer after {_PATIENCE_S} s") from None
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"ssh ended with status {done.returncode}"]
            raise _unreached(spec, said[-1].strip())


def _command(spec: Any) -> tuple[str, ...]:
    """What execnet itself calls, with nothing to do over there."""
    settings = ("-F", str(spec.ssh_config)) if spec.ssh_config is not None else ()
    return ("ssh", "-C", *settings, *spec.ssh.split(), f'{spec.python or "python"} -c ""')


def _unreached(spec: Any, said: str) -> InputError:
    return InputError(
        f"--tx: no worker can begin on {host_of(spec)}: {said}. See that ssh logs on there without a "
        f"question, and that {spec.python or 'python'} is a Python there (python=PATH names another)"
    )
