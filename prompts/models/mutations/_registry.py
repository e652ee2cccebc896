"""The operators by name."""

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from kg.errors import InputError
from kg.labels import name_of
from prompts.models.mutations._anchoring import ANCHOR_OTHER_END, SWAP_ENDS, TARGET_REACTS
from prompts.models.mutations._components import (
    DROP_COMPONENT,
    DROP_COMPONENT_MATCH,
    DROP_ID,
    ONLY_ONE_COMPONENT,
)
from prompts.models.mutations._direction import DROP_ARROW, REVERSE_ARROW, REVERSE_PATH, REVERSE_TYPE
from prompts.models.mutations._entities import DROP_ANCHOR, PLACEHOLDER, WRONG_MOLECULE
from prompts.models.mutations._extra import KEEP_TARGET, LUMP_COMPONENTS
from prompts.models.mutations._joins import (
    ANCHOR_APART,
    DROP_DISTINCT,
    EXTRA_MATCH,
    OTHER_REACTION,
    REQUIRE_ALL,
    REQUIRE_MATCH,
)
from prompts.models.mutations._length import (
    CHANGE_HOPS,
    CHANGE_LENGTH,
    DOUBLE_LENGTH,
    LENGTH_RANGE,
    STEPS_FOR_HOPS,
    UNBOUNDED_LENGTH,
)
from prompts.models.mutations._limits import ADD_LIMIT, DROP_LIMIT, LIMIT_EARLY, RAISE_LIMIT, SKIP_ROW
from prompts.models.mutations._neutral_anchors import MAP_TO_WHERE, PATTERN_FOR_EACH, WHERE_TO_MAP
from prompts.models.mutations._neutral_clauses import COLLECT_EARLY, SWAP_CLAUSES, WITH_ALL, WITH_NAMES
from prompts.models.mutations._neutral_names import RENAME_COLUMNS, RENAME_VARIABLES
from prompts.models.mutations._neutral_patterns import ADD_LABELS, DROP_LABELS, FLIP_PATTERN, WRITE_OUT_PATH
from prompts.models.mutations._neutral_return import REORDER_ITEMS, RETURN_PATH, UNCOLLECTED
from prompts.models.mutations._neutral_text import ADD_COMMENT, DOUBLE_QUOTES, ONE_LINE, SMALL_KEYWORDS
from prompts.models.mutations._operator import MutationKind, Operator
from prompts.models.mutations._order import (
    COUNT_FOR_COLLECT,
    DROP_NULL_CHECK,
    DROP_ORDER,
    FIRST_ONLY,
    ONE_GROUP,
    REVERSE_ROUTES,
    SORT_ASCENDING,
)
from prompts.models.mutations._relationships import (
    DROP_TYPE,
    FEWER_TYPES,
    MORE_TYPES,
    SWAP_CONDITIONS,
    WRONG_TYPE,
)
from prompts.models.mutations._schema import (
    ANCHOR_PROPERTY,
    INVENTED_LABEL,
    INVENTED_TYPE,
    JOIN_MOLECULES,
    RETURNED_PROPERTY,
    YIELD_ELSEWHERE,
)
from prompts.models.mutations._sets import ANY_OF, AT_LEAST_ONE, OR_FOR_AND
from prompts.models.mutations._shape import (
    COUNT_FOR_ROWS,
    LENGTH_FOR_ROUTE,
    MOLECULES_FOR_REACTIONS,
    NAMES_FOR_REACTIONS,
    ONE_STEP_OF_ROUTE,
)
from prompts.models.mutations._smiles import (
    SMILES_ATOM,
    SMILES_BACKSLASH,
    SMILES_BRACKET,
    SMILES_CASE,
    SMILES_CHARGE,
    SMILES_RING,
    SMILES_STEREO,
)
from prompts.models.mutations._statuses import NOTHING_TO_RUN, PARAMETER_FOR_LITERAL, WRITE_CLAUSE
from prompts.models.mutations._syntax import (
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
            f"--model mutant:{names}: no operator {unknown[0]!r}; {_meant(unknown[0])}docs/bank.md lists all "
            "of them."
        )
    return tuple(OPERATORS[name] for name in wanted)


def _meant(name: str) -> str:
    planting = [each.name for each in OPERATORS.values() if each.label == name_of(name)]
    if planting:
        return f"that is a label; its operators are {', '.join(planting)}; "
    near = difflib.get_close_matches(name, OPERATORS, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}? " if near else ""
