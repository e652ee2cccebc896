"""Patterns as they are written, read into the outline."""

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from kg.cypher import LengthRange, Node, ParsedQuery, Rule, length_ranges, name_of, relationship_patterns
from kg.direction._outline import ASKED, Binding, Outline, Scope, Step, Stretch
from kg.direction._predicates import left_by_labels


class Inside(NamedTuple):
    """An expression that stands within a pattern, and the names it knows."""

    node: Node
    scope: Scope
    part: int
    condition: bool


class PatternReader:
    """Reads path patterns; ``inside`` gathers the expressions met on the way, for who reads expressions."""

    def __init__(self, parsed: ParsedQuery, outline: Outline) -> None:
        self._parsed = parsed
        self._outline = outline
        self._patterns = {pattern.node: pattern for pattern in relationship_patterns(parsed)}
        self.inside: list[Inside] = []

    @cached_property
    def _lengths(self) -> dict[int, LengthRange]:
        """Quantifiers by their place; few queries have one after a parenthesised path."""
        return {found.start: found for found in length_ranges(self._parsed)}

    def read(self, path: Node, scope: Scope, part: int, matched: bool) -> list[int]:
        """Read the elements of one path and return its nodes, in the order of the text.

        Args:
            path: A node whose children are node and relationship patterns and parenthesised paths.
            scope: What names stand for; new names are added.
            part: The part of the query it stands in.
            matched: False for a pattern that is written to the graph: it tells labels, its arrows stay.
        """
        found: list[int] = []
        waiting: list[Stretch] = []
        before: int | None = None
        for element in path.nodes():
            after: int | None
            if element.rule == Rule.NODE_PATTERN:
                after = self._node(element, scope, part)
                found += [after]
            elif element.rule in (Rule.RELATIONSHIP_PATTERN, Rule.PARENTHESIZED_PATH):
                if before is None:
                    before = self._outline.new_node(part)
                stretch = self._stretch(element, scope, part, before)
                if stretch is not None:
                    waiting += [stretch] if matched else []
                    continue
                after = None
            else:
                continue
            self._join(waiting, after, part)
            before = after
        self._join(waiting, None, part)
        return found

    def _join(self, waiting: list[Stretch], after: int | None, part: int) -> None:
        """Give the stretches since the last node their ends; where none is written, a node lies between."""
        for number, stretch in enumerate(waiting):
            left = stretch.left if number == 0 else self._outline.stretches[-1].right
            last = number + 1 == len(waiting)
            right = after if last and after is not None else self._outline.new_node(part)
            self._outline.stretches.append(replace(stretch, left=left, right=right))
        waiting.clear()

    def _stretch(self, element: Node, scope: Scope, part: int, left: int) -> Stretch | None:
        """Read what joins two nodes; None where it joins none, or is too involved to be one step repeated."""
        if element.rule == Rule.RELATIONSHIP_PATTERN:
            step = self._relationship(element, scope, part)
            length = step.pattern.length
            return _repeated(Stretch(left, left, part, (step,)), length)
        quantifier = element.node(Rule.QUANTIFIER)
        length = None if quantifier is None else self._lengths[quantifier.start]
        inner_path = element.find(Rule.PATTERN_ELEMENT)
        if inner_path is None:
            return None
        if length is None:
            self.read(inner_path, scope, part, matched=True)
            self._condition(element, scope, part)
            return None
        inner_scope: Scope = {}
        mark = len(self._outline.stretches)
        nodes = self.read(inner_path, inner_scope, part, matched=True)
        inner = self._outline.stretches[mark:]
        del self._outline.stretches[mark:]
        self._condition(element, {**scope, **inner_scope}, part)
        scope |= {name: Binding(binding.thing, listed=True) for name, binding in inner_scope.items()}
        if any(len(each.steps) != 1 or (each.minimum, each.maximum) != (1, 1) for each in inner):
            return None
        steps = tuple(step for each in inner for step in each.steps)
        if not steps or len(nodes) != len(steps) + 1:
            return None
        return _repeated(Stretch(left, left, part, steps, tuple(nodes)), length)

    def _node(self, element: Node, scope: Scope, part: int) -> int:
        variable = element.node(Rule.VARIABLE)
        name = None if variable is None else name_of(self._parsed, variable)
        bound = scope.get(name) if name is not None else None
        thing = self._outline.new_node(part) if bound is None or bound.listed else bound.thing
        if name is not None:
            scope[name] = Binding(thing)
        self._described(element, thing, scope, part)
        return thing

    def _relationship(self, element: Node, scope: Scope, part: int) -> Step:
        pattern = self._patterns[element]
        bound = scope.get(pattern.variable) if pattern.variable is not None else None
        repeats = pattern.length is not None
        known = bound is not None and not bound.listed
        thing = bound.thing if bound and known else self._outline.new_relationship(part)
        if pattern.variable is not None:
            scope[pattern.variable] = Binding(thing, listed=repeats)
        self._described(element, thing, scope, part)
        return Step(pattern, thing)

    def _described(self, element: Node, thing: int, scope: Scope, part: int) -> None:
        """Note what a pattern says within its brackets."""
        universe = self._outline.things[thing].universe
        labels, properties = element.node(Rule.LABEL_EXPRESSION), element.node(Rule.PROPERTIES)
        if labels is not None:
            choices = left_by_labels(self._parsed, labels, universe)
            self._outline.say_labels(thing, part, choices)
        if properties is not None:
            written = properties.node(Rule.MAP)
            for key in written.nodes(Rule.PROPERTY_KEY) if written else ():
                self._outline.say_property(thing, part, name_of(self._parsed, key), ASKED)
            self.inside.append(Inside(properties, scope, part, condition=False))
        self._condition(element, scope, part)

    def _condition(self, element: Node, scope: Scope, part: int) -> None:
        """Note the expression after a WHERE within brackets."""
        where = element.token("WHERE")
        if where is not None:
            condition = next(node for node in element.nodes() if node.start > where.start)
            self.inside.append(Inside(condition, scope, part, condition=True))


def _repeated(stretch: Stretch, length: LengthRange | None) -> Stretch:
    if length is None:
        return stretch
    return replace(stretch, minimum=length.minimum, maximum=length.maximum)
