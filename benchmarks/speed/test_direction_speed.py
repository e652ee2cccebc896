"""What the correction of directions adds to a query that is parsed already."""

import time
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.cypher.clauses import relationship_patterns, reverse
from retrocypher.kg.cypher.edits import apply_edits
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.schema import default_schema


@pytest.fixture(scope="module")
def queries() -> list[ParsedQuery]:
    """Each tenth reference, as it is, with its first arrow turned, and with all labels taken out."""
    found = []
    for question in load_questions().questions[::10]:
        parsed = parse(question.reference_cypher)
        turned = apply_edits(parsed.text, reverse(relationship_patterns(parsed)[0]))
        bare = parsed.text.replace(":Molecule", "").replace("(reaction:Reaction)", "(reaction)")
        found += [parsed, parse(turned), parse(bare)]
    return found


@pytest.mark.benchmark(timer=time.process_time)
def test_direction_correction(
    benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str], queries: list[ParsedQuery]
) -> None:
    schema = default_schema()

    def correct_all() -> tuple[list[float], int]:
        seconds, turned = [], 0
        for query in queries:
            started = time.process_time()
            turned += len(correct_directions(query, schema).turned)
            seconds.append(time.process_time() - started)
        return seconds, turned

    taken, turned = benchmark.pedantic(correct_all, rounds=3, warmup_rounds=1)

    assert turned >= len(queries) / 6
    middle, worst = median(taken) * 1000, max(taken) * 1000
    benchmark.extra_info |= {"median_ms": middle, "worst_ms": worst}
    with capsys.disabled():
        print(f"\ndirections: {middle:.2f} ms a parsed query, at worst {worst:.1f} ms (aim 5 ms)")
