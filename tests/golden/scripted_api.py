"""An OpenAI-compatible server that plays all models of a golden run.

A reply depends on nothing but the request: its text and the name of the model decide it, by a hash. So the
order of requests, the number of workers and retries change nothing. Some replies are right, others are wrong,
broken, wrapped in Markdown, empty or no query at all.

What the name of a model contains decides how it behaves: ``faulty`` models refuse some requests for good and
let others wait once, until `heal` is called; ``judge`` models know which queries are right.
"""

import hashlib
import json
import math
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ROLES = {
    "You are the corrector of Cypher": "corrector",
    "You are the corrector of a team": "rewriter",
    "You are the validator": "validator",
    "You are the schema analyst": "analyst",
    "You are the reviewer": "reviewer",
    "You judge whether a Cypher query": "judge",
    "You answer questions of chemists": "writer",
    "You take apart what others write": "claimant",
}
FENCED = re.compile(r"```\n(.*?)\n```", re.DOTALL)
SHOWN_QUERY = re.compile(r"<<< query (\S+)\n(.*?)\n>>> \1", re.DOTALL)
NAME = re.compile(r"MOLECULEX*_\d+")


class Dice:
    """Choices made by the hash of a text: the same text, the same choices."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._count = 0

    def below(self, bound: int) -> int:
        """Return the next number from 0 to ``bound`` - 1."""
        self._count += 1
        digest = hashlib.sha256(f"{self._count}:{self._text}".encode("utf-8", "replace")).digest()
        return int.from_bytes(digest[:6], "big") % bound

    def one_of(self, choices: Sequence[Any]) -> Any:
        """Return one of some choices."""
        return choices[self.below(len(choices))]


class Library:
    """What the scripted models know: the questions, their references, and queries known to be wrong."""

    def __init__(self, questions: Iterable[Mapping[str, Any]], bank: Iterable[Mapping[str, Any]]) -> None:
        self.references: dict[str, str] = {}
        self._by_molecule: dict[str, list[Mapping[str, Any]]] = {}
        self._masked: dict[str, str] = {}
        self.known: dict[str, bool] = {}
        for question in questions:
            self.references[question["text"]] = question["reference_cypher"]
            self.known[question["reference_cypher"]] = True
            for value in molecules_of(question):
                self._by_molecule.setdefault(value, []).append(question)
            self._mask(question)
        for entry in bank:
            self.known[entry["cypher"]] = entry["kind"] != "error"

    def _mask(self, question: Mapping[str, Any]) -> None:
        text, query = question["text"], question["reference_cypher"]
        values = sorted(molecules_of(question), key=text.find)
        for number, value in sorted(enumerate(values, 1), key=lambda each: -len(each[1])):
            name = f"MOLECULE_{number}"
            text = text.replace(value, name)
            query = query.replace("'" + value.replace("\\", "\\\\") + "'", f"'{name}'")
        self._masked.setdefault(text, query)

    def reference(self, text: str, dice: Dice) -> str:
        """Return the reference query of the last question in a text; one that may fit where it is unknown."""
        for line in reversed(text.splitlines()):
            if line in self.references:
                return self.references[line]
            if "MOLECULE" in line and (named := self._masked.get(re.sub("MOLECULEX+", "MOLECULE", line))):
                return named
        words = re.split(r"[\s?,;]+", text[-600:])
        for word in reversed(words):
            if found := self._by_molecule.get(word.strip("'\"().")):
                return str(dice.one_of(found)["reference_cypher"])
        return "MATCH (reaction:Reaction) RETURN reaction.id AS id ORDER BY id LIMIT 3"


def molecules_of(question: Mapping[str, Any]) -> list[str]:
    """Return the molecules that a question names, each once."""
    found: list[str] = []
    for value in question["slots"].values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str) and each in question["text"] and each not in found:
                found.append(each)
    return [each for each in found if len(each) > 2]


def spoiled(query: str, dice: Dice) -> str:
    """Return a query with a fault in it; one that still runs, for the most part."""
    lines = query.split("\n")
    optional = [at for at, line in enumerate(lines) if line.startswith("OPTIONAL MATCH")]
    faults = [
        query.replace("-[:PRODUCES]->", "<-[:PRODUCES]-", 1),
        query.replace("-[:REACTS_IN]->", "<-[:REACTS_IN]-", 1),
        query.replace("{name:", "{smiles:", 1),
        query.replace(":Molecule", ":Compound", 1),
        query.replace(":USES_AGENT", ":USES_CATALYST", 1),
        query.replace(":USES_SOLVENT", ":USES_AGENT", 1),
        query.replace("collect(DISTINCT ", "count(DISTINCT ", 1),
        query.replace(" IS NOT NULL", " IS NULL", 1),
        query.replace("DESC", "ASC", 1),
        query.replace("*4]", "*2]").replace("*6]", "*4]").replace("*8]", "*6]"),
        query.replace("REACTS_IN|PRODUCES", "PRODUCES|REACTS_IN|USES_AGENT", 1),
        re.sub(r"'([^']{4})[^']*'", r"'\1'", query, count=1),
        query + "\nLIMIT 1",
        query + "\nLIMIT 0",
        "\n".join(line for at, line in enumerate(lines) if at not in optional[-1:]),
        "\n".join(line.replace("OPTIONAL MATCH", "MATCH") for line in lines),
        re.sub(r",\n +collect[^,]* AS (\w+)$", "", query),
        re.sub(r" AS (\w+)", r" AS x_\1", query),
        re.sub(r"\bRETURN\b(?!.*\bRETURN\b)", "SET reaction.seen = true RETURN", query, flags=re.DOTALL),
        "CALL dbms.listConfig() YIELD name RETURN name",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "MATCH (r:Reaction) RETURN r.id / 0 AS id LIMIT 2",
    ]
    changed = [each for each in faults if each != query]
    return str(dice.one_of(changed))


def broken(query: str, dice: Dice) -> str:
    """Return a query that is no Cypher."""
    return str(
        dice.one_of(
            [
                query.replace(")", "", 1),
                query.replace("'", "", 1),
                query.replace("RETURN", "RETRUN"),
                query.replace("MATCH", "FIND", 1),
                query[: len(query) * 2 // 3],
                "SELECT * FROM reactions WHERE product = 'CCO'",
                query + " AND",
            ]
        )
    )


def wrapped(query: str, dice: Dice) -> str:
    """Return a query as chat models write it."""
    quoted = "\n".join(f"> {line}" for line in f"```\n{query}\n```".split("\n"))
    return str(
        dice.one_of(
            [
                query,
                f"```cypher\n{query}\n```",
                f"```\n{query}\n```",
                f"Here is the query:\n\n```cypher\n{query}\n```\n\nIt matches the reactions.",
                f"<think>\nFirst I need MATCH (a) RETURN a.\n</think>\n{query}",
                f"{quoted}\n",
                f"{query};",
                f"The answer:\n{query}\n\nI hope this helps.",
                json.dumps({"cypher": query}),
                f"```python\nprint(1)\n```\n```cypher\n{query}\n```",
            ]
        )
    )


class Model:
    """Says what a scripted model says."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def says(self, name: str, text: str) -> Mapping[str, Any]:
        """Return the reply to a request.

        Args:
            name: The model that is asked.
            text: All that it is asked, joined.
        """
        dice = Dice(f"{name}\n{text}")
        role = next((role for start, role in ROLES.items() if text.startswith(start)), "")
        if not role:
            role = "generator" if "(:Molecule" in text else "metric"
        said = getattr(self, f"_{role}")(text, dice)
        return said if isinstance(said, Mapping) else {"text": said}

    def _generator(self, text: str, dice: Dice) -> str | Mapping[str, Any]:
        right = self._library.reference(text, dice)
        draw = dice.below(100)
        if draw < 42:
            return wrapped(right, dice)
        if draw < 78:
            return wrapped(spoiled(right, dice), dice)
        if draw < 90:
            return wrapped(broken(right, dice), dice)
        others: list[str | Mapping[str, Any]] = [
            "",
            "I am not able to write a query for that question.",
            "// no query",
            {"text": right[: len(right) // 2], "finish_reason": "length"},
            {"text": "", "refusal": "I cannot help with that."},
            "Insufficient information.",
        ]
        said: str | Mapping[str, Any] = dice.one_of(others)
        return said

    def _corrector(self, text: str, dice: Dice) -> str:
        right = self._library.reference(text, dice)
        prefix = next(iter(NAME.findall(text)), "MOLECULE_1").rpartition("_")[0]
        right = right.replace("MOLECULE_", f"{prefix}_")
        shown = FENCED.findall(text)
        now = shown[-1] if shown else right
        choices = [right, right, right, spoiled(right, dice), now, spoiled(now, dice), broken(now, dice)]
        choices += [right.replace(f"{prefix}_1", f"{prefix}_97"), right.replace(f"{prefix}_1", "CCOCC")]
        choices += ["I would not change it."]
        return wrapped(dice.one_of(choices), dice)

    def _rewriter(self, text: str, dice: Dice) -> str:
        right = self._library.reference(text, dice)
        shown = FENCED.findall(text)
        now = shown[0] if shown else right
        query = dice.one_of([right, right, spoiled(right, dice), now, broken(now, dice), ""])
        told = {"explanation": "I have followed the review.", "cypher": query}
        return str(
            dice.one_of([json.dumps(told), json.dumps(told), f"```\n{query}\n```", "No change needed."])
        )

    def _validator(self, text: str, dice: Dice) -> str:
        draw = dice.below(10)
        if draw < 4:
            return json.dumps({"valid": True, "errors": []})
        problem = "The arrow of PRODUCES points the wrong way; turn it."
        errors = [{"item": 1 + dice.below(6), "problem": problem}]
        told = json.dumps({"valid": False, "errors": errors})
        if draw < 8:
            return told
        return str(
            dice.one_of([f"```json\n{told}\n```", "Looks fine to me.", told[:-3], '{"valid": "maybe"}'])
        )

    def _analyst(self, text: str, dice: Dice) -> str:
        return "1. Nodes: Molecule has a name, Reaction has an id.\n2. Relationships: as in the schema."

    def _reviewer(self, text: str, dice: Dice) -> str:
        draw = dice.below(10)
        if draw < 4:
            return json.dumps({"accepted": True, "issues": [], "suggestions": []})
        told = {
            "accepted": False,
            "issues": ["The reaction's agents are missing."],
            "suggestions": ["Add an OPTIONAL MATCH for the agents."],
        }
        return json.dumps(told) if draw < 9 else "It seems good, but I cannot say for sure."

    def _judge(self, text: str, dice: Dice) -> str | Mapping[str, Any]:
        shown = SHOWN_QUERY.search(text)
        right = self._library.known.get(shown[2]) if shown else None
        draw = dice.below(100)
        if right is None:
            score = dice.below(8)
        else:
            score = 8 + dice.below(3) if right == (draw % 20 != 0) else dice.below(4)
        reasons = [
            "It returns what is asked for.",
            "The PRODUCES arrow is reversed, so nothing is found.",
            "The solvents are missing from what is returned.",
            "It limits the number of rows, which nobody asked for.",
            "Perhaps something is wrong.",
        ]
        reason = reasons[0] if score > 7 else dice.one_of(reasons[1:])
        told = json.dumps({"reason": reason, "score": score})
        if draw > 94:
            return str(
                dice.one_of(
                    [f"Score: {score}", "", told.replace(str(score), "42"), told[:-1], f"{told}\n{told}"]
                )
            )
        if draw > 60:
            return {"text": told, "weights": {score: 0.7, max(0, score - 1): 0.2, min(9, score + 1): 0.1}}
        return f"```json\n{told}\n```" if draw > 50 else told

    def _metric(self, text: str, dice: Dice) -> str:
        if dice.below(12) == 0:
            return "I cannot do this."
        holds, fails = "It is so.", "It is not."
        if '"truths"' in text:
            return json.dumps({"truths": [holds]})
        if '"verdicts"' not in text:
            name = "claims" if '"claims"' in text else "statements"
            return json.dumps({name: dice.one_of([[holds], [holds, fails], [holds, fails, "It may be."]])})
        parts = [holds, *(each for each in (fails, "It may be.") if each in text)]
        said = ["yes", "no", "idk"][: len(parts)]
        return json.dumps({"verdicts": [{"verdict": each} for each in said]})

    def _writer(self, text: str, dice: Dice) -> str:
        facts = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        if not facts or dice.below(20) == 0:
            return str(dice.one_of(["Insufficient information.", "", "The facts do not say."]))
        draw = dice.below(10)
        said = [told_fact(fact, dice, falsely=draw in (7, 8) and at == 0) for at, fact in enumerate(facts)]
        if draw == 9:
            return "Ethanol is made from glucose, as everybody knows."
        if draw == 6:
            return "<think>Let me see.</think>" + "\n".join(f"- {each}" for each in said)
        return "\n".join(said)

    def _claimant(self, text: str, dice: Dice) -> str:
        claims: list[Any] = []
        for number, made in re.findall(r"reaction (\d+)[^.]*?give the products ([^\s,;.]+)", text):
            claims.append({"subject": int(number), "predicate": "PRODUCES", "object": made})
        for number, made in re.findall(r"reaction (\d+) uses the solvents ([^\s,;]+)", text):
            claims.append({"subject": int(number), "predicate": "USES_SOLVENT", "object": made})
        if dice.below(3) == 0:
            claims.append({"subject": 1087, "predicate": "USES_AGENT", "object": "C1CC1"})
        draw = dice.below(10)
        if draw == 0:
            return "There are no claims."
        if draw == 1:
            claims += [{"subject": 3, "predicate": "LIKES", "object": "CCO"}, {"subject": "r1"}]
        told = json.dumps(claims)
        return f"```json\n{told}\n```" if draw < 5 else told


def told_fact(fact: Mapping[str, Any], dice: Dice, falsely: bool) -> str:
    """Return a row in words.

    Args:
        fact: The row, by column.
        dice: Chooses the words.
        falsely: Whether something in it is to be wrong.
    """
    number = fact.get("id")
    if not isinstance(number, int):
        return f"A row says {json.dumps(fact)}."
    number += 1 if falsely and dice.below(2) else 0
    made_of, made = ("products", "reactants") if falsely else ("reactants", "products")
    parts = []
    if fact.get(made_of) and fact.get(made):
        parts.append(f"the reactants {', '.join(map(str, fact[made_of]))}")
        parts[-1] += f" give the products {', '.join(map(str, fact[made]))}"
    if fact.get("agents"):
        parts.append(f"the agents are {', '.join(map(str, fact['agents']))}")
    if fact.get("solvents"):
        parts.append(f"the solvents are {', '.join(map(str, fact['solvents']))}")
    if isinstance(fact.get("yield"), int | float):
        parts.append(f"the yield is {fact['yield']} %")
    return f"In reaction {number}, {'; '.join(parts) or 'nothing is known'}."


class ScriptedApi:
    """The server, on a free port of this machine."""

    def __init__(self, library: Library) -> None:
        self._model = Model(library)
        self._healed = False
        self._seen: set[str] = set()
        self._guard = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_port

    @property
    def address(self) -> str:
        """What ``OPENAI_BASE_URL`` is to be."""
        return f"http://127.0.0.1:{self.port}/v1"

    def heal(self) -> None:
        """Let faulty models answer all that they are asked from now on."""
        self._healed = True

    def stop(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()

    def _reply(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        name = str(body["model"])
        text = "\n".join(str(message["content"]) for message in body["messages"])
        if "faulty" in name and not self._healed and (fault := self._fault(name, text)):
            return fault
        return 200, completion(self._model.says(name, text), text, bool(body.get("logprobs")))

    def _fault(self, name: str, text: str) -> tuple[int, Mapping[str, Any]] | None:
        dice = Dice(f"fault\n{name}\n{text}")
        draw = dice.below(100)
        if draw < 8:
            return 400, {"error": {"message": "scripted refusal", "code": "invalid_request"}}
        if draw < 10:
            return 400, {"error": {"message": "scripted filter", "code": "content_filter"}}
        if draw < 12:
            return 400, {"error": {"message": "too long", "code": "context_length_exceeded"}}
        if draw < 14:
            with self._guard:
                known = text in self._seen
                self._seen.add(text)
            return None if known else (429, {"error": {"message": "scripted wait", "code": "rate_limit"}})
        return None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self._send(*api._reply(body))

            def do_GET(self) -> None:
                self._send(200, {"object": "list", "data": []})

            def _send(self, status: int, reply: Mapping[str, Any]) -> None:
                content = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        return Handler


def completion(said: Mapping[str, Any], asked: str, logprobs: bool) -> Mapping[str, Any]:
    """Return a reply in the form of chat completions.

    Args:
        said: The text, and perhaps ``refusal``, ``finish_reason`` and ``weights`` of its score.
        asked: What was asked, for the number of tokens.
        logprobs: Whether probabilities are wanted.
    """
    text = str(said["text"])
    told = None
    if logprobs and (weights := said.get("weights")):
        told = {"content": [*map(_token, _split_at_score(text, weights))]}
    sent, back = len(asked) // 4, len(text) // 4
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-1",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "finish_reason": said.get("finish_reason", "stop"),
                "message": {"role": "assistant", "content": text, "refusal": said.get("refusal")},
                "logprobs": told,
            }
        ],
        "usage": {"prompt_tokens": sent, "completion_tokens": back, "total_tokens": sent + back},
    }


def _split_at_score(text: str, weights: Mapping[int, float]) -> list[tuple[str, Mapping[str, float]]]:
    head, mark, tail = text.rpartition('"score": ')
    number = re.match(r"\d+", tail)
    score = number[0] if number else ""
    others = {str(each): share for each, share in weights.items()}
    return [(head + mark, {}), (score, others), (tail[len(score) :], {})]


def _token(given: tuple[str, Mapping[str, float]]) -> Mapping[str, Any]:
    token, others = given
    shares = others or {token: 1.0}
    told = [
        {"token": name, "logprob": math.log(share), "bytes": list(name.encode())}
        for name, share in shares.items()
    ]
    share = shares.get(token, 1.0)
    return {"token": token, "logprob": math.log(share), "bytes": list(token.encode()), "top_logprobs": told}
