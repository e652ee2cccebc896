"""What queries have in common that differ only in their strings."""

from kg.cypher._tokens import TokenKind, tokens


def shape(text: str) -> str:
    """Return the tokens of a query with its string literals blanked, as a key.

    Queries of one shape differ in nothing but the content of string literals, white space and comments, so
    they plan to the same kinds of operators: the server itself takes literals out before it plans. Numbers
    stay, since path lengths and limits decide what is planned. Literals also stay in a text with the word
    ``USE``, where a string may name the graph that the query goes to.

    Only what operators a plan has is the same for a shape, not whether a query compiles: an empty string as a
    dynamic label is an error where another is none.
    """
    found = tokens(text)
    keep = any(token.name == "USE" for token in found)
    return " ".join("''" if token.kind is TokenKind.STRING and not keep else token.text for token in found)
