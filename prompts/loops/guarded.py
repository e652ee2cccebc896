"""The loops ``guarded`` and ``guarded-limit``: guarded retrieval with a fallback.

After GraphBuilder-RAG: a query is checked for safety and run with a short time limit; where it is invalid,
unsafe or returns nothing, the entities of the question are looked up and their neighbourhood is returned. Its
rows are marked and scored apart: they do not come from the query.
"""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import structs

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.execution.guard import with_limit
from retrocypher.kg.graph.molecules import canonical_smiles, find_molecules
from retrocypher.prompts.loops.interface import Graph, LoopCase, LoopResult, LoopTools, Step
from retrocypher.prompts.templates.template import fill_slots
from retrocypher.prompts.validation.question import common_names


@dataclass(frozen=True, slots=True)
class Entity:
    """A molecule that a question names, with the SMILES to look for: as written, and as RDKit writes it."""

    text: str
    names: tuple[str, ...]


def entities_in(question: str) -> list[Entity]:
    """Return the molecules in a question in the order of the text, each once.

    RDKit finds and checks SMILES; other names are those of `common_names`.
    """
    mentions = find_molecules(question)
    found = [(at.start, at.smiles, at.smiles) for at in mentions]
    taken = [range(at.start, at.stop) for at in mentions]
    for match in _pattern().finditer(question):
        if not any(match.start() in span for span in taken):
            found.append((match.start(), match.group(), common_names()[match.group().lower()]))
    entities: dict[str, Entity] = {}
    for _, text, smiles in sorted(found):
        names = tuple(dict.fromkeys(filter(None, (smiles, canonical_smiles(smiles)))))
        entities.setdefault(smiles, Entity(text, names))
    return list(entities.values())


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(common_names(), key=len, reverse=True)
    names = "|".join(map(re.escape, longest_first))
    # Not within a longer name: '2-methanol' or 'methanolate' is not 'methanol'.
    return re.compile(rf"(?<![\w\-,])(?:{names})(?![\w\-])", re.IGNORECASE)


_FOLDER = Path(__file__).parent


def neighbourhood(question: str, graph: Graph, *, hops: int, cap: int, timeout_s: float) -> dict[str, Any]:
    """Return the reactions around the molecules of a question, as the ``fallback`` of a record.

    Args:
        hops: How many relationships away the farthest molecules may be, at least 2: a reaction and what
            takes part in it.
        cap: How many reactions at most.
        timeout_s: Seconds that each of the two queries may take.

    Returns:
        ``entities`` (found in the question), ``resolved`` (names in the graph), ``hops``, and the query with
        its result: ``cypher``, ``status``, ``columns``, ``rows``, ``row_count``, ``truncated``, ``time_s``.
    """
    entities = entities_in(question)
    names = (name for each in entities for name in each.names)
    resolved = molecules_in_graph(names, graph, timeout_s) or []
    found: dict[str, Any] = {
        "entities": [{"text": each.text, "names": list(each.names)} for each in entities],
        "resolved": resolved,
        "hops": hops,
    }
    if not resolved:
        nothing = Execution("no_query", message="No molecule of the question is in the graph.")
        return {**found, "cypher": None, **_result(nothing)}
    values = {"names": _listed(resolved), "reach": str(hops - 1), "cap": str(cap)}
    cypher = _query("neighbourhood", values)
    return {**found, "cypher": cypher, **_result(graph.run(cypher, timeout_s=timeout_s, row_limit=cap))}


def molecules_in_graph(names: Iterable[str], graph: Graph, timeout_s: float) -> list[str] | None:
    """Return those of some names that molecules of the graph have, each once; None if it does not say."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return []
    found = graph.run(_query("resolve", {"names": _listed(wanted)}), timeout_s=timeout_s)
    if found.status != "ok":
        return None
    known = {row[0] for row in found.rows}
    return [name for name in wanted if name in known]


def _query(name: str, values: Mapping[str, str]) -> str:
    return fill_slots((_FOLDER / f"{name}.cypher").read_text(encoding="utf-8"), values)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quote, names))


def _result(execution: Execution) -> dict[str, Any]:
    return {name: value for name, value in structs.asdict(execution).items() if name != "code"}


@dataclass(frozen=True, slots=True)
class Guarded:
    """The loops ``guarded`` and, with a limit, ``guarded-limit``.

    Attributes:
        limit: Rows that a query may ask for, by a LIMIT put into it; None for no such limit.
        timeout_s: Seconds that a query may take.
        hops: How far the fallback reaches from a molecule of the question, in relationships.
        cap: How many reactions the fallback returns at most.
    """

    name: str = "guarded"
    needs_model: bool = False
    validates: bool = False
    limit: int | None = None
    timeout_s: float = 5.0
    hops: int = 2
    cap: int = 100

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Run the query of the first completion under guard; use the fallback where that returns nothing."""
        query = self._checked(case, tools)
        execution = tools.graph.run(query, timeout_s=self.timeout_s, row_limit=self.limit)
        tools.note(Step.of_execution(query, execution))
        if execution.status == "ok" and not _is_empty(execution):
            return LoopResult(query, execution)
        reason = "empty" if execution.status == "ok" else execution.status
        return LoopResult(query, execution, {"reason": reason, **self._fallback(case, tools)})

    def _checked(self, case: LoopCase, tools: LoopTools) -> str | None:
        """Plan the query and return it, with its limit if it may run."""
        started = time.perf_counter()
        planned = tools.graph.explain(case.cypher)
        query, findings = case.cypher, []
        if planned.status != "ok":
            findings.append({"code": planned.code, "message": planned.message})
        elif query is not None and self.limit is not None:
            query = with_limit(query, self.limit)
            if query != case.cypher:
                findings.append({"edit": f"no more than {self.limit} rows"})
        time_s = time.perf_counter() - started
        tools.note(Step("guard", query, planned.status, list(findings), time_s=time_s))
        return query

    def _fallback(self, case: LoopCase, tools: LoopTools) -> dict[str, Any]:
        started = time.perf_counter()
        found = neighbourhood(
            case.question, tools.graph, hops=self.hops, cap=self.cap, timeout_s=self.timeout_s
        )
        finding = {"resolved": found["resolved"], "row_count": found["row_count"]}
        time_s = time.perf_counter() - started
        tools.note(Step("fallback", found["cypher"], found["status"], [finding], time_s=time_s))
        return found


def _is_empty(execution: Execution) -> bool:
    """Return whether a result holds nothing: no rows, or rows of nulls and empty lists."""
    return all(value in (None, [], {}) for row in execution.rows for value in row)
