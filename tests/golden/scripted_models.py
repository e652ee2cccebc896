"""Scripted models for all roles: what a model replies depends only on its name and the prompt.

So neither the order of requests nor the number of workers changes a result. Some replies are right; others
are wrong, broken, wrapped in Markdown, empty or no query at all. Models with ``faulty`` in their name refuse
some requests.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ROLES = {
    "You are the corrector of Cypher": "corrector",
    "You are the corrector of a team": "rewriter",
    "You are the validator": "validator",
    "You are the schema analyst": "analyst",
    "You are the reviewer": "reviewer",
    "You are the result analyst": "result_analyst",
    "You judge whether a Cypher query": "judge",
    "You answer questions of chemists": "writer",
    "You take apart what others write": "claim_extractor",
}
"""Roles by the beginning of their prompt."""
FENCED = re.compile(r"```\n(.*?)\n```", re.DOTALL)
JUDGED_QUERY = re.compile(r"<<< query (\S+)\n(.*?)\n>>> \1", re.DOTALL)
MASKED_NAME = re.compile(r"(MOLECULEX*)_\d+")


@dataclass(frozen=True)
class Reply:
    """What a model replies; ``score_weights`` are the probabilities of the score in a judge's reply."""

    text: str
    finish_reason: str = "stop"
    refusal: str | None = None
    score_weights: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Refusal:
    """The error code of a request that the API refuses."""

    code: str


class Choices:
    """Choices that depend on a text alone."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._count = 0

    def below(self, bound: int) -> int:
        """Return a number from 0 to ``bound`` - 1."""
        self._count += 1
        digest = hashlib.sha256(f"{self._count}:{self._text}".encode("utf-8", "replace")).digest()
        return int.from_bytes(digest[:6], "big") % bound

    def one_of(self, values: Sequence[Any]) -> Any:
        """Return one of some values."""
        return values[self.below(len(values))]


class KnownQueries:
    """The reference queries of all questions, and which queries are known to be right or wrong."""

    def __init__(self, questions: Iterable[Mapping[str, Any]], bank: Iterable[Mapping[str, Any]]) -> None:
        self._references: dict[str, str] = {}
        self.right: dict[str, bool] = {}
        for question in questions:
            text, query = question["text"], question["reference_cypher"]
            self._references[text] = query
            self.right[query] = True
            self._references.setdefault(*_masked(question))
        for entry in bank:
            self.right[entry["cypher"]] = entry["kind"] != "error"

    def reference(self, prompt: str) -> str:
        """Return the reference query of the last question in a prompt, masked where that is masked."""
        for line in reversed(prompt.splitlines()):
            found = MASKED_NAME.search(line)
            name = found[1] if found else "MOLECULE"
            if query := self._references.get(line.replace(name, "MOLECULE")):
                return query.replace("MOLECULE_", f"{name}_")
        return "MATCH (reaction:Reaction) RETURN reaction.id AS id ORDER BY id LIMIT 3"


def _masked(question: Mapping[str, Any]) -> tuple[str, str]:
    """Return question and query as the loop "cove" shows them, with names in place of molecules."""
    text, query = question["text"], question["reference_cypher"]
    slots = [value if isinstance(value, list) else [value] for value in question["slots"].values()]
    molecules = {each for values in slots for each in values if isinstance(each, str) and len(each) > 2}
    named = sorted((each for each in molecules if each in text), key=text.find)
    for number, value in sorted(enumerate(named, 1), key=lambda item: -len(item[1])):
        text = text.replace(value, f"MOLECULE_{number}")
        query = query.replace("'" + value.replace("\\", "\\\\") + "'", f"'MOLECULE_{number}'")
    return text, query


def wrong(query: str, choices: Choices) -> str:
    """Return a query with an error; most still run."""
    variants = [
        query.replace("-[:PRODUCES]->", "<-[:PRODUCES]-", 1),
        query.replace("-[:REACTS_IN]->", "<-[:REACTS_IN]-", 1),
        query.replace("{name:", "{smiles:", 1),
        query.replace(":USES_AGENT", ":USES_CATALYST", 1),
        query.replace(":USES_SOLVENT", ":USES_AGENT", 1),
        query.replace("collect(DISTINCT ", "count(DISTINCT ", 1),
        query.replace("DESC", "ASC", 1),
        query.replace("*4]", "*2]").replace("*6]", "*4]").replace("*8]", "*6]"),
        re.sub(r"'([^']{4})[^']*'", r"'\1'", query, count=1),
        f"{query}\nLIMIT 1",
        query.replace("OPTIONAL MATCH", "MATCH"),
        re.sub(r",\n +collect[^,]* AS (\w+)$", "", query),
        re.sub(r"\nOPTIONAL MATCH .*", "", query, count=1),
        re.sub(r" AS (\w+)", r" AS x_\1", query),
        re.sub(r"\bRETURN\b(?!.*\bRETURN\b)", "SET reaction.seen = true RETURN", query, flags=re.DOTALL),
        "CALL dbms.listConfig() YIELD name RETURN name",
        "MATCH (r:Reaction) RETURN r.id / 0 AS id LIMIT 2",
    ]
    return str(choices.one_of([variant for variant in variants if variant != query]))


def broken(query: str, choices: Choices) -> str:
    """Return a query that is not Cypher."""
    variants = [
        query.replace(")", "", 1),
        query.replace("'", "", 1),
        query.replace("RETURN", "RETRUN"),
        query[: len(query) * 2 // 3],
        "SELECT * FROM reactions WHERE product = 'CCO'",
    ]
    return str(choices.one_of(variants))


def wrapped(query: str, choices: Choices) -> str:
    """Return a query as chat models write it."""
    variants = [
        query,
        f"```cypher\n{query}\n```",
        f"Here is the query:\n\n```cypher\n{query}\n```\n\nIt matches the reactions.",
        f"<think>\nFirst I need MATCH (a) RETURN a.\n</think>\n{query}",
        "\n".join(f"> {line}" for line in ["```", *query.split("\n"), "```"]),
        f"{query};",
        json.dumps({"cypher": query}),
        f"```python\nprint(1)\n```\n```cypher\n{query}\n```",
    ]
    return str(choices.one_of(variants))


class ScriptedModels:
    """Replies to prompts."""

    def __init__(self, known: KnownQueries) -> None:
        self._known = known

    def reply(self, model: str, prompt: str) -> Reply | Refusal:
        """Return what a model replies to a prompt."""
        choices = Choices(f"{model}\n{prompt}")
        if "faulty" in model and choices.below(8) == 0:
            return Refusal(choices.one_of(["invalid_request", "content_filter", "context_length_exceeded"]))
        role = next((role for beginning, role in ROLES.items() if prompt.startswith(beginning)), None)
        if role is None:
            role = "generator" if "(:Molecule" in prompt else "answer_metric"
        reply: Reply | str = getattr(self, f"_{role}")(prompt, choices)
        return reply if isinstance(reply, Reply) else Reply(reply)

    def _generator(self, prompt: str, choices: Choices) -> Reply | str:
        right = self._known.reference(prompt)
        draw = choices.below(100)
        if draw < 42:
            return wrapped(right, choices)
        if draw < 78:
            return wrapped(wrong(right, choices), choices)
        if draw < 90:
            return wrapped(broken(right, choices), choices)
        others: list[Reply | str] = [
            "",
            "I am not able to write a query for that question.",
            "// no query",
            Reply(right[: len(right) // 2], finish_reason="length"),
            Reply("", refusal="I cannot help with that."),
            "Insufficient information.",
        ]
        reply: Reply | str = choices.one_of(others)
        return reply

    def _corrector(self, prompt: str, choices: Choices) -> str:
        right = self._known.reference(prompt)
        current = [right, *FENCED.findall(prompt)][-1]
        variants = [right, right, right, wrong(right, choices), current, wrong(current, choices)]
        variants += [broken(current, choices), "I would not change it."]
        variants += [MASKED_NAME.sub(replacement, right) for replacement in (r"\1_97", "CCOCC")]
        return wrapped(choices.one_of(variants), choices)

    def _rewriter(self, prompt: str, choices: Choices) -> str:
        right = self._known.reference(prompt)
        current = next(iter(FENCED.findall(prompt)), right)
        query = choices.one_of([right, right, wrong(right, choices), current, broken(current, choices), ""])
        text = json.dumps({"explanation": "I have followed the feedback.", "cypher": query})
        return str(choices.one_of([text, text, f"```\n{query}\n```", "No change needed."]))

    def _validator(self, prompt: str, choices: Choices) -> str:
        errors = [{"item": 1 + choices.below(6), "problem": "The arrow points the wrong way; turn it."}]
        valid = json.dumps({"valid": True, "errors": []})
        invalid = json.dumps({"valid": False, "errors": errors})
        return str(choices.one_of([valid, valid, invalid, invalid, f"```json\n{invalid}\n```", invalid[:-3]]))

    def _analyst(self, prompt: str, choices: Choices) -> str:
        return "1. Nodes: Molecule has a name, Reaction has an id.\n2. Relationships: as in the schema."

    def _reviewer(self, prompt: str, choices: Choices) -> str:
        accepted = json.dumps({"accepted": True, "issues": []})
        issue = {"dimension": "logic", "problem": "The agents are missing; add an OPTIONAL MATCH."}
        rejected = json.dumps({"accepted": False, "issues": [issue]})
        return str(choices.one_of([accepted, accepted, rejected, rejected, "It seems good."]))

    def _result_analyst(self, prompt: str, choices: Choices) -> str:
        matches = "Matches intent: yes\nAnalysis: All is there.\nSuggestions:"
        differs = "**Matches Intent**: No\n**Analysis**: The agents are missing.\n**Suggestions**: Add them."
        return str(choices.one_of([matches, matches, differs, differs, "It seems good."]))

    def _judge(self, prompt: str, choices: Choices) -> Reply | str:
        shown = JUDGED_QUERY.search(prompt)
        right = self._known.right.get(shown[2]) if shown else None
        draw = choices.below(100)
        if right is None:
            score = choices.below(8)
        else:
            score = 8 + choices.below(3) if right == (draw % 20 != 0) else choices.below(4)
        reasons = [
            "The PRODUCES arrow is reversed, so nothing is found.",
            "The solvents are missing from what is returned.",
            "Perhaps something is wrong.",
        ]
        reason = "It returns what is asked for." if score > 7 else choices.one_of(reasons)
        text = json.dumps({"reason": reason, "score": score})
        if draw > 94:
            return str(choices.one_of([f"Score: {score}", "", text.replace(str(score), "42"), text[:-1]]))
        if draw > 60:
            weights = {score: 0.7, max(0, score - 1): 0.2, min(9, score + 1): 0.1}
            return Reply(text, score_weights={**weights, score: 0.7})
        return f"```json\n{text}\n```" if draw > 50 else text

    def _answer_metric(self, prompt: str, choices: Choices) -> str:
        if choices.below(12) == 0:
            return "I cannot do this."
        if '"truths"' in prompt:
            return json.dumps({"truths": ["It is so."]})
        if '"verdicts"' not in prompt:
            name = "claims" if '"claims"' in prompt else "statements"
            parts = ["It is so.", "It is not.", "It may be."]
            return json.dumps({name: parts[: 1 + choices.below(3)]})
        asked = [part for part in ("It is not.", "It may be.") if part in prompt]
        verdicts = ["yes", "no", "idk"][: 1 + len(asked)]
        return json.dumps({"verdicts": [{"verdict": verdict} for verdict in verdicts]})

    def _writer(self, prompt: str, choices: Choices) -> str:
        facts = [json.loads(line) for line in prompt.splitlines() if line.startswith("{")]
        if not facts or choices.below(20) == 0:
            return str(choices.one_of(["Insufficient information.", "", "The facts do not say."]))
        draw = choices.below(10)
        sentences = [_sentence(fact, false=draw in (7, 8) and fact is facts[0]) for fact in facts]
        if draw == 6:
            return "<think>Let me see.</think>" + "\n".join(f"- {each}" for each in sentences)
        return "\n".join(sentences)

    def _claim_extractor(self, prompt: str, choices: Choices) -> str:
        produced = re.findall(r"\[(\d+)\][^\n]*?reaction (\d+)[^\n]*?give the products ([^\s,;.]+)", prompt)
        claims: list[dict[str, Any]] = [
            {
                **{"claim": "role", "sentence": int(sentence), "role": "product"},
                **{"molecule": molecule, "reaction": int(number)},
            }
            for sentence, number, molecule in produced
        ]
        if choices.below(3) == 0:
            claims.append(
                {"claim": "role", "sentence": 1, "role": "agent", "molecule": "C1CC1", "reaction": 1087}
            )
        if choices.below(10) == 0:
            claims += [{"claim": "liked", "sentence": 1}, {"claim": "other"}]
        text = json.dumps(claims)
        return str(choices.one_of([text, text, text, f"```json\n{text}\n```", "There are no claims."]))


def _sentence(row: Mapping[str, Any], false: bool) -> str:
    """Return a row in words, perhaps with reactants and products exchanged."""
    sides: list[Any] = [row.get(name) for name in ("reactants", "products")]
    if not all(isinstance(side, list) for side in sides):
        return f"A row says {json.dumps(row)}."
    left, right = (", ".join(map(str, side)) for side in (reversed(sides) if false else sides))
    return f"In reaction {row.get('id')}, the reactants {left} give the products {right}."
