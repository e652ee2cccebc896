"""Schema texts and schemas that several tests read."""

from retrocypher.kg.semantics.schema import Schema, parse_schema

DEFAULT_SCHEMA_TEXT = """\
Nodes and their properties:
(:Molecule {name: STRING})
(:Reaction {id: INTEGER})
Relationships and their properties:
[:PRODUCES {yield: FLOAT}]
[:REACTS_IN]
[:USES_AGENT]
[:USES_SOLVENT]
Directions:
(:Molecule)-[:REACTS_IN]->(:Reaction)
(:Reaction)-[:PRODUCES]->(:Molecule)
(:Reaction)-[:USES_AGENT]->(:Molecule)
(:Reaction)-[:USES_SOLVENT]->(:Molecule)"""
"""The schema text of the default graph; an integration test holds that the server tells the same."""


def default_schema() -> Schema:
    """The schema of the default graph."""
    return parse_schema(DEFAULT_SCHEMA_TEXT)
