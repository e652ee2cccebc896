"""What the options and arguments of a session name: prompts, shots, tasks and cases."""

import difflib
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS, Setting, setting_of
from retrocypher.plugins.session.options import Options
from retrocypher.prompts.templates.exemplars import SHOTS, canonical_shot
from retrocypher.prompts.templates.template import Prompt, load_prompts


def prompts_named(options: Options) -> dict[str, Prompt]:
    """Return the prompts of a run by name; raises InputError where one does not exist, or none is named."""
    known = load_prompts(Path(options.prompt_dir) if options.prompt_dir else None)
    unknown = [name for name in options.prompt if name not in (*known, "all")]
    if unknown:
        raise InputError(f"--prompt {unknown[0]}: no such prompt; {_choose(unknown[0], known)}, or all")
    if not options.prompt:
        raise InputError(f"--prompt names no prompt; choose from {', '.join(known)}, or all")
    if "all" in options.prompt:
        return known
    return {name: known[name] for name in options.prompt}


def shots_named(options: Options) -> tuple[str, ...]:
    """Return the shots of a run by their canonical names; raises InputError as `prompts_named` does."""
    if not options.shot:
        raise InputError(f"--shot names no shot; choose from {', '.join(SHOTS)}, or all")
    named = dict.fromkeys(canonical_shot(name) for name in options.shot if name != "all")
    return SHOTS if "all" in options.shot else tuple(named)


def tasks_named(options: Options) -> tuple[str, ...]:
    """Return the tasks of a run; raises InputError where one does not exist."""
    unknown = [name for name in options.task if name not in TASKS]
    if unknown:
        raise InputError(f"--task {unknown[0]}: no such task; {_choose(unknown[0], TASKS)}")
    return options.task or TASKS


def _choose(name: str, known: Collection[str]) -> str:
    """Say what there is to choose from, the name that was meant first where one is near."""
    written = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower().replace("-", "_"), written, n=1, cutoff=0.82)
    choice = f"choose from {', '.join(known)}"
    return f"did you mean {written[near[0]]}? Else {choice}" if near else choice


def require_overlap(prompts: Mapping[str, Prompt], tasks: tuple[str, ...], settings: set[Setting]) -> None:
    """Refuse prompts and tasks that have no setting in common; raises InputError."""
    if not any(setting_of(task) in settings for task in tasks):
        raise InputError(
            f"--prompt {','.join(prompts)} and --task {','.join(tasks)} have no case in common: "
            "P1 to P5 go with single-step tasks, P6 to P10 with multi-step tasks"
        )


_CASES = (Path(__file__).parents[2] / "benchmarks").resolve()
_SPEED = _CASES / "speed"
_FILES: dict[Path, Setting] = {
    _CASES / "test_single_step.py": "single_step",
    _CASES / "test_multi_step.py": "multi_step",
}
_NO_RUN = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test")


def named_settings(config: pytest.Config) -> set[Setting]:
    """Return the settings whose cases the arguments of a session reach; none where no case is to be run.

    The speed benchmarks, and the project's own tests, are not cases.
    """
    if any(getattr(config.option, name, None) for name in _NO_RUN):
        return set()
    named = [path for path, _ in named_paths(config)]
    return {setting for file, setting in _FILES.items() if any(file.is_relative_to(path) for path in named)}


def is_unasked_speed(config: pytest.Config, path: Path) -> bool:
    """Tell whether a path belongs to the speed benchmarks, which are collected only when named."""
    named = [each for each, _ in named_paths(config)]
    return path.resolve().is_relative_to(_SPEED) and not any(each.is_relative_to(_SPEED) for each in named)


def is_case(nodeid: str) -> bool:
    """Tell whether a node id is that of a benchmark case, whatever folder it is told from."""
    return any(f"{file.name}::{file.stem}[" in nodeid for file in _FILES)


def named_paths(config: pytest.Config) -> list[tuple[Path, str]]:
    """Return the file or folder of each argument of a session, and the rest of the argument from ``::`` on.

    Modules that ``--pyargs`` names are found as pytest finds them.
    """
    start, found = config.invocation_params.dir, []
    for argument in config.args:
        name, mark, rest = argument.partition("::")
        module = _module_path(name) if config.option.pyargs else None
        found.append(((module or start / name).resolve(), mark + rest))
    return found


def _module_path(name: str) -> Path | None:
    try:
        spec = find_spec(name)
    except (AttributeError, ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
