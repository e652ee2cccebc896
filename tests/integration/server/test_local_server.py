from kg.server import Endpoint, connect


def test_the_default_graph_is_in_the_server(endpoint: Endpoint) -> None:
    with connect(endpoint) as driver:
        records = driver.execute_query("MATCH (r:Reaction) RETURN count(r) AS n").records
    assert records[0]["n"] == 11869
