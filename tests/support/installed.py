"""The installed wheel, and the commands of its environment."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
PACKAGES = ("kg", "prompts", "plugins", "fixtures", "benchmarks")
_TIMEOUT_S = 900


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment that the wheel is installed in, used from a folder that has nothing to do with it."""

    environment: Path
    folder: Path
    cache: Path

    @property
    def site_packages(self) -> Path:
        """Where the package is."""
        return next(self.environment.glob("lib/python*/site-packages"))

    def run(self, *command: str, status: int = 0, folder: Path | None = None) -> str:
        """Run a command of the environment, require its exit status, and return what it prints."""
        ours = ("PYTHONPATH", "OPENAI_API_KEY", "GITHUB_STEP_SUMMARY")
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ours and not name.startswith("PYTEST_")
        }
        done = subprocess.run(
            [str(self.environment / "bin" / command[0]), *command[1:]],
            cwd=folder or self.folder,
            env={**kept, "RETROCYPHER_CACHE": str(self.cache)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        assert done.returncode == status, done.stdout
        assert "Traceback" not in done.stdout, done.stdout
        return done.stdout


def pip(*arguments: str) -> None:
    """Run pip, and show what it says if it fails."""
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr
