"""What a session loads before it needs it is paid by every process of every run."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.compared import run_of

AT_START = "import retrocypher.plugins.pytest_plugin"
HEAVY = (
    *("scipy", "nltk", "neo4j", "pyarrow", "pandas"),
    *("matplotlib", "jinja2", "openai", "snakemake", "deepeval", "sacrebleu", "torch"),
)


def loaded(code: str, names: tuple[str, ...]) -> set[str]:
    command = f"{code}\nimport sys\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("code", [AT_START, "import retrocypher.plugins.cli.main"])
def test_a_start_is_light(code: str) -> None:
    assert loaded(code, HEAVY) == set()


MODULES = """
import sys
from retrocypher.plugins.cli.main import cli
cli(sys.argv[1:], standalone_mode=False)
print(sum(name.partition(".")[0] == "retrocypher" for name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [("gate", "RUN", "f1>=0.6"), ("show", "RUN", "precursors-000")])
def test_short_commands_load_few_modules(arguments: tuple[str, ...], tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [1.0] * 6)
    given = [str(run) if each == "RUN" else each for each in arguments]
    done = subprocess.run([sys.executable, "-c", MODULES, *given], capture_output=True, text=True, check=True)
    assert done.stdout
    assert int(done.stderr.split()[-1]) <= 80


def test_text_scores_do_without_scipys_distributions() -> None:
    scoring = "from retrocypher.plugins.scoring.text import text_scores\ntext_scores('RETURN 1', 'RETURN 2')"
    assert loaded(scoring, ("nltk", "scipy.stats")) == {"nltk"}
    # Who wants them afterwards, or had them before, has them.
    assert loaded(f"{scoring}\nimport scipy.stats\nscipy.stats.norm", ("scipy.stats",)) == {"scipy.stats"}
    assert loaded(f"import scipy.stats\n{scoring}\nscipy.stats.norm", ("scipy.stats",)) == {"scipy.stats"}
