"""CypherBench's error categories, on the examples of its table 13."""

import pytest

from retrocypher.kg.semantics.schema import parse_schema
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.error_category import CATEGORIES, error_category

SCHEMA = parse_schema(
    """Nodes and their properties:
(:Company {launch_year: INTEGER, name: STRING})
(:Country {name: STRING})
(:Lake {area_km2: FLOAT, name: STRING})
(:Mountain {name: STRING})
(:MountainRange {name: STRING})
(:Movie {name: STRING, runtime: FLOAT})
Relationships and their properties:
[:locatedIn]
[:originatesFrom]
[:partOf]
[:releasedIn]
[:subsidiaryOf]
Directions:
(:Company)-[:subsidiaryOf]->(:Company)
(:Lake)-[:locatedIn]->(:Country)
(:Mountain)-[:partOf]->(:MountainRange)
(:Movie)-[:originatesFrom]->(:Country)
(:Movie)-[:releasedIn]->(:Country)"""
)
MOVIES = "MATCH (n:Movie)-[r0:originatesFrom]->(m0:Country {name: 'Peru'}) WITH DISTINCT n RETURN n.name"
ANDES = "MATCH (n:Mountain)-[r0:partOf]->(m0:MountainRange {name: 'Andes'}) WITH DISTINCT n RETURN n.name"
LAKES = "MATCH (n:Lake)-[r0:locatedIn]->(m0:Country) WITH n, count(DISTINCT m0) AS num RETURN n.name, num"
SMALL = "MATCH (n:Lake) WITH DISTINCT n WHERE n.area_km2 < 390000 RETURN n.name"


@pytest.mark.parametrize(
    ("predicted", "reference", "status", "labels", "psjs", "category"),
    [
        ("MATCH (n:Movie RETURN n", MOVIES, "syntax_error", ["syntax_error"], 0.0, "Syntax Error"),
        (MOVIES, MOVIES, "timeout", ["timeout"], 0.0, "Syntax Error"),
        (None, MOVIES, "no_query", ["no_query"], 0.0, "Syntax Error"),
        (MOVIES, MOVIES, "ok", ["schema_violation:edge", "wrong_entity"], 0.0, "Schema violation"),
        (MOVIES, MOVIES, "ok", ["wrong_entity"], 0.0, "Entity Linking"),
        (MOVIES, MOVIES, "ok", ["traversal_direction"], 0.0, "Reversed Direction"),
        (
            MOVIES.replace("originatesFrom", "releasedIn"),
            MOVIES,
            "ok",
            ["other"],
            0.4,
            "Wrong Ent/Rel/Property type",
        ),
        (
            ANDES.replace("WITH DISTINCT n RETURN", "RETURN DISTINCT"),
            ANDES,
            "ok",
            ["duplicate_or_incomplete"],
            1.0,
            "Incorrect Deduplication",
        ),
        (
            "MATCH (n:Lake)-[:locatedIn]->(m:Country) RETURN n.name, m.name",
            LAKES,
            "ok",
            ["other"],
            1.0,
            "Incorrect Grouping",
        ),
        (SMALL.replace("<", "<="), SMALL, "ok", ["other"], 0.9, "Incorrect Filtering"),
        (SMALL.replace("390000", "390"), SMALL, "ok", ["empty_result"], 0.0, "Incorrect Filtering"),
        (
            "MATCH (n:Movie)-[:originatesFrom]->()<-[:originatesFrom]-(:Movie)"
            "-[:originatesFrom]->(:Country {name: 'Peru'}) RETURN n.name",
            MOVIES,
            "ok",
            ["other"],
            0.1,
            "Pattern Not Aligned with Question",
        ),
        (
            MOVIES.replace("RETURN n.name", "RETURN n.name, n.name"),
            MOVIES,
            "ok",
            ["return_shape"],
            1.0,
            "Results Not Aligned with Question",
        ),
    ],
)
def test_a_failed_case_has_one_category(
    predicted: str | None, reference: str, status: str, labels: list[str], psjs: float, category: str
) -> None:
    scores = Scores(f1=0.0, ex=0.0, psjs=psjs)
    found = error_category(predicted, reference, status, labels, scores, SCHEMA)
    assert found == category
    assert found in CATEGORIES


@pytest.mark.parametrize(
    "predicted",
    [
        MOVIES.replace("{name: 'Peru'}", "").replace(" WITH", ' WHERE m0.name = "Peru" WITH'),
        MOVIES.replace("r0", "rel"),
        MOVIES.lower()
        .replace("movie", "Movie")
        .replace("country", "Country")
        .replace("peru", "Peru")
        .replace("originatesfrom", "originatesFrom"),
    ],
)
def test_another_way_to_write_the_same_condition_is_no_other_filter(predicted: str) -> None:
    scores = Scores(f1=0.0, ex=0.0, psjs=1.0)
    found = error_category(predicted, MOVIES, "ok", ["other"], scores, SCHEMA)
    assert found == "Results Not Aligned with Question"
