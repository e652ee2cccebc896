"""The operators by name."""

import difflib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from retrocypher.kg.cypher.edits import apply_edits
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.mutations.anchor_errors import (
    ANCHOR_OTHER_END,
    DROP_ANCHOR,
    PLACEHOLDER,
    SMILES_ATOM,
    SMILES_BACKSLASH,
    SMILES_BRACKET,
    SMILES_CASE,
    SMILES_CHARGE,
    SMILES_RING,
    SMILES_STEREO,
    SWAP_ENDS,
    TARGET_REACTS,
    WRONG_MOLECULE,
)
from retrocypher.kg.mutations.join_errors import (
    ANCHOR_APART,
    COUNT_FOR_COLLECT,
    DROP_DISTINCT,
    DROP_NULL_CHECK,
    DROP_ORDER,
    EXTRA_MATCH,
    FIRST_ONLY,
    ONE_GROUP,
    OTHER_REACTION,
    REQUIRE_ALL,
    REQUIRE_MATCH,
    REVERSE_ROUTES,
    SORT_ASCENDING,
)
from retrocypher.kg.mutations.neutral_patterns import (
    ADD_LABELS,
    DROP_LABELS,
    FLIP_PATTERN,
    MAP_TO_WHERE,
    PATTERN_FOR_EACH,
    WHERE_TO_MAP,
    WRITE_OUT_PATH,
)
from retrocypher.kg.mutations.neutral_text import (
    ADD_COMMENT,
    COLLECT_EARLY,
    DOUBLE_QUOTES,
    ONE_LINE,
    RENAME_COLUMNS,
    RENAME_VARIABLES,
    REORDER_ITEMS,
    RETURN_PATH,
    SMALL_KEYWORDS,
    SWAP_CLAUSES,
    UNCOLLECTED,
    WITH_ALL,
    WITH_NAMES,
)
from retrocypher.kg.mutations.operator import (
    NOTHING_TO_RUN,
    PARAMETER_FOR_LITERAL,
    WRITE_CLAUSE,
    MutationKind,
    Operator,
)
from retrocypher.kg.mutations.pattern_errors import (
    ANCHOR_PROPERTY,
    CHANGE_HOPS,
    CHANGE_LENGTH,
    DOUBLE_LENGTH,
    DROP_ARROW,
    DROP_TYPE,
    FEWER_TYPES,
    INVENTED_LABEL,
    INVENTED_TYPE,
    JOIN_MOLECULES,
    LENGTH_RANGE,
    MORE_TYPES,
    RETURNED_PROPERTY,
    REVERSE_ARROW,
    REVERSE_PATH,
    REVERSE_TYPE,
    STEPS_FOR_HOPS,
    SWAP_CONDITIONS,
    UNBOUNDED_LENGTH,
    WRONG_TYPE,
    YIELD_ELSEWHERE,
)
from retrocypher.kg.mutations.result_errors import (
    ADD_LIMIT,
    ANY_OF,
    AT_LEAST_ONE,
    COUNT_FOR_ROWS,
    DROP_COMPONENT,
    DROP_COMPONENT_MATCH,
    DROP_ID,
    DROP_LIMIT,
    KEEP_TARGET,
    LENGTH_FOR_ROUTE,
    LIMIT_EARLY,
    LUMP_COMPONENTS,
    MOLECULES_FOR_REACTIONS,
    NAMES_FOR_REACTIONS,
    ONE_STEP_OF_ROUTE,
    ONLY_ONE_COMPONENT,
    OR_FOR_AND,
    RAISE_LIMIT,
    SKIP_ROW,
)
from retrocypher.kg.mutations.syntax_errors import (
    BROKEN_QUOTES,
    INVENTED_FUNCTION,
    MISSING_COMMA,
    MISSING_RETURN,
    PROSE_AROUND,
    SQL_WORDS,
    UNBALANCED_BRACKET,
    UNKNOWN_VARIABLE,
)

OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        operator.name: operator
        for operator in (
            REVERSE_ARROW,
            REVERSE_TYPE,
            REVERSE_PATH,
            DROP_ARROW,
            ANCHOR_OTHER_END,
            SWAP_ENDS,
            TARGET_REACTS,
            SWAP_CONDITIONS,
            WRONG_TYPE,
            DROP_TYPE,
            FEWER_TYPES,
            MORE_TYPES,
            CHANGE_LENGTH,
            CHANGE_HOPS,
            DOUBLE_LENGTH,
            STEPS_FOR_HOPS,
            UNBOUNDED_LENGTH,
            LENGTH_RANGE,
            DROP_COMPONENT,
            DROP_COMPONENT_MATCH,
            ONLY_ONE_COMPONENT,
            DROP_ID,
            KEEP_TARGET,
            LUMP_COMPONENTS,
            REQUIRE_MATCH,
            REQUIRE_ALL,
            OTHER_REACTION,
            ANCHOR_APART,
            DROP_DISTINCT,
            EXTRA_MATCH,
            SORT_ASCENDING,
            DROP_ORDER,
            DROP_NULL_CHECK,
            COUNT_FOR_COLLECT,
            FIRST_ONLY,
            ONE_GROUP,
            REVERSE_ROUTES,
            DROP_LIMIT,
            ADD_LIMIT,
            LIMIT_EARLY,
            RAISE_LIMIT,
            SKIP_ROW,
            ANY_OF,
            AT_LEAST_ONE,
            OR_FOR_AND,
            MOLECULES_FOR_REACTIONS,
            NAMES_FOR_REACTIONS,
            COUNT_FOR_ROWS,
            ONE_STEP_OF_ROUTE,
            LENGTH_FOR_ROUTE,
            ANCHOR_PROPERTY,
            RETURNED_PROPERTY,
            YIELD_ELSEWHERE,
            INVENTED_LABEL,
            INVENTED_TYPE,
            JOIN_MOLECULES,
            WRONG_MOLECULE,
            PLACEHOLDER,
            DROP_ANCHOR,
            SMILES_CASE,
            SMILES_RING,
            SMILES_BRACKET,
            SMILES_STEREO,
            SMILES_CHARGE,
            SMILES_ATOM,
            SMILES_BACKSLASH,
            UNBALANCED_BRACKET,
            SQL_WORDS,
            MISSING_RETURN,
            PROSE_AROUND,
            BROKEN_QUOTES,
            UNKNOWN_VARIABLE,
            INVENTED_FUNCTION,
            MISSING_COMMA,
            PARAMETER_FOR_LITERAL,
            WRITE_CLAUSE,
            NOTHING_TO_RUN,
            RENAME_VARIABLES,
            RENAME_COLUMNS,
            FLIP_PATTERN,
            DROP_LABELS,
            ADD_LABELS,
            WRITE_OUT_PATH,
            MAP_TO_WHERE,
            WHERE_TO_MAP,
            PATTERN_FOR_EACH,
            SWAP_CLAUSES,
            WITH_ALL,
            WITH_NAMES,
            COLLECT_EARLY,
            REORDER_ITEMS,
            RETURN_PATH,
            UNCOLLECTED,
            DOUBLE_QUOTES,
            SMALL_KEYWORDS,
            ONE_LINE,
            ADD_COMMENT,
        )
    }
)
"""All operators: errors by label, then those of style, then the neutral ones."""


def operators_of(*kinds: MutationKind) -> tuple[Operator, ...]:
    """Return the operators of some kinds."""
    return tuple(operator for operator in OPERATORS.values() if operator.kind in kinds)


def operators_named(names: str) -> tuple[Operator, ...]:
    """Return the operators of a list with commas; all that plant an error for an empty text.

    Raises:
        InputError: If there is no operator of a name.
    """
    if not names:
        return operators_of("error")
    wanted = list(dict.fromkeys(names.split(",")))
    unknown = [name for name in wanted if name not in OPERATORS]
    if unknown:
        raise InputError(
            f"--model mutant:{names}: no operator {unknown[0]!r}; {_meant(unknown[0])}"
            "docs/errors-and-loops.md lists all of them."
        )
    return tuple(OPERATORS[name] for name in wanted)


def _meant(name: str) -> str:
    planting = [each.name for each in OPERATORS.values() if each.label == name_of(name)]
    if planting:
        return f"that is a label; its operators are {', '.join(planting)}; "
    near = difflib.get_close_matches(name, OPERATORS, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}? " if near else ""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A query with one known change, or with several neutral ones.

    Attributes:
        query: The changed query.
        operator: Name of the operator that changed it; joined by ``+`` where several did, in turn.
        place: Which of the operator's mutations it is, from 0; of the last operator where several did.
        kind: Whether it plants an error, is a matter of style, or changes nothing.
        label: The error planted, with its detail where there is one; None for a neutral change.
    """

    query: str
    operator: str
    place: int
    kind: MutationKind
    label: str | None


def mutations_of(operator: Operator, query: str | ParsedQuery) -> list[Mutant]:
    """Return the query with each of an operator's changes in turn.

    Empty where it does not apply, and for a query with a syntax error, whose parts cannot be told apart.
    """
    parsed = parse(query) if isinstance(query, str) else query
    if parsed.errors:
        return []
    return [
        Mutant(
            apply_edits(parsed.text, mutation.edits),
            operator.name,
            place,
            operator.kind,
            operator.label_of(mutation),
        )
        for place, mutation in enumerate(operator.mutations(parsed))
    ]


def mutate(query: str, operators: Sequence[Operator], *, seed: int, key: str) -> Mutant | None:
    """Make one change to a query: an operator first, then one of its places, each equally likely.

    Args:
        query: A right query.
        operators: The operators to choose from; those that do not apply are passed over.
        seed: Seed of the choice.
        key: Whose choice it is, such as a question's id. Seed and key alone decide, on every machine.

    Returns:
        The changed query, None where no operator applies.
    """
    parsed = parse(query)
    chance = random.Random(f"{seed}:{key}")
    # Asked in a random order until one applies: as likely as a choice among those that do, and far quicker.
    for operator in chance.sample(list(operators), len(operators)):
        found = mutations_of(operator, parsed)
        if found:
            return found[chance.randrange(len(found))]
    return None


def compose(query: str, operators: Sequence[Operator], *, count: int, seed: int, key: str) -> Mutant | None:
    """Make several neutral changes to a query, one after another, each by another operator.

    Args:
        query: A right query.
        operators: The neutral operators to choose from.
        count: How many changes, at least 1.
        seed: Seed of the choice.
        key: Whose choice it is. Seed and key alone decide, on every machine.

    Returns:
        The changed query, None where fewer than ``count`` operators apply.

    Raises:
        ValueError: If an operator is not neutral: what several of those do together has no one label.
    """
    if any(operator.kind != "neutral" for operator in operators):
        raise ValueError("only neutral operators are composed")
    chance = random.Random(f"{seed}:{key}")
    made: list[Mutant] = []
    for operator in chance.sample(list(operators), len(operators)):
        if len(made) < count:
            found = mutations_of(operator, made[-1].query if made else query)
            made += [found[chance.randrange(len(found))]] if found else []
    if len(made) < count:
        return None
    names = "+".join(each.operator for each in made)
    return Mutant(made[-1].query, names, made[-1].place, "neutral", None)
