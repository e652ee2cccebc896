"""A program that owns a container, for tests that end it: prints what it started and waits."""

import sys
import time

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.open import start_server

try:
    running = start_server(
        "docker",
        graph_fingerprint=fingerprint_of(read_graph()),
        # The store is there already.
        load_graph=lambda _driver: sys.exit("the graph was loaded again"),
        announce=lambda line: print(line, file=sys.stderr),
    )
except ServerError as error:
    sys.exit(str(error))
print(running.endpoint.control, flush=True)
time.sleep(300)
