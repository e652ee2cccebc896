"""Containers whose supervisor was killed: found by their labels, and removed at the next start."""

import socket
from pathlib import Path

import docker  # type: ignore[import-untyped]
from docker.errors import DockerException  # type: ignore[import-untyped]

from kg.server._private import abandoned

DIRECTORY_LABEL = "retrocypher.directory"
PLACE_LABEL = "retrocypher.place"


def labels(directory: str) -> dict[str, str]:
    """Return what a container is labelled with: its supervisor's folder, and where that folder is seen."""
    return {DIRECTORY_LABEL: directory, PLACE_LABEL: _place()}


def remove_stray_containers(client: docker.DockerClient) -> None:
    """Remove the containers of this place whose supervisor holds its folder no more."""
    try:
        for container in client.containers.list(all=True, filters={"label": f"{PLACE_LABEL}={_place()}"}):
            directory = Path(container.labels[DIRECTORY_LABEL])
            if not directory.exists() or abandoned(directory):
                container.remove(force=True, v=True)
    except DockerException:
        # Another session may be removing the same container; a stray one does no harm to this session.
        return


def _place() -> str:
    """Name this view of the file system: one daemon may serve several machines' worth of them."""
    namespace = Path("/proc/self/ns/mnt")
    return f"{socket.gethostname()}/{namespace.readlink() if namespace.is_symlink() else ''}"
