"""What the name of a column says: a key, a role, a step or a quantity, from docs/scores.md alone."""

import re
from functools import cache

from nltk.stem.snowball import SnowballStemmer

ROLES = ("reactants", "products", "agents", "solvents")
RELATIONSHIPS = dict(zip(("REACTS_IN", "PRODUCES", "USES_AGENT", "USES_SOLVENT"), ROLES, strict=True))

# The names that the page gives, and some of those that the product's table has.
ALIASES = {
    "reactants": "precursor direct_precursor",
    "products": "target target_product main_product",
    "agents": "reagent catalyst base ligand additive oxidant",
    "solvents": "",
    "target_yield": "yield",
    "co_products": "coproduc",
    "id": "reaction reaction_id best_reaction",
}
PASSING = {"collect", "head", "max", "coalesce", "tofloat"}
MOLECULES = {"molecule", "molecules", "compound", "compounds", "value", "values", "name", "names", "smiles"}
REACTIONS = {"id", "ids", "reaction", "reactions", "reaction_nodes", "r"}
POSITIONS = {"step", "steps", "hops", "num", "step_number", "idx", "n", "rank", "route_id", "path_id"}
COUNTS = {"num", "n", "count", "total", "length"}
QUANTITIES = {"length", "total", "count", "yield", "yields"}
NUMBERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "one": 1, "two": 2, "last": 99}

_stem_word = cache(SnowballStemmer("english").stem)


def snake(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())).lower()


def words_of(name: str) -> list[str]:
    return re.findall("[a-z]+", snake(name))


def stem(name: str) -> str:
    return "_".join(_stem_word(part) for part in re.sub(r"_?\d+$", "", name).split("_"))


_KNOWN = {name: key for key, names in ALIASES.items() for name in (key, *names.split())}
_STEMS = {stem(name): (key, "stem" if name == key else "alias") for name, key in _KNOWN.items()}


def behind(text: str) -> list[str]:
    """Return the names that an expression could go by, the first first."""
    text = text.strip()
    if found := re.fullmatch(r"CASE\b.*?END", text):
        return [name for part in re.findall(r"(?:THEN|ELSE) (\S+)", text) for name in behind(part)]
    if found := re.fullmatch(r"COLLECT *\{.*RETURN (.*?)(?: AS (\w+))? *\}", text):
        return [*behind(found[1]), *filter(None, [found[2]])]
    if found := re.fullmatch(r"\[(\w+) IN (.*?)(?: WHERE [^|]*)?\| *(.*)\]", text):
        returned = behind(found[3])
        return [*behind(found[2]), found[1]] if returned == [found[1]] else returned
    if found := re.fullmatch(r"\[\(.*\| *(.*)\]", text) or re.fullmatch(r"(.+)\[[^\[\]]*\]", text):
        return behind(found[1])
    if found := re.fullmatch(r"(\w+)\((?:DISTINCT )?(.*)\)", text):
        return behind(re.split(r",(?![^(\[]*[)\]])", found[2])[0]) if found[1].lower() in PASSING else []
    if found := re.fullmatch(r"(\w+)\.(\w+)", text):
        return [found[1] if found[2] in ("name", "smiles") else found[2]]
    return [text] if re.fullmatch(r"[\w\s-]+", text) else []


def one_edit(left: str, right: str) -> bool:
    short, long = sorted((left.removesuffix("s"), right.removesuffix("s")), key=len)
    if len(long) > len(short):
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    other = [at for at in range(len(short)) if short[at] != long[at]]
    swapped = len(other) == 2 and short[other[0]] + short[other[1]] == long[other[1]] + long[other[0]]
    return len(other) == 1 or (swapped and other[1] == other[0] + 1)


def misspelt(name: str) -> set[str]:
    keys, words = set(), re.sub(r"_?\d+$", "", name).split("_")
    for known, key in _KNOWN.items():
        if len(known.split("_")) == len(words):
            pairs = zip(words, known.split("_"), strict=True)
            wrong = [(a, b) for a, b in pairs if a.removesuffix("s") != b.removesuffix("s")]
            if (
                len(wrong) == 1
                and len(wrong[0][0]) >= 5
                and wrong[0][0][0] == wrong[0][1][0]
                and one_edit(*wrong[0])
            ):
                keys.add(key)
    return keys


@cache
def match(text: str, task: str) -> tuple[str, str] | None:
    """Return the key that the name of a column matches, and the stage."""
    if text in RELATIONSHIPS:
        return RELATIONSHIPS[text], "alias"
    for candidate in behind(text):
        name = re.sub(r"(?<=.)_names?(?=_?\d*$)", "", snake(candidate))
        key, stage = (name, "exact") if name in ALIASES else _STEMS.get(stem(name), ("", ""))
        if not key and len(keys := misspelt(name)) == 1:
            key, stage = keys.pop(), "misspelling"
        if key == "co_products" != task:
            return "products", "misspelling" if stage == "misspelling" else "alias"
        if key:
            return None if key == "target_yield" and task != "best_yield" else (key, stage)
    return None


def is_role(value: object) -> bool:
    if not isinstance(value, str) or re.search(r"\d", value):
        return False
    found = match(value, "co_products") or match(value, "best_yield")
    return found is not None and found[1] != "misspelling"


@cache
def kind(name: str) -> str:
    """Return what the name of a column is that of: a reaction, quantity, position or anything else."""
    found = match(name, "")
    words = [word for word in words_of((behind(name) or [name])[0]) if word not in NUMBERS]
    endings = ["_".join(words[at:]) for at in range(len(words))]
    named = [ending for ending in endings if ending in REACTIONS | POSITIONS]
    if found and found[0] == "id":
        return "reaction"
    if len(words) > 1 and words[0] in COUNTS:
        return "quantity"
    if named and named[0] not in POSITIONS:
        return "reaction"
    return "quantity" if set(words) & QUANTITIES else "position" if named else "other"


@cache
def numbered(name: str) -> tuple[str, int] | None:
    """Return the stem of a numbered name and its number."""
    words = re.findall(r"\d+|[^\W\d_]+", snake(name))
    numbers = [NUMBERS.get(word) or int(word) for word in words if word in NUMBERS or word.isdigit()]
    rest = "_".join(word for word in words if word not in NUMBERS and not word.isdigit())
    return (rest, numbers[0]) if len(numbers) == 1 else None
