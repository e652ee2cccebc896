"""The project: packages hide nothing, links lead somewhere, starts are light, and plugins are known."""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.calibrated import JUDGE_ENTRY
from support.compared import run_of
from support.judged import judged_run

from retrocypher.plugins.runs.log import RunLog

CHECKOUT = Path(__file__).parents[3]
PACKAGES = ("kg", "prompts", "plugins", "fixtures")
INITS = sorted(path for package in PACKAGES for path in (CHECKOUT / package).rglob("__init__.py"))


@pytest.mark.parametrize("path", INITS, ids=lambda path: str(path.parent.relative_to(CHECKOUT)))
def test_a_package_shows_its_names_and_nothing_else(path: Path) -> None:
    for statement in ast.parse(path.read_text()).body:
        assert isinstance(statement, ast.Expr | ast.ImportFrom | ast.Assign)
        if isinstance(statement, ast.Assign):
            assert [ast.unparse(target) for target in statement.targets] == ["__all__"]


# Parts of generated pages are linked as the pages that they become a part of.
PARTS = set(CHECKOUT.glob("docs/_parts/*"))
PAGES = sorted({*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")} - PARTS)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in LINK.findall(text)]
    relative = [target for target in targets if target and "://" not in target]
    missing = [target for target in relative if not (page.parent / target).exists()]
    assert not missing


USED = {"allure_pytest", "benchmark", "hypothesispytest", "platformdirs", "xdist", "xdist.looponfail"}


def test_a_plugin_that_a_library_brings_is_used_or_switched_off_and_not_both() -> None:
    with (CHECKOUT / "pyproject.toml").open("rb") as file:
        options = tomllib.load(file)["tool"]["pytest"]["ini_options"]["addopts"].split()
    switched_off = {value.removeprefix("no:") for flag, value in pairwise(options) if flag == "-p"}
    installed = {each.name for each in entry_points(group="pytest11")}
    assert installed - USED - switched_off == set()
    assert switched_off & USED == set()


def drawn() -> list[int]:
    numbers = []

    @given(st.integers())
    def draw(number: int) -> None:
        numbers.append(number)

    draw()
    return numbers


@pytest.mark.skipif(not settings.default.derandomize, reason="examples are drawn at random")
def test_examples_do_not_depend_on_what_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn()
    source = tmp_path / "loaded_between.py"
    source.write_text("".join(f"N{number} = {number}\n" for number in range(1_000, 1_400)))
    spec = importlib.util.spec_from_file_location(source.stem, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, source.stem, module)
    assert drawn() == before


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


def modules(*arguments: str) -> int:
    """Run a command and return how many modules of ours it loads."""
    command = [sys.executable, "-c", MODULES, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout
    return int(done.stderr.split()[-1])


def test_short_commands_load_few_modules(tmp_path: Path) -> None:
    run = str(run_of(tmp_path / "run", [1.0] * 6))
    assert modules("gate", run, "f1>=0.6") <= 80
    assert modules("show", run, "precursors-000") <= 80
    judged = judged_run(tmp_path / "judged", JUDGE_ENTRY)
    case = next(each.case_id for each in RunLog(judged).records() if each.passed)
    assert modules("show", str(judged), case) <= 80


def test_text_scores_load_little_of_nltk() -> None:
    scoring = "from retrocypher.plugins.scoring.text import text_scores\ntext_scores('RETURN 1', 'RETURN 2')"
    assert loaded(scoring, ("nltk", "nltk.corpus", "scipy")) == set()
    # Who wants all of it afterwards, or had it before, has it.
    whole = "from nltk.corpus import wordnet\nassert wordnet"
    assert loaded(f"{scoring}\n{whole}", ("nltk", "nltk.corpus")) == {"nltk", "nltk.corpus"}
    assert loaded(f"{whole}\n{scoring}", ("nltk", "nltk.corpus")) == {"nltk", "nltk.corpus"}


def test_ctrl_c_before_pytest_is_ready_is_one_line() -> None:
    code = "import retrocypher.pytest_plugin; raise KeyboardInterrupt"
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ended.returncode != 0
    assert ended.stderr == "interrupted\n"
