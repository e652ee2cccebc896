from hypothesis import example, given
from hypothesis import strategies as st
from support.examples import examples

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.prompts.extraction.extract import extract_cypher

# Three backticks within a name are taken for a fence; no SMILES has any.
SMILES = st.text(alphabet="BCNOPSFIclnops()[]=#@+-\\/.%123456789H'\"`<>|~", min_size=1, max_size=40).filter(
    lambda name: "```" not in name
)
PIECES = st.sampled_from(
    [
        *(
            "```",
            "```cypher\n",
            "~~~\n",
            "`",
            "<think>",
            "</think>",
            "\n",
            "\n\n",
            "\r\n",
            "'",
            '"',
            "\\u",
            "/*",
        ),
        *(
            "MATCH ",
            "(m:Molecule)",
            "-[:REACTS_IN]->",
            "(r)",
            " RETURN r",
            "{name: 'C\\\\C'}",
            "with ",
            "// x\n",
        ),
    ]
)
TAGS = st.sampled_from(["", "cypher", "Cypher", "neo4j", "cypher title=x"])


def _query(name: str) -> str:
    return (
        f"MATCH (m:Molecule {{name: {quote(name)}}})-[:REACTS_IN]->(r:Reaction)\n"
        "OPTIONAL MATCH (r)-[:USES_AGENT]->(a)\nRETURN r.id AS id, collect(DISTINCT a.name) AS agents"
    )


@examples(150)
@given(st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=20).map("".join)))
@example("```cypher\n\\u12")
@example("MATCH (\\u0028")
@example("Sure. MATCH (m {name: '```'})-[:REACTS_IN]->(r)\nOPTIONAL MATCH (r)-->(a)\nRETURN r")
def test_never_raises_and_gives_a_part_of_the_answer(answer: str) -> None:
    query = extract_cypher(answer)
    assert query is None or (query and query in answer and query == query.strip())


@given(name=SMILES, tag=TAGS, before=st.sampled_from(["", "Here it is:\n\n", "<think>hm</think>"]))
def test_a_fenced_query_comes_out_unchanged(name: str, tag: str, before: str) -> None:
    query = _query(name)
    found = extract_cypher(f"{before}```{tag}\n{query}\n```\nThat was it.")
    assert found == query
    assert [literal.value for literal in string_literals(found)] == [name]


@given(name=SMILES)
def test_a_bare_query_comes_out_unchanged(name: str) -> None:
    query = _query(name)
    assert extract_cypher(query) == query
    assert extract_cypher(f"The query:\n{query}\n\nIt lists agents.") == query


@given(name=SMILES, first=st.booleans())
def test_extraction_of_its_own_result_changes_nothing(name: str, first: bool) -> None:
    answer = f"```\n{_query(name)}\n```" if first else f"Sure. {_query(name)}"
    query = extract_cypher(answer)
    assert query is None or extract_cypher(query) == query
