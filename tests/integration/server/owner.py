"""A program that owns a server, for tests that end it: prints what it started and waits."""

import json
import sys
import time

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.server.control import status
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import start_server

reactions = read_graph()
running = start_server(
    "local",
    graph_fingerprint=fingerprint_of(reactions),
    load_graph=lambda driver: load(driver, reactions),
    announce=lambda line: print(line, file=sys.stderr),
)
with connect(running.endpoint) as driver:
    driver.execute_query("RETURN 1")
print(
    json.dumps(
        {
            "uri": running.endpoint.uri,
            "control": running.endpoint.control,
            "server": status(running.endpoint).pid,
        }
    ),
    flush=True,
)
if sys.argv[1] == "wait":
    time.sleep(300)
