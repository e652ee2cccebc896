"""The settings of a server of ours, and the memory it may use."""

from pathlib import Path

NEO4J_VERSION = "5.26.30"
"""The release run as a local process; the first two parts are required of a container too."""

DATA = Path(__file__).parents[1] / "data" / "server"

MIB = 1024 * 1024

TRANSACTION_MEMORY_BYTES = 32 * MIB
"""Most memory that one query may hold; a query over it fails and the server goes on."""

CONCURRENT_TRANSACTIONS = 8
"""How many queries may hold that much at once: one for each worker of ``-n 8``."""

TOTAL_TRANSACTION_MEMORY_BYTES = TRANSACTION_MEMORY_BYTES * CONCURRENT_TRANSACTIONS
"""Most memory that all queries together may hold."""

HEAP_MIB = 512
PAGE_CACHE_MIB = 128


def settings() -> dict[str, str]:
    """Return the settings of every server of ours: those of ``neo4j.conf`` and the memory limits."""
    lines = (DATA / "neo4j.conf").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    named = {key.strip(): value.strip() for key, _, value in pairs}
    return {
        **named,
        "server.memory.heap.initial_size": f"{HEAP_MIB // 4}m",
        "server.memory.heap.max_size": f"{HEAP_MIB}m",
        "server.memory.pagecache.size": f"{PAGE_CACHE_MIB}m",
        "db.memory.transaction.max": f"{TRANSACTION_MEMORY_BYTES // MIB}m",
        "db.memory.transaction.total.max": f"{TOTAL_TRANSACTION_MEMORY_BYTES // MIB}m",
        "dbms.memory.transaction.total.max": f"{TOTAL_TRANSACTION_MEMORY_BYTES // MIB}m",
    }


def local_settings(port: int) -> dict[str, str]:
    """Return the settings of a local process that listens on a loopback port."""
    address = f"127.0.0.1:{port}"
    return {
        **settings(),
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.listen_address": address,
        "server.bolt.advertised_address": address,
    }


def as_environment(values: dict[str, str]) -> dict[str, str]:
    """Return settings as the official image reads them from the environment.

    See "Docker-specific configuration settings" in the Neo4j operations manual.
    """
    return {"NEO4J_" + key.replace("_", "__").replace(".", "_"): value for key, value in values.items()}
