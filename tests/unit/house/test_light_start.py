"""What a session loads before it needs it is paid by every process of every run."""

import subprocess
import sys

import pytest

AT_START = "import retrocypher.plugins.pytest_plugin"
HEAVY = (
    "scipy",
    "nltk",
    "neo4j",
    "pyarrow",
    "pandas",
    "matplotlib",
    "jinja2",
    "openai",
    "snakemake",
    "deepeval",
)


def loaded(code: str, names: tuple[str, ...]) -> set[str]:
    command = f"{code}\nimport sys\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("code", [AT_START, "import retrocypher.plugins.cli.main"])
def test_a_start_is_light(code: str) -> None:
    assert loaded(code, HEAVY) == set()


def test_text_scores_do_without_scipys_distributions() -> None:
    scoring = "from retrocypher.plugins.scoring.text import text_scores\ntext_scores('RETURN 1', 'RETURN 2')"
    assert loaded(scoring, ("nltk", "scipy.stats")) == {"nltk"}
    # Who wants them afterwards, or had them before, has them.
    assert loaded(f"{scoring}\nimport scipy.stats\nscipy.stats.norm", ("scipy.stats",)) == {"scipy.stats"}
    assert loaded(f"import scipy.stats\n{scoring}\nscipy.stats.norm", ("scipy.stats",)) == {"scipy.stats"}
