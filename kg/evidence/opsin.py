"""OPSIN, which turns systematic names of molecules into structures.

D. M. Lowe et al., Chemical name to structure: OPSIN, an open source solution, J. Chem. Inf. Model. 2011, 51.
"""

import os
import subprocess
from collections.abc import Collection
from pathlib import Path

from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.parent import end_with
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.process import find_java
from retrocypher.kg.server.release import class_path

OPSIN_VERSION = "2.8.0"

_LOCK = Path(__file__).with_name("opsin.lock")
_TIMEOUT_S = 900.0
"""Names of the default graph's texts take half a minute on one core."""

_OPTIONS = (
    "-Xmx512m",
    "-Dfile.encoding=UTF-8",
    # Without a name that is not understood, there would be a line on stderr for each.
    "-Dorg.apache.logging.log4j.simplelog.level=OFF",
)


def structures(names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the molecules that names stand for, as the graph writes them, by name; a salt has several.

    Names that OPSIN does not understand are left out. A name is one line of at most a few hundred characters.

    Raises:
        ServerError: OPSIN cannot be fetched, there is no Java, or it does not answer.
    """
    jars = class_path(_LOCK, f"OPSIN {OPSIN_VERSION}")
    command = [str(find_java().path), *_OPTIONS, "-cp", ":".join(map(str, jars))]
    parent = os.getpid()
    try:
        done = subprocess.run(
            [*command, "uk.ac.cam.ch.wwmm.opsin.Cli", "-osmi"],
            input="".join(f"{name}\n" for name in names).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=True,
            preexec_fn=lambda: end_with(parent),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ServerError(f"OPSIN did not answer ({error}). Try again with more memory or time.") from error
    lines = done.stdout.decode().split("\n")[:-1]
    if len(lines) != len(names):
        raise ServerError(f"OPSIN gave {len(lines)} answers to {len(names)} names. Report this as an error.")
    found = {}
    for name, smiles in zip(names, lines, strict=True):
        parts = [canonical_name(part) for part in smiles.split(".")] if smiles else []
        if parts and None not in parts:
            found[name] = tuple(dict.fromkeys(part for part in parts if part))
    return found
