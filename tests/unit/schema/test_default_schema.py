from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.semantics.schema import default_schema, parse_schema


def test_the_shipped_schema_is_that_of_the_default_graph() -> None:
    assert default_schema() == parse_schema(DEFAULT_SCHEMA_TEXT)
