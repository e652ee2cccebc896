import json
import os
from pathlib import Path

from plugins.allure import drop_unrecorded


def result(folder: Path, name: str, parameters: dict[str, str], age: float = 0.0) -> None:
    file = folder / f"{name}-result.json"
    file.write_text(json.dumps({"parameters": [{"name": k, "value": v} for k, v in parameters.items()]}))
    os.utime(file, (1_000_000 - age, 1_000_000 - age))


def test_only_unrecorded_cases_of_this_run_are_dropped(tmp_path: Path) -> None:
    result(tmp_path, "kept", {"case": "a"})
    result(tmp_path, "unanswered", {"case": "b", "prompt": "P1"})
    result(tmp_path, "earlier", {"case": "b"}, age=100)
    result(tmp_path, "other test", {"x": "b"})
    (tmp_path / "broken-result.json").write_text("{")
    drop_unrecorded(tmp_path, {"a"}, since=999_950)
    assert sorted(path.name.removesuffix("-result.json") for path in tmp_path.iterdir()) == [
        "broken",
        "earlier",
        "kept",
        "other test",
    ]
