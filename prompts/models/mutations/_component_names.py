"""Which component of a reaction a returned item holds."""

from kg.cypher import ParsedQuery, ReturnItem, relationship_patterns
from prompts.models.mutations._structure import main_clauses, text_of, variables_in, where_of

_BY_TYPE = {"REACTS_IN": "reactants", "USES_AGENT": "agents", "USES_SOLVENT": "solvents"}
_BY_WORD = {
    "yield": "target_yield",
    "coproduct": "co_products",
    "reactant": "reactants",
    "precursor": "reactants",
    "agent": "agents",
    "solvent": "solvents",
    "product": "products",
}


def is_id(item: ReturnItem) -> bool:
    """Whether an item tells reactions apart."""
    return item.column == "id" or item.expression.endswith(".id")


def component_of(query: ParsedQuery, item: ReturnItem) -> str:
    """The component that an item holds, by what its variables are joined with, else by its name; or none.

    One of ``id``, ``reactants``, ``products``, ``agents``, ``solvents``, ``target_yield``, ``co_products``
    or the empty string.
    """
    item = _where_made(query, item)
    if is_id(item):
        return "id"
    if item.expression.endswith(".yield"):
        return "target_yield"
    used = variables_in(query, item.node) - {item.alias}
    types = {
        pattern.types
        for pattern in relationship_patterns(query)
        for end in (pattern.left, pattern.right)
        if end and end.variable in used and "Reaction" not in end.labels
    }
    if types == {("PRODUCES",)}:
        return "co_products" if _is_told_apart(query, used) else "products"
    if len(types) == 1 and len(*types) == 1:
        return _BY_TYPE.get(next(iter(types))[0], "")
    name = "".join(letter for letter in item.column.lower() if letter.isalpha())
    return next((component for word, component in _BY_WORD.items() if word in name), "")


def _where_made(query: ParsedQuery, item: ReturnItem) -> ReturnItem:
    """The item of a WITH that made what a later one only hands on."""
    earlier = [
        each
        for clause in main_clauses(query)
        for each in clause.items
        if each.stop <= item.start and each.alias and each.alias == item.expression
    ]
    return earlier[-1] if earlier else item


def _is_told_apart(query: ParsedQuery, used: set[str]) -> bool:
    wheres = [where for clause in main_clauses(query) if (where := where_of(clause))]
    return any("<>" in text_of(query, where) and variables_in(query, where) & used for where in wheres)
