"""The example of guarded execution in docs/server.md."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "server.md"


@pytest.mark.usefixtures("endpoint")  # Makes the store that the example's server starts from.
def test_the_example_runs_as_shown(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert '"auto"' in example
    file = tmp_path / "example.py"
    # Docker is tested apart.
    file.write_text(example.replace('"auto"', '"local"'))
    ran = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, timeout=240, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"^ok \[\['.+'\], \['.+'\], \['.+'\]\]$", ran.stdout, re.MULTILINE)
