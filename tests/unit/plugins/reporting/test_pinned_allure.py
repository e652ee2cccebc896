import json
from pathlib import Path

import retrocypher.plugins.reporting.allure.page

FOLDER = Path(retrocypher.plugins.reporting.allure.page.__file__).parent


def test_the_lock_pins_what_is_asked_for_and_names_no_registry() -> None:
    asked = json.loads((FOLDER / "package.json").read_text())
    lock = json.loads((FOLDER / "package-lock.json").read_text())
    assert lock["packages"][""]["dependencies"] == asked["dependencies"]
    assert lock["packages"]["node_modules/allure"]["version"] == asked["dependencies"]["allure"]
    assert "://" not in (FOLDER / "package-lock.json").read_text()
    assert all("integrity" in each for name, each in lock["packages"].items() if name)
