"""Generation of questions without a server: patterns, reference queries, answers, English, suite.yaml."""

import datetime
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.property_graphs import hostile_league, league

from retrocypher.kg.cypher.edits import quote_name, string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import GraphError, InputError
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.suites.english import English
from retrocypher.kg.suites.generate import generate
from retrocypher.kg.suites.graph import (
    GraphSchema,
    Node,
    PropertyGraph,
    Relationship,
    RelationshipType,
    Value,
)
from retrocypher.kg.suites.instances import Hop, Match, Period, Return
from retrocypher.kg.suites.lexicon import (
    Lexicon,
    PropertyWords,
    lexicon_skeleton,
    read_lexicon,
    write_lexicon,
)
from retrocypher.kg.suites.matcher import Matcher
from retrocypher.kg.suites.patterns import Sampler, shapes, tasks, templates
from retrocypher.kg.suites.proposal import check_generation, propose
from retrocypher.kg.suites.reference import match_text, query_text, value_text
from retrocypher.kg.suites.returns import ReturnChooser
from retrocypher.kg.suites.suite import Generation, RelationshipFacts

SCHEMA = GraphSchema(
    {"Film": {"name": "str", "year": "int", "genre": "str"}, "Person": {"name": "str"}},
    (
        RelationshipType("ACTED_IN", "Person", "Film", {"start_year": "int", "end_year": "int"}),
        RelationshipType("DIRECTED", "Person", "Film", {}),
        RelationshipType("KNOWS", "Person", "Person", {}),
    ),
)


def _film(name: str, **properties: Value) -> Node:
    return Node(name, "Film", {"name": name, **properties})


FILMS = PropertyGraph(
    "films",
    SCHEMA,
    (
        _film("A", year=1990, genre="drama"),
        _film("B", year=1995, genre="drama"),
        _film("C", year=1995, genre="comedy"),
        _film("D", genre="comedy"),
        *(Node(name, "Person", {"name": name}) for name in "XYZ"),
    ),
    (
        Relationship("ACTED_IN", "X", "A", {"start_year": 1989, "end_year": 1990}),
        Relationship("ACTED_IN", "X", "B", {"start_year": 1994}),
        Relationship("ACTED_IN", "Y", "B", {"start_year": 1993, "end_year": 1994}),
        Relationship("ACTED_IN", "Y", "C", {}),
        Relationship("ACTED_IN", "Y", "C", {}),
        Relationship("DIRECTED", "X", "A", {}),
        Relationship("DIRECTED", "Z", "C", {}),
        Relationship("KNOWS", "X", "Y", {}),
        Relationship("KNOWS", "Z", "Z", {}),
    ),
)
KEYS = {"Film": "name", "Person": "name"}

FILM = {"n": "Film"}
CAST = {"n": "Film", "m0": "Person"}
IN_0 = Hop("r0", "ACTED_IN", "m0", "n")
BY_X = Match("one_hop_named", CAST, (IN_0,), {"m0": "X"})
CO_ACTORS = Match(
    "two_hops",
    {"n": "Person", "m0": "Film", "m1": "Person"},
    (Hop("r0", "ACTED_IN", "n", "m0"), Hop("r1", "ACTED_IN", "m1", "m0")),
    {"m1": "X"},
)


class Drawing:
    """What draws questions from a graph."""

    def __init__(self, graph: PropertyGraph) -> None:
        generation = propose(graph)
        self.matcher = Matcher(graph, generation.keys)
        lexicon = lexicon_skeleton(graph.schema, generation)
        self.chooser = ReturnChooser(self.matcher, lexicon, generation.keys)
        self.sampler = Sampler(graph, generation)
        self.served, _ = shapes(graph, generation)


# Match, what is returned, reference query, rows, question.
CASES: dict[str, tuple[Match, Return, str, list[list[Any]], str]] = {
    "name": (
        BY_X,
        Return("name"),
        "MATCH (n:Film)<-[r0:ACTED_IN]-(m0:Person {name: 'X'}) WITH DISTINCT n RETURN n.name",
        [["A"], ["B"]],
        'List the names of all films that at any time, past or present, featured the person "X".',
    ),
    "property of a named node": (
        Match("named_node", FILM, (), {"n": "B"}),
        Return("property", "year"),
        "MATCH (n:Film {name: 'B'}) WITH DISTINCT n RETURN n.year",
        [[1995]],
        'What is the year of the film "B"?',
    ),
    "properties, some unknown": (
        Match("all_nodes", FILM),
        Return("property", "year", columns="key_and_value", known_only=True),
        "MATCH (n:Film) WITH DISTINCT n WHERE n.year IS NOT NULL RETURN n.name, n.year",
        [["A", 1990], ["B", 1995], ["C", 1995]],
        "For each film, give its name and its year. Leave out films whose year is not known.",
    ),
    "different values": (
        Match("all_nodes", FILM),
        Return("property", "genre", columns="different_values"),
        "MATCH (n:Film) WITH DISTINCT n RETURN DISTINCT n.genre",
        [["comedy"], ["drama"]],
        "What are the different genres of all films?",
    ),
    "sort": (
        Match("all_nodes", FILM),
        Return("sort", "year", order="desc", known_only=True),
        "MATCH (n:Film) WITH DISTINCT n WHERE n.year IS NOT NULL RETURN n.name ORDER BY n.year DESC",
        [["B"], ["C"], ["A"]],
        "List the names of all films. Sort these films by year, latest first. "
        "Leave out films whose year is not known.",
    ),
    "argmax": (
        Match("all_nodes", FILM),
        Return("argmax", "year", order="asc", known_only=True),
        "MATCH (n:Film) WITH DISTINCT n WHERE n.year IS NOT NULL RETURN n.name ORDER BY n.year ASC LIMIT 1",
        [["A"]],
        "Of all films, what is the name of the one with the earliest year?",
    ),
    "argmax with a tie": (
        Match("all_nodes", FILM),
        Return("argmax", "year", order="desc", known_only=True),
        "MATCH (n:Film) WITH DISTINCT n WHERE n.year IS NOT NULL RETURN n.name ORDER BY n.year DESC LIMIT 1",
        [],
        "Of all films, what is the name of the one with the latest year?",
    ),
    "filter": (
        Match("all_nodes", FILM),
        Return("filter", "genre", operator="<>", value="drama"),
        "MATCH (n:Film) WITH DISTINCT n WHERE n.genre <> 'drama' RETURN n.name",
        [["C"], ["D"]],
        'Of all films, list the names of those whose genre is not "drama".',
    ),
    "count": (
        Match("same_pair", CAST, (IN_0, Hop("r1", "DIRECTED", "m0", "n"))),
        Return("aggregate", aggregate="count"),
        "MATCH (n:Film)<-[r0:ACTED_IN]-(m0:Person), (n:Film)<-[r1:DIRECTED]-(m0:Person) "
        "WITH DISTINCT n RETURN count(n)",
        [[1]],
        "What is the number of films that both at any time, past or present, featured and "
        "were directed by the same person?",
    ),
    "average": (
        BY_X,
        Return("aggregate", "year", aggregate="avg"),
        "MATCH (n:Film)<-[r0:ACTED_IN]-(m0:Person {name: 'X'}) WITH DISTINCT n RETURN avg(n.year)",
        [[1992.5]],
        'What is the average year of all films that at any time, past or present, featured the person "X"?',
    ),
    "count of values": (
        Match("all_nodes", FILM),
        Return("aggregate", "year", aggregate="count_values"),
        "MATCH (n:Film) WITH DISTINCT n RETURN count(DISTINCT n.year)",
        [[2]],
        "How many different years do all films have together?",
    ),
    "groups": (
        Match("all_nodes", FILM),
        Return("aggregate", aggregate="count", group="genre"),
        "MATCH (n:Film) WITH DISTINCT n WITH n.genre AS key, count(n) AS agg RETURN key, agg",
        [["comedy", 2], ["drama", 2]],
        "Group all films by genre. Give each genre and the number of films with it.",
    ),
    "two hops leave the named node out": (
        CO_ACTORS,
        Return("name"),
        "MATCH (n:Person)-[r0:ACTED_IN]->(m0:Film)<-[r1:ACTED_IN]-(m1:Person {name: 'X'}) "
        "WITH DISTINCT n RETURN n.name",
        [["Y"]],
        "List the names of all persons that at any time, past or present, acted in a film that "
        'at any time, past or present, featured the person "X". Leave out the person "X" itself.',
    ),
    "intersection": (
        Match(
            "intersection",
            {**CAST, "m1": "Person"},
            (IN_0, Hop("r1", "DIRECTED", "m1", "n")),
            {"m0": "Y", "m1": "Z"},
        ),
        Return("name"),
        "MATCH (n:Film)<-[r0:ACTED_IN]-(m0:Person {name: 'Y'}), "
        "(n:Film)<-[r1:DIRECTED]-(m1:Person {name: 'Z'}) WITH DISTINCT n RETURN n.name",
        [["C"]],
        'List the names of all films that at any time, past or present, featured the person "Y" '
        'and that were directed by the person "Z".',
    ),
    "optional": (
        Match(
            "optional_match",
            {"n": "Film", "m0": "Person", "m1": "Person"},
            (Hop("r0", "DIRECTED", "m0", "n"), Hop("r1", "ACTED_IN", "m1", "n")),
            {"m1": "X"},
        ),
        Return("group_count"),
        "MATCH (n:Film)<-[r1:ACTED_IN]-(m1:Person {name: 'X'}) "
        "OPTIONAL MATCH (n:Film)<-[r0:DIRECTED]-(m0:Person) "
        "WITH n, count(DISTINCT m0) AS num RETURN n.name, num",
        [["A", 1], ["B", 0]],
        'For each film that at any time, past or present, featured the person "X", give its name and '
        "the number of persons that directed that film. Include films with none.",
    ),
    "groups of nodes": (
        replace(CO_ACTORS, task="group_by"),
        Return("group_count"),
        "MATCH (n:Person)-[r0:ACTED_IN]->(m0:Film)<-[r1:ACTED_IN]-(m1:Person {name: 'X'}) "
        "WITH n, count(DISTINCT m0) AS num RETURN n.name, num",
        [["Y", 1]],
        "For each person, count the films that at any time, past or present, featured that person and that "
        'at any time, past or present, featured the person "X". Give the name of the person and the count, '
        'and leave out persons with none. Leave out the person "X" itself.',
    ),
    "now": (
        replace(BY_X, task="time_sensitive", period=Period("start_year", "end_year")),
        Return("time_name"),
        "MATCH (n:Film)<-[r0:ACTED_IN]-(m0:Person {name: 'X'}) "
        "WHERE r0.start_year IS NOT NULL AND r0.end_year IS NULL WITH DISTINCT n RETURN n.name",
        [["B"]],
        'List the names of all films that currently feature the person "X".',
    ),
    "in a year": (
        replace(
            BY_X, task="time_sensitive", named={"m0": "Y"}, period=Period("start_year", "end_year", 1994)
        ),
        Return("time_name"),
        "MATCH (n:Film)<-[r0:ACTED_IN]-(m0:Person {name: 'Y'}) WHERE r0.start_year <= 1994 "
        "AND (r0.end_year >= 1994 OR r0.end_year IS NULL) WITH DISTINCT n RETURN n.name",
        [["B"]],
        'List the names of all films that in 1994 featured the person "Y".',
    ),
    "comparison": (
        Match("comparison", {"n": "Film", "m0": "Film"}, (), {"n": "A", "m0": "B"}),
        Return("comparison_argmax", "year"),
        "MATCH (n:Film {name: 'A'}), (m0:Film {name: 'B'}) "
        "RETURN CASE WHEN n.year > m0.year THEN n.name ELSE m0.name END AS answer",
        [["B"]],
        'Which has the later year, the film "A" or the film "B"? Give its name.',
    ),
    "equality": (
        Match("comparison", {"n": "Film", "m0": "Film"}, (), {"n": "A", "m0": "B"}),
        Return("comparison_same", "genre"),
        "MATCH (n:Film {name: 'A'}), (m0:Film {name: 'B'}) RETURN n.genre = m0.genre AS answer",
        [[True]],
        'Do the film "A" and the film "B" have the same genre?',
    ),
    "difference": (
        Match("comparison", {"n": "Film", "m0": "Film"}, (), {"n": "A", "m0": "B"}),
        Return("comparison_difference", "year"),
        "MATCH (n:Film {name: 'A'}), (m0:Film {name: 'B'}) RETURN n.year - m0.year AS answer",
        [[-5]],
        'What is the year of the film "A" minus the year of the film "B"?',
    ),
    "union": (
        Match(
            "union",
            {**CAST, "m1": "Person"},
            (IN_0, Hop("r1", "DIRECTED", "m1", "n")),
            {"m0": "X", "m1": "Z"},
        ),
        Return("union_count"),
        "CALL { MATCH (n:Film)<-[r0:ACTED_IN]-(m0:Person {name: 'X'}) RETURN n, m0 AS m UNION "
        "MATCH (n:Film)<-[r1:DIRECTED]-(m1:Person {name: 'Z'}) RETURN n, m1 AS m } "
        "WITH DISTINCT n RETURN count(n)",
        [[3]],
        'What is the number of films that at any time, past or present, featured the person "X" '
        'or that were directed by the person "Z"?',
    ),
}


def _lexicon() -> Lexicon:
    lexicon = lexicon_skeleton(SCHEMA, propose(FILMS))
    words = {each.type: each for each in lexicon.relationships}
    for phrase, text in (
        (words["ACTED_IN"].forward, ("acts in", "act in", "acted in", "acted in")),
        (words["ACTED_IN"].backward, ("features", "feature", "featured", "featured")),
        (words["DIRECTED"].forward, ("directed", "directed")),
        (words["DIRECTED"].backward, ("was directed by", "were directed by")),
    ):
        phrase.one, phrase.many, phrase.past_one, phrase.past_many = (*text, "", "")[:4]
    return lexicon


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_question_is_read_in_three_ways(case: tuple[Match, Return, str, list[list[Any]], str]) -> None:
    match, wanted, cypher, rows, question = case

    assert query_text(match, wanted, KEYS) == cypher
    assert cypher.startswith(match_text(match, KEYS))
    assert not parse(cypher).errors
    answer = Matcher(FILMS, KEYS).answer(match, wanted)
    assert answer
    assert answer.rows == rows
    assert English(_lexicon(), propose(FILMS)).question(match, wanted) == question


def test_sorted_rows_that_tie_may_permute() -> None:
    match, wanted, *_ = CASES["sort"]
    answer = Matcher(FILMS, KEYS).answer(match, wanted)
    assert answer
    assert answer.ties == (2, 1)


def test_a_relationship_may_serve_two_hops_on_request_only() -> None:
    matcher = Matcher(FILMS, KEYS)
    assert (matcher.count(CO_ACTORS), matcher.count(CO_ACTORS, reuse=True)) == (1, 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('O\'Hare \\ "x"', "'O\\'Hare \\\\ \"x\"'"),
        (datetime.date(2013, 1, 5), "date('2013-01-05')"),
        (1e22, "1e22"),
        (-0.5, "-0.5"),
        (True, "true"),
        ([1, 2], "[1, 2]"),
    ],
)
def test_values_are_written_as_literals(value: Value, text: str) -> None:
    assert value_text(value) == text
    assert not parse(f"RETURN {text}").errors


@given(st.text(min_size=1), st.text(st.characters(codec="utf-8")))
def test_names_and_values_are_quoted(name: str, value: str) -> None:
    name = "".join(character for character in name if ord(character) > 31 and character.isprintable()) or "x"
    quoted = quote_name(name)
    text = f"MATCH (n:{quoted} {{{quoted}: {value_text(value)}}}) RETURN n.{quoted}"
    assert not parse(text).errors
    assert [each.value for each in string_literals(text)] == [value]


@pytest.mark.parametrize("word", ["NOT", "null", "TYPED", "MATCH", "order", "CASE", "true", "nfc"])
def test_words_of_cypher_may_be_names(word: str) -> None:
    name = quote_name(word)
    assert not parse(f"MATCH (n:{name})-[r:{name}]->(m {{{name}: 1}}) RETURN n.{name}").errors


def test_every_pattern_is_served_with_its_templates() -> None:
    graph = league()
    served, missing = shapes(graph, propose(graph))
    assert list(served) == tasks()
    assert not missing
    assert templates("two_hops") == ["name", "property", "sort", "argmax", "filter", "aggregate"]
    assert templates("comparison") == ["comparison_argmax", "comparison_same", "comparison_difference"]


def test_a_pattern_that_cannot_be_served_has_a_reason() -> None:
    keyless = propose(FILMS)
    keyless.keys.clear()
    for each in keyless.relationships:
        each.time = []
    _, missing = shapes(FILMS, keyless)
    assert (
        missing["named_node"]
        == "Film without key property in suite.yaml; Person without key property in suite.yaml"
    )
    assert "union" in missing
    keyless.keys |= KEYS
    _, missing = shapes(FILMS, keyless)
    assert missing == {
        "time_sensitive": "no relationship names the properties of its start and end (time) in suite.yaml"
    }


def _served(task: str, *facts: RelationshipFacts) -> set[tuple[str, ...]]:
    served, _ = shapes(FILMS, Generation(KEYS, list(facts)))
    return {(*(each.type for each in shape.facts), *shape.form.hops) for shape in served.get(task, [])}


def test_trivial_shapes_are_left_out() -> None:
    acted = RelationshipFacts("ACTED_IN", "Person", "Film")
    directed = RelationshipFacts("DIRECTED", "Person", "Film")
    change = msgspec.structs.replace
    assert ("ACTED_IN", "DIRECTED", "n > m0", "n > m0") in _served("same_pair", acted, directed)
    assert not _served("same_pair", acted)
    assert not _served("same_pair", acted, change(directed, entails=["ACTED_IN"]))
    assert _served("one_hop", acted) == {("ACTED_IN", "n > m0"), ("ACTED_IN", "n < m0")}
    assert _served("one_hop", change(acted, every_start=True)) == {("ACTED_IN", "n < m0")}
    assert ("ACTED_IN", "ACTED_IN", "n < m0", "m0 > m1") in _served("two_hops", acted)
    assert not _served("two_hops", change(acted, end_per_start="one", start_per_end="one"))
    assert _served("group_by", acted) == {
        ("ACTED_IN", "ACTED_IN", "n > m0", "m0 < m1"),
        ("ACTED_IN", "ACTED_IN", "n < m0", "m0 > m1"),
    }
    assert not _served("group_by", change(acted, end_per_start="one"))


def test_a_proposal_is_measured_from_the_graph() -> None:
    found = propose(FILMS)
    assert found.keys == KEYS
    acted, directed, knows = found.relationships
    assert acted == RelationshipFacts("ACTED_IN", "Person", "Film", time=["start_year", "end_year"])
    assert directed == RelationshipFacts(
        "DIRECTED", "Person", "Film", start_per_end="one", end_per_start="one"
    )
    assert (knows.every_start, knows.every_end) == (False, False)
    by_type = {each.type: each for each in propose(league()).relationships}
    assert by_type["captains"].entails == ["playsFor"]
    assert by_type["basedIn"].every_start
    assert propose(league()).keys == {"Player": "name", "Team": "name", "City": "code", "Award": "title"}


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"keys": {"Movie": "name"}}, "the graph has no label 'Movie'; it has Film, Person"),
        ({"keys": {"Film": "title"}}, "Film has no property 'title' of type str or int"),
        (
            {"keys": {"Film": "genre"}},
            "the Film 'E' lacks 'genre'; name another property, or remove the line",
        ),
        (
            {"relationships": [RelationshipFacts("ACTED_IN", "Film", "Person")]},
            r"the graph has no \(Film\)-\[ACTED_IN\]->\(Person\)",
        ),
        (
            {"relationships": [RelationshipFacts("KNOWS", "Person", "Person", entails=["LIKES"])]},
            "entails 'LIKES', which is no relationship type of the graph",
        ),
        (
            {"relationships": [RelationshipFacts("KNOWS", "Person", "Person", time=["since", "until"])]},
            "must name two properties of type int",
        ),
    ],
)
def test_what_the_graph_lacks_is_one_clear_error(edit: dict[str, Any], message: str) -> None:
    graph = replace(FILMS, nodes=(*FILMS.nodes, Node("E", "Film", {"name": "E"})))
    with pytest.raises(InputError, match=rf"^suite\.yaml: generation: .*{message}"):
        check_generation(graph, msgspec.structs.replace(propose(FILMS), **edit), "suite.yaml")


def test_a_value_of_another_type_is_an_error() -> None:
    graph = replace(FILMS, nodes=(*FILMS.nodes, _film("E", year="1990")))
    with pytest.raises(InputError, match="Film: a value of the property 'year' is not of the type int"):
        Matcher(graph, KEYS)


def test_a_skeleton_is_read_back_and_reads_as_english(tmp_path: Path) -> None:
    graph = league()
    generation = propose(graph)
    file = tmp_path / "lexicon.yaml"
    write_lexicon(file, lexicon_skeleton(graph.schema, generation))
    lexicon = read_lexicon(file, graph.schema, generation)
    assert file.read_text().startswith("# The English of generated questions.")
    assert lexicon == lexicon_skeleton(graph.schema, generation)
    assert lexicon.labels["City"].many == "cities"
    assert lexicon.properties["Player"]["height_cm"] == PropertyWords("height cm", "height cms", "quantity")
    assert lexicon.properties["Player"]["debut_year"].kind == "year"
    words = lexicon.relationship("playsFor", "Player", "Team")
    assert words
    assert (words.forward.one, words.forward.many) == ("plays for", "play for")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  Film:\n    one: film\n    many: films\n", "", "labels has no entry 'Film'"),
        (
            "    genre:\n      one: genre\n      many: genres\n      kind: name\n",
            "",
            "'Film' has no entry 'genre'",
        ),
        ("kind: year", "kind: date", "'year' of type int cannot have the kind date"),
        ("- type: KNOWS", "- type: LIKES", "no entry 'KNOWS' from 'Person' to 'Person'"),
        ("past_many", "past", "not a lexicon"),
        ("labels:", "labels: [", "not a lexicon"),
    ],
)
def test_a_lexicon_without_an_entry_is_one_clear_error(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    file = tmp_path / "lexicon.yaml"
    write_lexicon(file, _lexicon())
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_lexicon(file, SCHEMA, propose(FILMS))


@pytest.fixture(scope="module")
def small() -> list[Drawing]:
    return [Drawing(league(seed, players)) for seed, players in enumerate((3, 5, 8, 12))]


@given(which=st.integers(0, 3), seed=st.integers(0, 10_000))
def test_what_is_drawn_finds_something(small: list[Drawing], which: int, seed: int) -> None:
    drawing = small[which]
    rng = random.Random(seed)
    task = rng.choice(sorted(drawing.served))
    match = drawing.sampler.draw(rng.choice(drawing.served[task]), rng)
    if match is None or task == "same_pair":
        return
    count = drawing.matcher.count(match)
    assert count > 0
    wanted = drawing.chooser.choose(rng.choice(templates(task)), match, count, rng)
    if wanted:
        answer = drawing.matcher.answer(match, wanted)
        assert answer
        assert answer.rows or wanted.template == "argmax"
        assert sum(answer.ties) == len(answer.rows) or not answer.rows


def test_names_that_several_nodes_share_are_never_asked_for() -> None:
    graph = league()
    generation = propose(graph)
    sampler = Sampler(graph, generation)
    shape = next(each for each in shapes(graph, generation)[0]["named_node"] if each.labels["n"] == "Player")
    drawn = {sampler.draw(shape, random.Random(seed)) and seed for seed in range(5)}
    assert drawn == set(range(5))
    named = {match.named["n"] for seed in range(200) if (match := sampler.draw(shape, random.Random(seed)))}
    assert named.isdisjoint({"Player 0", "Player 1"})


@pytest.mark.parametrize("task", ["intersection", "union", "comparison"])
def test_nodes_that_play_the_same_part_are_named_in_one_order(task: str) -> None:
    graph = league()
    generation = propose(graph)
    sampler = Sampler(graph, generation)
    for shape in shapes(graph, generation)[0][task]:
        if len({each.type for each in shape.facts}) < 2 and (shape.form.mirrored or task == "comparison"):
            drawn = [sampler.draw(shape, random.Random(seed)) for seed in range(10)]
            for match in filter(None, drawn):
                assert list(match.named.values()) == sorted(match.named.values())


def test_slow_questions_are_dropped_and_failing_ones_are_errors() -> None:
    generation = Generation(KEYS)
    made = generate(FILMS, generation, _lexicon(), 4, lambda _: Execution("timeout"))
    assert not made.questions
    assert made.dropped["slower than the time limit, or too large"] > 0
    assert made.unserved["one_hop"] == "no relationship types fit together"
    assert "slower than the time limit" in made.unserved["all_nodes"]
    with pytest.raises(GraphError, match=r"The reference query of .* failed: Boom It is: MATCH"):
        generate(FILMS, generation, _lexicon(), 4, lambda _: Execution("runtime_error", message="Boom"))
    with pytest.raises(GraphError, match=r"Neo4j \(0 rows\) and the matcher \(\d+ rows\) answer '.*' differ"):
        generate(FILMS, generation, _lexicon(), 4, lambda _: Execution("ok"))


def test_hostile_names_are_quoted_in_every_pattern() -> None:
    graph, generation = hostile_league()
    sampler = Sampler(graph, generation)
    served, _ = shapes(graph, generation)
    assert list(served) == tasks()
    for found in served.values():
        match = next(drawn for each in found if (drawn := sampler.draw(each, random.Random(1))))
        assert not parse(f"{match_text(match, generation.keys)} RETURN 1").errors
