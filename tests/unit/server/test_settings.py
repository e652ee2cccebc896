from retrocypher.kg.server.settings import (
    CONCURRENT_TRANSACTIONS,
    MIB,
    TRANSACTION_MEMORY_BYTES,
    as_environment,
    local_settings,
    settings,
)


def test_the_transactions_of_all_workers_fit_into_the_total_and_the_heap() -> None:
    values = settings()
    total = int(values["dbms.memory.transaction.total.max"].removesuffix("m"))
    assert total * MIB == TRANSACTION_MEMORY_BYTES * CONCURRENT_TRANSACTIONS
    assert total <= int(values["server.memory.heap.max_size"].removesuffix("m")) / 2


def test_a_local_server_listens_on_the_loopback_address_alone() -> None:
    values = local_settings(20001)
    addresses = {value for key, value in values.items() if key.endswith("_address")}
    assert addresses == {"127.0.0.1", "127.0.0.1:20001"}


def test_settings_become_variables_as_the_official_image_reads_them() -> None:
    assert as_environment({"dbms.security.allow_csv_import_from_file_urls": "false"}) == {
        "NEO4J_dbms_security_allow__csv__import__from__file__urls": "false"
    }
