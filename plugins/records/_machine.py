"""The machine a run was made on."""

import platform
from pathlib import Path
from typing import Any

import psutil

_CPUS = Path("/proc/cpuinfo")


def machine(java: str | None = None) -> dict[str, Any]:
    """Return what a reader of times should know of this machine.

    Args:
        java: Version of the Java that runs the graph's server here; None where it does not run here.

    Returns:
        ``system`` and ``os`` in the words of the system, ``architecture``, model of the ``cpu``, ``cores``
        (logical) and ``physical_cores``, ``memory_gib`` and ``java``; null where one is not told.
    """
    return {
        "system": platform.platform(terse=True),
        "os": _os(),
        "architecture": platform.machine(),
        "cpu": _cpu(),
        "cores": psutil.cpu_count(),
        "physical_cores": psutil.cpu_count(logical=False),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "java": java,
    }


def _os() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return f"{platform.system()} {platform.release()}".strip() or None


def _cpu() -> str | None:
    try:
        lines = _CPUS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or None
