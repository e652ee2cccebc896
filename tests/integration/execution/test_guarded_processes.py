"""Several processes and sessions at one server: hostile queries among them change no rows."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from retrocypher.kg.server.control import status
from retrocypher.kg.server.endpoint import Endpoint

HOSTILE = {
    "loop": "RETURN reduce(a = 0, x IN range(0, 9000000000) | a + x) AS r",
    "memory": "UNWIND range(0, 1000000000) AS x RETURN collect(x) AS c",
    "walks": "MATCH p = (m:Molecule)-[*]-(n) RETURN count(p) AS c",
    "rows": "MATCH (a), (b), (c), (d) RETURN 1 AS x",
    "wide": "UNWIND range(1, 1000) AS x RETURN '" + "x" * 100_000 + "' AS r",
    "file": "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "address": "MATCH (n) \\u004cOAD CSV FROM 'http://127.0.0.1:1/' AS l RETURN l",
    "settings": "CALL dbms.listConfig() YIELD name RETURN name",
    "others": "SHOW TRANSACTIONS YIELD transactionId AS t TERMINATE TRANSACTIONS t YIELD message "
    "RETURN message",
    "write": "MATCH (n) DETACH DELETE n",
    "index": "CREATE INDEX guarded FOR (n:Molecule) ON (n.other)",
    "two": "MATCH (n) RETURN n LIMIT 1; MATCH (n) DELETE n",
    "nul": "RETURN 1 AS a \x00",
    "long": "RETURN '" + "x" * 300_000 + "' AS x",
    "text": "RETURN size('" + "x" * 150_000 + "') AS n",
    "absent": None,
}
PLAIN = {
    f"plain {number}": f"MATCH (r:Reaction {{id: {number}}})-[p:PRODUCES]->(m:Molecule) "
    "RETURN r, p.yield AS yield, m.name AS name ORDER BY name"
    for number in range(1, 40)
}
PROGRAM = """
import json, sys
from pathlib import Path
from msgspec import convert
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.server.endpoint import Endpoint

task = json.load(sys.stdin)
limits = Limits(timeout_s=3.0, release_s=0.5)
parts = ("status", "code", "columns", "rows", "truncated")
found = {}
with GuardedExecutor(convert(task["endpoint"], Endpoint), limits, Path(task["turns"])) as executor:
    for name, cypher in task["queries"].items():
        execution = executor.run(cypher)
        found[name] = [getattr(execution, part) for part in parts]
print(json.dumps(found))
"""


def started(endpoint: Endpoint, turns: Path, queries: dict[str, str | None]) -> subprocess.Popen[str]:
    """Start a process that runs queries one after another."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    json.dump({"endpoint": asdict(endpoint), "turns": str(turns), "queries": queries}, process.stdin)
    process.stdin.close()
    return process


def ended(process: subprocess.Popen[str]) -> dict[str, list[object]]:
    """Return what came of a process's queries."""
    assert process.stdout
    found: dict[str, list[object]] = json.loads(process.stdout.read())
    assert process.wait() == 0
    return found


@pytest.mark.scale
def test_sessions_of_one_and_of_four_processes_share_a_server(endpoint: Endpoint, tmp_path: Path) -> None:
    expected = ended(started(endpoint, tmp_path / "plain", PLAIN))
    assert all(found[0] == "ok" and found[3] for found in expected.values())
    before = status(endpoint).generation

    mix = {**dict(list(PLAIN.items())[:10]), **HOSTILE, **PLAIN}
    dealt = [{name: mix[name] for name in list(mix)[first::4]} for first in range(4)]
    four = [started(endpoint, tmp_path / "four", queries) for queries in dealt]
    beside = ended(started(endpoint, tmp_path / "beside", {"loop": HOSTILE["loop"], **PLAIN}))
    together = {name: found for process in four for name, found in ended(process).items()}

    # Each session may have it replaced after either of two runs of a query, which few need.
    assert status(endpoint).generation - before <= 8
    assert beside.pop("loop")[0] == "timeout"
    assert beside == expected
    assert {name: found for name, found in together.items() if name in PLAIN} == expected
    assert {name: found[0] for name, found in together.items() if name in HOSTILE} == {
        "loop": "timeout",
        "memory": "runtime_error",
        "walks": "runtime_error",
        "rows": "ok",
        "wide": "ok",
        "file": "refused",
        "address": "refused",
        "settings": "refused",
        "others": "refused",
        "write": "refused",
        "index": "refused",
        "two": "syntax_error",
        "nul": "syntax_error",
        "long": "refused",
        "text": "ok",
        "absent": "no_query",
    }
    assert together["rows"][4] is True
    assert together["wide"][4] is True
