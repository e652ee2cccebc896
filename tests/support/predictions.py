"""Results that a model's query might return: the gold of a question in many shapes, right and wrong."""

import copy
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, zip_longest
from typing import Any, NamedTuple

from retrocypher.kg.questions.question import Question
from tests.support.graph_values import molecule, reaction

Rows = list[list[Any]]
Table = tuple[list[str], Rows]
Reaction = dict[str, Any]
Shape = Callable[[list[Reaction], random.Random], Table]
RouteShape = Callable[[list[list[Any]], random.Random], Table]

Value = Callable[[Any], Any]


def same(value: Any) -> Any:
    return value


class Prediction(NamedTuple):
    """A result, and how it came about."""

    question: Question
    shape: str
    change: str
    columns: list[str]
    rows: Rows


# --- single-step: what is in the result -------------------------------------------------------------------


def _roles(each: Reaction) -> list[str]:
    return [key for key in each if key not in ("id", "target_yield")]


def _change_molecules(change: Callable[[list[Any], random.Random], Any]) -> Callable[..., Any]:
    def changed(gold: list[Reaction], rng: random.Random) -> None:
        each = rng.choice(gold)
        role = rng.choice([key for key in _roles(each) if each[key]])
        change(each[role], rng)

    return changed


def _drop_reaction(gold: list[Reaction], rng: random.Random) -> None:
    gold.pop(rng.randrange(len(gold)))


def _extra_reaction(gold: list[Reaction], rng: random.Random) -> None:
    other = copy.deepcopy(rng.choice(gold))
    other["id"] += 100_000
    other["products"].append("CCCl")
    gold.insert(rng.randrange(len(gold) + 1), other)


def _double_reaction(gold: list[Reaction], rng: random.Random) -> None:
    gold.append(copy.deepcopy(rng.choice(gold)))


def _swap_roles(gold: list[Reaction], rng: random.Random) -> None:
    left, right = rng.sample(_roles(gold[0]), 2)
    for each in gold:
        each[left], each[right] = each[right], each[left]


def _swap_between(gold: list[Reaction], rng: random.Random) -> None:
    role = rng.choice(_roles(gold[0]))
    gold[0][role], gold[-1][role] = gold[-1][role], gold[0][role]


def _set(key: str, value: Value, one: bool = False) -> Callable[..., Any]:
    def changed(gold: list[Reaction], rng: random.Random) -> None:
        for each in [rng.choice(gold)] if one else gold:
            if key in each:
                each[key] = value(each[key])

    return changed


def _same_id(gold: list[Reaction], rng: random.Random) -> None:
    for each in gold:
        each["id"] = gold[0]["id"]


CHANGES: dict[str, Callable[[list[Reaction], random.Random], Any]] = {
    "right": lambda gold, rng: None,
    "other order": lambda gold, rng: rng.shuffle(gold),
    "empty": lambda gold, rng: gold.clear(),
    "drop reaction": _drop_reaction,
    "extra reaction": _extra_reaction,
    "double reaction": _double_reaction,
    "swap roles": _swap_roles,
    "swap between reactions": _swap_between,
    "drop molecule": _change_molecules(lambda names, rng: names.pop(rng.randrange(len(names)))),
    "extra molecule": _change_molecules(lambda names, rng: names.append("CCBr")),
    "double molecule": _change_molecules(lambda names, rng: names.append(names[0])),
    "null molecule": _change_molecules(lambda names, rng: names.insert(0, None)),
    "number for a molecule": _change_molecules(lambda names, rng: names.append(7)),
    "truth value for a molecule": _change_molecules(lambda names, rng: names.append(True)),
    "number twice for a molecule": _change_molecules(lambda names, rng: names.extend([7, 7.0, "7"])),
    "blank molecule": _change_molecules(lambda names, rng: names.append("")),
    "lower case": _change_molecules(lambda names, rng: names.append(names.pop().lower())),
    "no agents": _set("agents", lambda _: []),
    "no solvents in one": _set("solvents", lambda _: [], one=True),
    "wrong ids": _set("id", lambda found: found + 50_000),
    "one wrong id": _set("id", lambda found: -found, one=True),
    "one id for all": _same_id,
    "null ids": _set("id", lambda _: None),
    "one null id": _set("id", lambda _: None, one=True),
    "ids as text": _set("id", str),
    "ids as floats": _set("id", float),
    "ids that are no ids": _set("id", lambda found: f"reaction {found}"),
    "one id that is none": _set("id", lambda found: found + 0.5, one=True),
    "yield as text": _set("target_yield", str),
    "yield almost": _set("target_yield", lambda found: found + 5e-7),
    "yield off": _set("target_yield", lambda found: found + 2e-6),
    "yield in words": _set("target_yield", lambda found: f"{found} %"),
    "null yield": _set("target_yield", lambda _: None),
    "yield not a number": _set("target_yield", lambda _: {"$float": "NaN"}),
    "yield a truth value": _set("target_yield", lambda _: True),
}


# --- single-step: how it is laid out ----------------------------------------------------------------------

KEYS = ("id", "reactants", "products", "agents", "solvents", "target_yield", "co_products")
STYLES = {
    "keys": "id; reactants; products; agents; solvents; target_yield; co_products",
    "capitals": "Id; Reactants; Products; Agents; Solvents; targetYield; coProducts",
    "singular": "reaction_id; reactant; product; agent; solvent; target_yields; co_product",
    "camel names": "reactionId; reactantNames; productName; agentNames; SolventName; yield; coProductNames",
    "aliases": "reaction_id; direct_precursors; target_product; reagents; solvents; rel.yield; coproducs",
    "other aliases": "best_reaction; Direct Precursor Names; main_product; "
    "catalyst; solvents; Yield; co_products",
    "agent words": "r.id; precursors; target; oxidant; solvents; target_yield; co_products",
    "misspelt": "id; reactnts; prodcuts; agnets; solvants; target_yeild; co_prodcts",
    "properties": "reaction.id; reactant.name; product.name; "
    "agent.name; solvent.name; p.yield; co_product.name",
    "collected": "r.id; collect(DISTINCT reactant.name); collect(DISTINCT product.name); "
    "collect(agent.name); collect(DISTINCT solvent.name); max(p.yield); collect(co_product.name)",
    "comprehensions": "r.id; [x IN collect(reactant) | x.name]; [product IN ps | product.name]; "
    "[x IN collect(DISTINCT agent) | x.name]; [(r)-[:USES_SOLVENT]->(solvent) | solvent.name]; "
    "toFloat(p.yield); [x IN co_products | x.name]",
    "subqueries": "r.id; COLLECT { MATCH (x:Molecule)-[:REACTS_IN]->(r) RETURN x.name AS reactant }; "
    "COLLECT { MATCH (r)-[:PRODUCES]->(product) RETURN product.name }; "
    "CASE WHEN agent IS NULL THEN none ELSE agent.name END; collect(solvent.name)[0..3]; "
    "coalesce(p.yield, 0); head(collect(co_product.name))",
    "counts": "r.id; reactants; products; size(agents); count(solvent); target_yield; co_products",
    "uninformative": "id; a; b; conditions; m.name; target_yield; co_products",
    "ambiguous": "reaction; reactants; co_products; base; yield; target_yield; co_products",
    "numbered": "id; reactant1; products_2; agent 3; solventName4; target_yield; co_products",
}
"""Names of the columns for each key, in the order of KEYS."""
NAMES = {style: dict(zip(KEYS, names.split("; "), strict=True)) for style, names in STYLES.items()}


def _table(gold: list[Reaction], names: dict[str, str], keys: Sequence[str] | None = None) -> Table:
    keys = keys or (list(gold[0]) if gold else ["id", "reactants", "products"])
    return [names.get(key, key) for key in keys], [
        [copy.deepcopy(each[key]) for key in keys] for each in gold
    ]


def _named(style: str) -> Shape:
    return lambda gold, rng: _table(gold, NAMES[style])


def _shuffled_columns(gold: list[Reaction], rng: random.Random) -> Table:
    keys = list(gold[0]) if gold else ["id"]
    return _table(gold, NAMES[rng.choice(list(NAMES))], rng.sample(keys, len(keys)))


def _without(*left_out: str, style: str = "singular") -> Shape:
    def table(gold: list[Reaction], rng: random.Random) -> Table:
        keys = [key for key in (gold[0] if gold else ["id", "reactants"]) if key not in left_out]
        return _table(gold, NAMES[style], keys or ["reactants"])

    return table


def _one_key(gold: list[Reaction], rng: random.Random) -> Table:
    return _table(gold, NAMES["singular"], [rng.choice(list(gold[0]) if gold else ["id"])])


def _row_a_molecule(style: str, with_id: bool = True) -> Shape:
    def table(gold: list[Reaction], rng: random.Random) -> Table:
        keys = [key for key in (gold[0] if gold else ["id", "agents"]) if with_id or key != "id"]
        columns = [NAMES[style][key] for key in keys]
        rows: Rows = []
        for each in gold:
            lists = [each[key] if isinstance(each[key], list) else [each[key]] for key in keys]
            for row in zip_longest(*lists):
                place = keys.index("id") if with_id else None
                rows.append([each["id"] if at == place else value for at, value in enumerate(row)])
        return columns, rows

    return table


def _all_combinations(gold: list[Reaction], rng: random.Random) -> Table:
    columns = ["r.id", "reactant", "product.name"]
    return columns, [
        [each["id"], left, right]
        for each in gold
        for left in each["reactants"] or [None]
        for right in each["products"] or [None]
    ]


def _pooled(gold: list[Reaction], rng: random.Random) -> Table:
    keys = list(gold[0]) if gold else ["id"]
    return [NAMES["collected"][key] for key in keys], [[[each[key] for each in gold] for key in keys]]


def _row_a_product(gold: list[Reaction], rng: random.Random) -> Table:
    products = sorted({name for each in gold for name in each["products"] if isinstance(name, str)})
    rows: Rows = []
    for product in products:
        made_by = [each for each in gold if product in each["products"]]
        rows.append([product, [each["id"] for each in made_by], [each["reactants"] for each in made_by]])
    return ["product", "collect(r.id)", "collect(reactant.name)"], rows


def _maps_in_a_map(gold: list[Reaction], rng: random.Random) -> Table:
    inner = [{key: each[key] for key in each if key != "products"} for each in gold]
    return ["result"], [[{"products": [each["products"] for each in gold], "reactions": inner}]]


def _two_lists_of_maps(gold: list[Reaction], rng: random.Random) -> Table:
    maps = [_map(each, "keys") for each in gold]
    half = len(maps) // 2
    return ["a", "b", "solvent"], [[maps[:half], maps[half:], None if rng.random() < 0.5 else "CCO"]]


def _yields_twice(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    found = [each.get("target_yield") for each in gold]
    near = [each + 8e-7 if isinstance(each, float) else each for each in found]
    return [*columns, "yield"], [[*row, each] for row, each in zip(rows, near, strict=True)]


def _several_ids(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    more = [[[row[0], *rng.sample((1, 2), 1)], *row[1:]] for row in rows for _ in range(2)]
    return columns, rows + more


ROLE_WORDS = {
    "reactants": ("reactant", "REACTS_IN", "precursor", "Reactants"),
    "products": ("product", "PRODUCES", "main_product", "Products"),
    "agents": ("agent", "USES_AGENT", "reagent", "Catalyst"),
    "solvents": ("solvent", "USES_SOLVENT", "solvant", "Solvents"),
    "co_products": ("co_product", "coproducs", "coProduct", "co_products"),
}


def _by_role(gold: list[Reaction]) -> Iterator[tuple[Reaction, str, list[Any]]]:
    for each in gold:
        for role in _roles(each):
            yield each, role, each[role]


def _role_rows(word: int, role: str, name: str, with_id: bool = True, lists: bool = False) -> Shape:
    def table(gold: list[Reaction], rng: random.Random) -> Table:
        rows: Rows = []
        for each, key, names in _by_role(gold):
            for value in [names] if lists else names:
                rows.append([*([each["id"]] if with_id else []), ROLE_WORDS[key][word], value])
        return [*(["r.id"] if with_id else []), role, name], rows

    return table


def _role_beside_key(gold: list[Reaction], rng: random.Random) -> Table:
    rows = [
        [each["id"], each["reactants"], ROLE_WORDS[key][0], value]
        for each, key, names in _by_role(gold)
        for value in names
    ]
    return ["id", "reactants", "role", "molecule"], rows


def _unknown_roles(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _role_rows(0, "role", "molecule")(gold, rng)
    for row in rows:
        row[1] = rng.choice(["participant", row[1]])
    return columns, rows


def _role_maps(word: int, role: str, name: str, column: str = "details") -> Shape:
    """One row a reaction, with a list of maps, each a role and a molecule."""

    def shape(gold: list[Reaction], rng: random.Random) -> Table:
        rows = [
            [
                each["id"],
                [{role: ROLE_WORDS[key][word], name: found} for key in _roles(each) for found in each[key]],
            ]
            for each in gold
        ]
        return ["id", column], rows

    return shape


def _map(each: Reaction, style: str) -> Reaction:
    return {NAMES[style][key]: copy.deepcopy(value) for key, value in each.items()}


def _map_a_row(style: str, column: str) -> Shape:
    return lambda gold, rng: ([column], [[_map(each, style)] for each in gold])


def _maps_in_a_list(style: str, column: str) -> Shape:
    return lambda gold, rng: ([column], [[[_map(each, style) for each in gold]]])


def _maps_beside_columns(gold: list[Reaction], rng: random.Random) -> Table:
    inner = [{key: each[key] for key in each if key != "products"} for each in gold]
    products = sorted({name for each in gold for name in each["products"] if isinstance(name, str)})
    return ["product", "reactions"], [[products, inner]]


def _maps_beside_ids(gold: list[Reaction], rng: random.Random) -> Table:
    return ["id", "details"], [[each["id"], _map(each, "keys")] for each in gold]


def _maps_without_id(gold: list[Reaction], rng: random.Random) -> Table:
    return ["r.id", "details"], [
        [each["id"], {key: each[key] for key in each if key != "id"}] for each in gold
    ]


def _nested_maps(gold: list[Reaction], rng: random.Random) -> Table:
    return ["reaction_data"], [
        [{"id": each["id"], "context": {key: each[key] for key in each if key != "id"}}] for each in gold
    ]


def _name_maps(with_more: bool) -> Shape:
    def table(gold: list[Reaction], rng: random.Random) -> Table:
        columns, rows = _table(gold, NAMES["keys"])
        for row in rows:
            for place in range(len(columns)):
                if isinstance(row[place], list):
                    more = {"amount": 2} if with_more else {}
                    row[place] = [{"name": name, **more} for name in row[place]]
        return columns, rows

    return table


def _smiles_maps(gold: list[Reaction], rng: random.Random) -> Table:
    return ["id", "reactants"], [
        [each["id"], [{"smiles": name} for name in each["reactants"]]] for each in gold
    ]


def _node(value: Any) -> Any:
    return molecule(value) if isinstance(value, str) else value


def _reaction(identifier: Any) -> Any:
    """Return a node; the graph has none without a whole number as id."""
    return reaction(identifier) if isinstance(identifier, int) else None


def _nodes(columns: Sequence[str]) -> Shape:
    def table(gold: list[Reaction], rng: random.Random) -> Table:
        rows: Rows = [
            [_reaction(each["id"]), *([_node(name) for name in each[key]] for key in _roles(each)[:4])]
            for each in gold
        ]
        return list(columns), rows

    return table


def _node_maps(gold: list[Reaction], rng: random.Random) -> Table:
    return ["result"], [
        [{"r": _reaction(each["id"]), "reactants": [_node(name) for name in each["reactants"]]}]
        for each in gold
    ]


def _relationships(gold: list[Reaction], rng: random.Random) -> Table:
    def produces(each: Reaction) -> Any:
        properties = {"yield": each["target_yield"]} if each.get("target_yield") is not None else {}
        start, end = f"r{each['id']}", "m"
        return {
            "$relationship": {
                "id": "5",
                "type": "PRODUCES",
                "start": start,
                "end": end,
                "properties": properties,
            }
        }

    return ["r", "p", "product"], [[_reaction(each["id"]), produces(each), each["products"]] for each in gold]


def _with_path(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    path = path_of([gold[0]["id"]]) if gold and isinstance(gold[0]["id"], int) else None
    return ["p", *columns], [[path, *row] for row in rows]


def _numbered_products(gold: list[Reaction], rng: random.Random) -> Table:
    most = max((len(each["products"]) for each in gold), default=1)
    columns = [
        "id",
        "reactants",
        *(f"product{number}" for number in range(1, most + 1)),
        "agents",
        "solvents",
    ]
    return columns, [
        [
            each["id"],
            each["reactants"],
            *(each["products"] + [None] * most)[:most],
            each["agents"],
            each["solvents"],
        ]
        for each in gold
    ]


def _two_agent_columns(gold: list[Reaction], rng: random.Random) -> Table:
    keys = [key for key in (gold[0] if gold else ["id", "agents"]) if key != "agents"]
    return ["catalyst", "reagents", *keys], [
        [each["agents"][:1], each["agents"][1:], *(each[key] for key in keys)] for each in gold
    ]


def _ids_twice(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    return ["reaction", *columns], [[_reaction(row[0]), *row] for row in rows]


def _extra_columns(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    return [*columns, "patent", "count(r)", "target_yield" if "target_yield" not in columns else "year"], [
        [*row, "US1", 3, 80.0] for row in rows
    ]


def _nested_lists(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    return columns, [[[[value], None] if isinstance(value, list) else value for value in row] for row in rows]


def _joined(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    return columns, [
        [".".join(map(str, value)) if isinstance(value, list) else value for value in row] for row in rows
    ]


def _null_row(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    rows.insert(rng.randrange(len(rows) + 1), [None] * len(columns))
    return columns, rows


def _some_nulls(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    return columns, [[None if rng.random() < 0.2 else value for value in row] for row in rows]


def _some_without_id(gold: list[Reaction], rng: random.Random) -> Table:
    columns, rows = _table(gold, NAMES["keys"])
    return columns, [
        [
            None if rng.random() < 0.5 and name == "id" else value
            for name, value in zip(columns, row, strict=True)
        ]
        for row in rows
    ]


SHAPES: dict[str, Shape] = {
    **{f"a row a reaction, {style}": _named(style) for style in NAMES},
    "columns in any order": _shuffled_columns,
    "without ids": _without("id"),
    "without products": _without("products", style="collected"),
    "without agents and solvents": _without("agents", "solvents", style="aliases"),
    "one key": _one_key,
    **{
        f"a row a molecule, {style}": _row_a_molecule(style)
        for style in ("singular", "aliases", "properties", "misspelt")
    },
    "a row a molecule, without ids": _row_a_molecule("singular", with_id=False),
    "all combinations": _all_combinations,
    "pooled in one row": _pooled,
    "rows with several ids": _several_ids,
    "a row a product": _row_a_product,
    "maps in a map": _maps_in_a_map,
    "two lists of maps": _two_lists_of_maps,
    "yields twice": _yields_twice,
    "roles": _role_rows(0, "role", "molecule"),
    "roles without ids": _role_rows(0, "role", "compound", with_id=False),
    "types of relationships": _role_rows(1, "type(rel)", "m.name"),
    "aliases as roles": _role_rows(2, "kind", "value"),
    "capitals as roles": _role_rows(3, "Role", "moleculeName"),
    "roles with lists": _role_rows(0, "role", "molecule", lists=True),
    "roles with collected names": _role_rows(0, "role", "collect(DISTINCT m.name)", lists=True),
    "roles beside a key": _role_beside_key,
    "roles, some unknown": _unknown_roles,
    "maps of roles": _role_maps(0, "role", "molecule"),
    "maps of relationship types": _role_maps(1, "type", "name"),
    "maps of roles under a key": _role_maps(0, "role", "molecule", "products"),
    "a map a row": _map_a_row("keys", "reaction"),
    "a map a row, singular": _map_a_row("singular", "result"),
    "a map a row, camel names": _map_a_row("camel names", "result"),
    "a list of maps": _maps_in_a_list("keys", "reactions"),
    "a list of maps, aliases": _maps_in_a_list("aliases", "collect({})"),
    "maps beside columns": _maps_beside_columns,
    "maps beside ids": _maps_beside_ids,
    "maps without ids": _maps_without_id,
    "nested maps": _nested_maps,
    "maps of names": _name_maps(with_more=False),
    "maps of names and more": _name_maps(with_more=True),
    "maps of smiles": _smiles_maps,
    "nodes": _nodes(["r", "reactants", "products", "agents", "solvents"]),
    "nodes, collected": _nodes(["n", "collect(reactant)", "collect(DISTINCT product)", "agents", "s"]),
    "maps with nodes": _node_maps,
    "relationships": _relationships,
    "with a path": _with_path,
    "numbered products": _numbered_products,
    "two columns of agents": _two_agent_columns,
    "ids twice": _ids_twice,
    "extra columns": _extra_columns,
    "nested lists": _nested_lists,
    "joined": _joined,
    "a row of nulls": _null_row,
    "some nulls": _some_nulls,
    "some without id": _some_without_id,
}


# --- multi-step: what is in the result --------------------------------------------------------------------


def _on_one(change: Callable[[list[Any], random.Random], Any]) -> Callable[..., Any]:
    return lambda routes, rng: change(rng.choice(routes), rng)


def _on_all(change: Value) -> Callable[..., Any]:
    def changed(routes: list[list[Any]], rng: random.Random) -> None:
        for route in routes:
            route[:] = [change(each) for each in route]

    return changed


def _reverse_all(routes: list[list[Any]], rng: random.Random) -> None:
    for route in routes:
        route.reverse()


def _put(value: Any) -> Callable[..., Any]:
    def changed(route: list[Any], rng: random.Random) -> None:
        route[rng.randrange(len(route))] = value

    return _on_one(changed)


ROUTE_CHANGES: dict[str, Callable[[list[list[Any]], random.Random], Any]] = {
    "right": lambda routes, rng: None,
    "other order": lambda routes, rng: rng.shuffle(routes),
    "empty": lambda routes, rng: routes.clear(),
    "drop route": lambda routes, rng: routes.pop(rng.randrange(len(routes))),
    "extra route": lambda routes, rng: routes.append([90_001, *routes[0][1:]]),
    "double route": lambda routes, rng: routes.append(list(routes[0])),
    "one reversed": _on_one(lambda route, rng: route.reverse()),
    "all reversed": _reverse_all,
    "shuffled": _on_one(lambda route, rng: rng.shuffle(route)),
    "wrong id": _put(90_002),
    "negative id": _put(-1),
    "null id": _put(None),
    "half an id": _put(12.5),
    "no id": _put("CCO"),
    "truth value": _put(True),
    "without the first": _on_one(lambda route, rng: route.pop(0)),
    "without the last": _on_one(lambda route, rng: route.pop()),
    "longer": _on_one(lambda route, rng: route.insert(0, 90_003)),
    "longer at the end": _on_one(lambda route, rng: route.append(90_004)),
    "doubled reaction": _on_one(lambda route, rng: route.insert(0, route[0])),
    "ids as text": _on_all(str),
    "ids as floats": _on_all(float),
    "ids as text of floats": _on_all(lambda each: f"{each}.0"),
    "wrong ids": _on_all(lambda each: each + 40_000),
}


# --- multi-step: how it is laid out -----------------------------------------------------------------------


def path_of(ids: Sequence[int], backwards: bool = False) -> Any:
    """Return a path through reactions, as the driver's converter gives it."""
    nodes, relationships = [{"id": "m0", "labels": ["Molecule"], "properties": {"name": "C"}}], []
    for place, number in enumerate(ids, start=1):
        before, step, after = f"m{place - 1}", f"r{number}", f"m{place}"
        nodes.append({"id": step, "labels": ["Reaction"], "properties": {"id": number}})
        nodes.append({"id": after, "labels": ["Molecule"], "properties": {"name": "C" * place}})
        relationships.append(
            {"id": f"{place}a", "type": "REACTS_IN", "start": before, "end": step, "properties": {}}
        )
        relationships.append(
            {"id": f"{place}b", "type": "PRODUCES", "start": step, "end": after, "properties": {}}
        )
    if backwards:
        nodes, relationships = nodes[::-1], relationships[::-1]
    return {"$path": {"nodes": nodes, "relationships": relationships}}


def _ints(route: list[Any]) -> list[int]:
    return [int(float(each)) for each in route if _is_number(each)]


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) or (isinstance(value, str) and value.replace(".", "").isdigit())


def _item(value: Any) -> Any:
    return reaction(int(value)) if type(value) is int else value


def _lists(column: str, of: Value = same) -> RouteShape:
    return lambda routes, rng: ([column], [[[of(each) for each in route]] for route in routes])


def _mixed(of: Value, column: str) -> RouteShape:
    def table(routes: list[list[Any]], rng: random.Random) -> Table:
        return [column], [
            [[part for each in route for part in (molecule("CC"), of(each))] + [molecule("CO")]]
            for route in routes
        ]

    return table


def _with_names(routes: list[list[Any]], rng: random.Random) -> Table:
    return ["path"], [[["CC", *(part for each in route for part in (each, "CCO"))]] for route in routes]


def _all_in_one(column: str, of: Callable[[list[Any]], Any]) -> RouteShape:
    return lambda routes, rng: ([column], [[[of(route) for route in routes]]])


def _columns(*names: str, of: Value = same, backwards: bool = False) -> RouteShape:
    """Return a shape with a column a reaction; ``{}`` in a name is the number of the step."""

    def table(routes: list[list[Any]], rng: random.Random) -> Table:
        most = max(map(len, routes), default=2)
        places = list(range(most))[:: -1 if backwards else 1]
        columns = [_name(names, place) for place in places]
        rows = [[of(route[place]) if place < len(route) else None for place in places] for route in routes]
        return columns, rows

    return table


WORDS = ("first", "second", "third", "fourth", "fifth")


def _name(names: Sequence[str], place: int) -> str:
    pattern = names[place] if place < len(names) else names[-1] + ("" if "{" in names[-1] else "x" * place)
    return pattern.format(place + 1, word=WORDS[min(place, 4)])


def _beside(shape: RouteShape, **beside: Any) -> RouteShape:
    """Return a shape with more columns, before or after those of the routes."""

    def table(routes: list[list[Any]], rng: random.Random) -> Table:
        columns, rows = shape(routes, rng)
        names, values = list(beside), list(beside.values())
        named = [name.replace("__", ".") for name in names]
        if rng.random() < 0.5:
            return [*named, *columns], [[*values, *row] for row in rows]
        return [*columns, *named], [[*row, *values] for row in rows]

    return table


def _interleaved(first: str, second: str, value: Value, of: Value) -> RouteShape:
    def table(routes: list[list[Any]], rng: random.Random) -> Table:
        most = max(map(len, routes), default=2)
        columns = [name.format(place + 1) for place in range(most) for name in (first, second)]
        rows = []
        for route in routes:
            padded = [*route, *[None] * (most - len(route))]
            rows.append(
                [part for each in padded for part in (of(each), None if each is None else value(each))]
            )
        return columns, rows

    return table


def _map_of(*names: str, of: Value = same, shuffle: bool = True) -> Callable[..., Any]:
    def mapped(route: list[Any], rng: random.Random) -> Any:
        entries = [(_name(names, place), of(each)) for place, each in enumerate(route)]
        if shuffle:
            rng.shuffle(entries)
        return dict(entries)

    return mapped


def _a_map_a_row(column: str, mapped: Callable[..., Any], **beside: Any) -> RouteShape:
    def table(routes: list[list[Any]], rng: random.Random) -> Table:
        return [column, *beside], [[mapped(route, rng), *beside.values()] for route in routes]

    return table


def _maps_in_one(column: str, mapped: Callable[..., Any]) -> RouteShape:
    return lambda routes, rng: ([column], [[[mapped(route, rng) for route in routes]]])


def _row_a_step(
    columns: Sequence[str],
    of: Value = same,
    route_name: Callable[[int], Any] = int,
) -> RouteShape:
    """Return a shape of one row a step, in any order: the columns are route, step and reaction."""

    def table(routes: list[list[Any]], rng: random.Random) -> Table:
        rows = [
            [route_name(number), step, of(each)]
            for number, route in enumerate(routes, start=1)
            for step, each in enumerate(route, start=1)
        ]
        rng.shuffle(rows)
        return list(columns), rows

    return table


def _one_route_a_step(columns: Sequence[str], from_number: int = 1) -> RouteShape:
    def table(routes: list[list[Any]], rng: random.Random) -> Table:
        rows = [[step, each] for route in routes[:1] for step, each in enumerate(route, start=from_number)]
        rng.shuffle(rows)
        return list(columns), rows

    return table


def _no_numbers(each: Any) -> Any:
    return {"id": each}


def _in_maps(depth: int) -> Value:
    return lambda each: {"id": each} if not depth else {"x": _in_maps(depth - 1)(each)}


def _alternating(routes: list[list[Any]], rng: random.Random) -> Table:
    rows: Rows = []
    for place, route in enumerate(routes):
        rows.append([route, None, None] if place % 2 else [None, [_item(each) for each in route], place])
    return ["reaction_ids", "x", "idx"], rows


ROUTE_SHAPES: dict[str, RouteShape] = {
    "lists of maps with lists": _lists("route", lambda each: {"id": each, "reactants": ["CC", "CCO"]}),
    "lists of maps with yields": _lists("route", lambda each: {"reaction_id": each, "yields": [80.0]}),
    "lists of maps with reactions": _lists("route", lambda each: {"id": 5, "reactions": [each]}),
    "lists of maps with a node and an id": _lists("x", lambda each: {"id": each, "r": _item(each), "n": 3}),
    "lists of maps, two nodes": _lists("x", lambda each: {"a": _item(each), "b": reaction(5)}),
    "lists of maps, five deep": _lists("x", _in_maps(4)),
    "lists of maps, seven deep": _lists("x", _in_maps(7)),
    "lists of maps with one list": _lists("x", lambda each: {"route": [each]}),
    "maps of steps with yields": _a_map_a_row(
        "x",
        lambda route, rng: (
            {f"step{place}": each for place, each in enumerate(route, 1)}
            | {f"step{place}_yield": 80 for place in range(1, len(route) + 1)}
        ),
    ),
    "maps of steps with names": _a_map_a_row("x", _map_of("step{}_id"), target="CCO", length=2),
    "columns a1, b1": _interleaved("a{}", "b{}", lambda each: 7, same),
    "columns step1, a1": _interleaved("step{}", "a{}", lambda each: 7, same),
    "columns reaction1, step1": _interleaved("reaction{}", "step{}", lambda each: 7, same),
    "columns step1, reaction1 of nodes": _interleaved("step{}", "reaction{}", _item, lambda each: 7),
    "columns second_step_id": _columns("{word}_step_id", backwards=True),
    "columns of lists": _columns("step{}", of=lambda each: [each]),
    "columns of lists of nodes": _columns("r{}", of=lambda each: [_item(each)]),
    "lists and nodes, alternating": _alternating,
    "a row a step, with quantities": _beside(
        _row_a_step(["route", "step", "reaction_id"]), total_steps=2, yield_=80
    ),
    "a row a step, with names": _beside(_row_a_step(["route", "step", "reaction_id"]), product="CCO"),
    "a row a step, path_id": _row_a_step(["path_id", "idx", "id"]),
    "a row a step, x": _row_a_step(["route", "n", "x"]),
    **{
        f"lists: {name}": _lists(name)
        for name in (
            "route",
            "reaction_ids",
            "reactions",
            "ids",
            "a",
            "reaction_nodes",
            "[n IN nodes(path) WHERE n:Reaction | n.id]",
            "collect(r.id)",
            "steps",
            "total_route",
            "chain_length",
            "yields",
        )
    },
    "lists of nodes": _lists("reactions", _item),
    "lists of nodes, any name": _lists("x", _item),
    "lists of nodes and molecules": _mixed(_item, "nodes(p)"),
    "lists of ids and molecules": _mixed(same, "route"),
    "lists of ids and names": _with_names,
    "lists of maps": _lists("route", _no_numbers),
    "lists of maps with a node": _lists("route", lambda each: {"reaction": _item(each), "yield": 80.0}),
    "lists of maps r": _lists("steps", lambda each: {"r": each}),
    "lists of maps, deep": _lists("x", lambda each: {"step": 1, "reaction": {"data": {"id": each}}}),
    "lists of maps, too many ids": _lists("route", lambda each: {"r1": each, "r2": 5}),
    "lists in one row": _all_in_one("routes", list),
    "lists of nodes in one row": _all_in_one(
        "collect(DISTINCT rs)", lambda route: [_item(each) for each in route]
    ),
    "paths": lambda routes, rng: (["p"], [[path_of(_ints(route))] for route in routes]),
    "paths, backwards": lambda routes, rng: (["p"], [[path_of(_ints(route), True)] for route in routes]),
    "paths in one row": lambda routes, rng: (["ps"], [[[path_of(_ints(route)) for route in routes]]]),
    "paths beside lists": lambda routes, rng: (
        ["route", "p"],
        [[[1, 2], path_of(_ints(route), rng.random() < 0.5)] for route in routes],
    ),
    "columns r1.id": _columns("r{}.id"),
    "columns r1.id, backwards": _columns("r{}.id", backwards=True),
    "columns r1": _columns("r{}", of=_item),
    "columns r1, backwards": _columns("r{}", of=_item, backwards=True),
    "columns reaction1": _columns("reaction{}"),
    "columns reaction_1, backwards": _columns("reaction_{}", backwards=True),
    "columns step1": _columns("step{}"),
    "columns step_1, backwards": _columns("step_{}", backwards=True),
    "columns step1_id, backwards": _columns("step{}_id", backwards=True),
    "columns stepOneId": _columns("step{}Id"),
    "columns first_step, backwards": _columns("{word}_step", backwards=True),
    "columns first_reaction, backwards": _columns("{word}_reaction", backwards=True),
    "columns first": _columns("{word}", backwards=True),
    "columns start, middle": _columns("start", "middle", "end", "after"),
    "columns a, b": _columns("a", "b", "c", "d", "e"),
    "columns a1": _columns("a{}", backwards=True),
    "columns of text": _columns("r{}.id", of=str),
    "columns with nodes and ids": _interleaved("r{}", "r{}.id", same, _item),
    "columns with ids and nodes": _interleaved("r{}.id", "r{}", _item, same),
    "columns with ids and names": _interleaved("r{}.id", "m{}.name", lambda each: "CCO", same),
    "columns with steps and products": _interleaved("step{}", "product{}", lambda each: "CCO", same),
    "columns with steps and yields": _interleaved("step{}", "step{}_yield", lambda each: 80.0, same),
    "columns with whole yields": _interleaved("step{}", "step{}_yield", lambda each: 80, same),
    "columns with ids and positions": _interleaved("x{}", "idx{}", lambda each: 3, same),
    "lists beside quantities": _beside(_lists("reactions"), chain_length=2, yields=[80.0, 75.0]),
    "lists beside whole quantities": _beside(_lists("x"), num_hops=2, total_yield=[80, 75]),
    "lists beside an id": _beside(_lists("steps"), id=1),
    "lists beside another list": _beside(_lists("reaction_ids"), x=[4, 5]),
    "lists beside positions": _beside(_lists("a"), rank=[1, 2]),
    "lists beside nodes": _beside(_lists("x", _item), a=[4, 5]),
    "columns beside quantities": _beside(_columns("step{}"), chain_length=2, numReactions=2, step_count=2),
    "columns beside a position": _beside(_columns("step{}"), route_id=1, idx=0),
    "columns beside a number": _beside(_columns("{word}_reaction"), patents=3),
    "columns beside a reaction": _beside(_columns("step{}"), reaction_id=5),
    "other columns beside a position": _beside(
        _columns("start", "end", "after", "last"), rank=3, hop_count=2
    ),
    "nodes beside ids": _beside(_columns("r{}", of=_item), x=9, step=1),
    "maps of steps": _a_map_a_row("route", _map_of("step{}")),
    "maps of steps in words": _a_map_a_row("x", _map_of("{word}_reaction"), total_steps=2),
    "maps of variables": _a_map_a_row("route", _map_of("r{}", of=_item)),
    "maps of ids": _a_map_a_row("route", _map_of("r{}_id"), yield_=80.0),
    "maps of other names": _a_map_a_row("route", _map_of("start", "middle", "end", "after", shuffle=False)),
    "maps with a list": _a_map_a_row("x", lambda route, rng: {"length": 2, "reactions": list(route)}),
    "maps with an id and a list": _a_map_a_row("x", lambda route, rng: {"id": 5, "route": list(route)}),
    "maps with a list of maps": _a_map_a_row(
        "x", lambda route, rng: {"steps": [{"step": 1, "reaction_id": each} for each in route]}
    ),
    "maps with a path": _a_map_a_row("x", lambda route, rng: {"path": path_of(_ints(route)), "n": 2}),
    "maps beside a list": _a_map_a_row("x", _map_of("step{}"), a=[4, 5], b=6),
    "maps in one row": _maps_in_one("routes", _map_of("step{}")),
    "maps with lists in one row": _maps_in_one("routes", lambda route, rng: {"route": list(route)}),
    "columns of maps": _columns("step{}", of=lambda each: {"id": each, "yield": 80}),
    "columns of maps r": _columns("x{}", of=lambda each: {"reaction": {"id": each}}),
    "a row a step": _row_a_step(["route", "step", "reaction_id"]),
    "a row a step, by name": _row_a_step(["route", "idx", "r.id"], route_name="route {}".format),
    "a row a step, route_id": _row_a_step(["route_id", "step_number", "reaction"]),
    "a row a step, nodes": _row_a_step(["route", "step", "x"], of=_item),
    "a row a step, maps": _row_a_step(["route", "step", "x"], of=_no_numbers),
    "a row a step, other names": _row_a_step(["route", "rank", "a"]),
    "a row a step, no route": _one_route_a_step(["step", "id"]),
    "a row a step, from zero": _one_route_a_step(["idx", "reaction_id"], from_number=0),
    "a row a step, text": _row_a_step(["route", "step", "reaction_id"], of=str),
    "a row a step, unknown column": _row_a_step(["x", "step", "reaction_id"]),
    "a row a step, two positions": _row_a_step(["rank", "step", "reaction_id"]),
}


# --- what else may be in a result -------------------------------------------------------------------------


def _beside_all(columns: list[str], rows: Rows, rng: random.Random, setting: str) -> None:
    more = {**BESIDE, **(BESIDE_REACTIONS if setting == "single_step" else BESIDE_ROUTES)}
    name = rng.choice([each for each in more if each not in columns])
    place = rng.randrange(len(columns) + 1)
    columns.insert(place, name)
    for row in rows:
        row.insert(place, copy.deepcopy(more[name]))


def _other_columns(columns: list[str], rows: Rows, rng: random.Random, setting: str) -> None:
    order = rng.sample(range(len(columns)), len(columns))
    columns[:] = [columns[place] for place in order]
    rows[:] = [[row[place] for place in order] for row in rows]


def _null_cell(columns: list[str], rows: Rows, rng: random.Random, setting: str) -> None:
    rng.choice(rows)[rng.randrange(len(columns))] = None


def _null_column(columns: list[str], rows: Rows, rng: random.Random, setting: str) -> None:
    place = rng.randrange(len(columns))
    for row in rows:
        row[place] = None


def _list_cells(columns: list[str], rows: Rows, rng: random.Random, setting: str) -> None:
    place = rng.randrange(len(columns))
    for row in rows:
        row[place] = [row[place]]


def _other_name(columns: list[str], rows: Rows, rng: random.Random, setting: str) -> None:
    names = OTHER_NAMES + (OTHER_ROUTE_NAMES if setting == "multi_step" else [])
    columns[rng.randrange(len(columns))] = rng.choice([each for each in names if each not in columns])


BESIDE: dict[str, Any] = {
    "patent": "US1",
    "count(r)": 3,
    "num_reactions": 2,
    "year": None,
    "reaction_id": 11,
    "best_reaction": 12,
    "note": "reactant",
    "info": {"source": "USPTO", "page": "7a"},
}
BESIDE_REACTIONS: dict[str, Any] = {
    "yield": 80.5,
    "target_yield": 80.5,
    "coproducs": ["CCI"],
    "molecule": "CCO",
    "ligand": ["CCF"],
    "size(agents)": 2,
    "more": {"solvent": "CCS"},
    "other": [{"id": 11, "agents": ["CCP"]}],
    "m.name": "CN",
    "rel": {
        "$relationship": {
            "id": "9",
            "type": "PRODUCES",
            "start": "a",
            "end": "b",
            "properties": {"yield": 9.5},
        }
    },
}
BESIDE_ROUTES: dict[str, Any] = {
    "idx": 1,
    "step": 2,
    "step_number": 1.0,
    "rank": [1, 2],
    "route_id": 4,
    "path_id": "p4",
    "n": 3,
    "chain_length": 2,
    "length(p)/2": 2,
    "yield": [80, 75],
    "total_yield": 60.0,
    "hop_count": [1, 2],
    "a": 13,
    "start": "CCO",
    "x": [14, 15],
    "x1": 16,
    "x2": 17,
    "n_ids": 2,
    "reaction_count": 2,
    "step1_yield": 55,
    "node": {"reaction": {"id": 18}},
    "map": {"step2": 20, "step1": 19},
    "data": {"yield": 7.5},
    "yield_step_reaction": 21,
    "total_route": [22, 23],
}
OTHER_NAMES = ["id", "reaction", "x", "reactants", "agent", "products1", "main_product", "count(x)"]
OTHER_ROUTE_NAMES = [
    "route",
    "step",
    "a",
    "rank",
    "step1",
    "step2",
    "second_reaction",
    "yield",
    "num_steps",
    "r7.id",
]

EXTRAS: dict[str, Callable[[list[str], Rows, random.Random, str], None]] = {
    "beside": _beside_all,
    "columns in other order": _other_columns,
    "null in a cell": _null_cell,
    "null in a column": _null_column,
    "lists in a column": _list_cells,
    "other name": _other_name,
    "row twice": lambda columns, rows, rng, setting: rows.append(copy.deepcopy(rng.choice(rows))),
    "rows in other order": lambda columns, rows, rng, setting: rng.shuffle(rows),
    "row missing": lambda columns, rows, rng, setting: rows.remove(rng.choice(rows)),
}


# --- predictions ------------------------------------------------------------------------------------------


def prediction(question: Question, rng: random.Random, extras: int) -> Prediction | None:
    """Return the gold of a question, changed and laid out; None where a change has nothing to change."""
    single = question.setting == "single_step"
    change = "right" if rng.random() < 0.25 else rng.choice(list(CHANGES if single else ROUTE_CHANGES))
    shape = rng.choice(list(SHAPES if single else ROUTE_SHAPES))
    try:
        if single:
            gold = copy.deepcopy(question.gold)
            CHANGES[change](gold, rng)
            columns, rows = SHAPES[shape](gold, rng)
        else:
            routes = [list(row["route"]) for row in question.gold]
            ROUTE_CHANGES[change](routes, rng)
            columns, rows = ROUTE_SHAPES[shape](routes, rng)
        for extra in rng.choices(list(EXTRAS), k=extras):
            EXTRAS[extra](columns, rows, rng, question.setting)
            change += f" + {extra}"
    except (IndexError, TypeError, ValueError):
        return None
    return Prediction(question, shape, change, columns, rows)


def predictions(questions: Sequence[Question], count: int, seed: int) -> Iterator[Prediction]:
    """Yield predictions for questions of all tasks in turn."""
    rng = random.Random(seed)
    by_task: dict[str, list[Question]] = {}
    for question in questions:
        by_task.setdefault(question.task, []).append(question)
    made = 0
    for asked in cycle(by_task.values()):
        if made == count:
            return
        found = prediction(rng.choice(asked), rng, extras=rng.choice((0, 0, 1, 2, 3)))
        if found:
            made += 1
            yield found
