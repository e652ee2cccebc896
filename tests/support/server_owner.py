"""A program that owns a server, for tests that end it: prints what it started and, told to, waits.

Its arguments are the kind of server and ``wait`` or ``end``. A container finds the store that is there.
"""

import json
import sys
import time

import neo4j

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.server.control import status
from retrocypher.kg.server.endpoint import ServerError, connect
from retrocypher.kg.server.open import start_server

kind, then = sys.argv[1:]
reactions = read_graph()


def load_graph(driver: neo4j.Driver) -> None:
    if kind == "docker":
        sys.exit("the graph was loaded again")
    load(driver, reactions)


try:
    running = start_server(
        kind,
        graph_fingerprint=fingerprint_of(reactions),
        load_graph=load_graph,
    )
except ServerError as error:
    sys.exit(str(error))
with connect(running.endpoint) as driver:
    driver.execute_query("RETURN 1")
server = {"control": running.endpoint.control, "uri": running.endpoint.uri}
print(json.dumps({**server, "server": status(running.endpoint).pid}), flush=True)
if then == "wait":
    time.sleep(300)
