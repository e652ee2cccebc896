"""What the plan of a query says it would do.

The plan is the server's own reading of the text, so comments, escapes and spelling do not matter here.
"""

from kg.execution._rules import GuardRules


def refusal_by_plan(
    query_type: str | None, operators: list[tuple[str, str]], rules: GuardRules
) -> str | None:
    """Return why a planned query must not run, None where it may.

    Args:
        query_type: ``r``, ``rw``, ``w`` or ``s``, as the server sums the query up.
        operators: Name and details of every operator of the plan.
        rules: What is allowed.
    """
    for name, details in operators:
        if name == "ProcedureCall":
            procedure = details.partition("(")[0].strip().lower()
            if procedure not in rules.procedures:
                return f"It calls the procedure {procedure}, which is not one that only reads the schema."
        elif rules.denies(name):
            return f"Its plan holds {name}; only reading the graph is allowed."
    if query_type != "r":
        return f"The server plans it as a query of type {query_type}; only reads (type r) are allowed."
    return None if operators else "The server gave no plan to check."
