"""What loading the plugin costs each process: not the libraries that one process, or one moment, needs."""

import subprocess
import sys

LATE = {"neo4j", "pyarrow", "nltk", "sacrebleu", "torch", "deepeval"}


def test_the_plugin_loads_without_the_libraries_that_few_processes_use() -> None:
    code = "import sys, retrocypher.plugins.pytest_plugin; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "retrocypher.plugins.pytest_plugin" in loaded
    assert not LATE & loaded
