"""Which first completions are requested ahead, and in which order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from typing import get_args

from retrocypher.kg.questions.question import Setting
from retrocypher.plugins.session.cases import Case
from retrocypher.plugins.session.plan import Plan
from retrocypher.prompts.loops.interface import FirstMessages
from retrocypher.prompts.models.calls import RequestAhead
from retrocypher.prompts.models.gateway_client import Asked, ModelChoice, choice_of
from retrocypher.prompts.models.spec import TEXT_KINDS
from retrocypher.prompts.templates.encoder import Encoder
from retrocypher.prompts.templates.exemplars import choose_exemplar, shot_encoder
from retrocypher.prompts.templates.template import build_messages


@dataclass(frozen=True, slots=True)
class Layout:
    """How pytest-xdist gives tests to workers.

    Attributes:
        workers: Number of workers; 1 without pytest-xdist.
        dist: The option ``--dist``.
        chunk: The option ``--maxschedchunk``; None if it is not set.
    """

    workers: int = 1
    dist: str = "no"
    chunk: int | None = None

    def in_order(self, node_ids: Sequence[str]) -> list[str]:
        """Return the tests in about the order in which all workers together run them.

        ``load`` gives each worker a quarter of its share at first, ``worksteal`` its whole share, and the
        others whole files or groups; the rest follows in the order of collection.
        """
        if self.workers < 2:
            return list(node_ids)
        share = max(len(node_ids) // self.workers, 1)
        if self.dist.startswith("load") and self.dist != "load":
            groups: dict[str, list[str]] = {}
            for node_id in node_ids:
                groups.setdefault(node_id.partition("::")[0], []).append(node_id)
            first, rest = list(groups.values()), []
        else:
            size = share if self.dist == "worksteal" else max(min(share // 4, self.chunk or share), 2)
            first = [list(node_ids[at * size : (at + 1) * size]) for at in range(self.workers)]
            rest = list(node_ids[self.workers * size :])
        in_turn = chain.from_iterable(zip_longest(*first))
        return [node_id for node_id in in_turn if node_id is not None] + rest


def first_requests(
    plan: Plan, schema: str, node_ids: Sequence[str], known: Mapping[str, object]
) -> Iterator[RequestAhead]:
    """Yield the first request of each selected case whose model reads messages.

    Not where a loop writes it: that may ask a model before.

    Args:
        schema: Schema text of the graph.
        node_ids: The selected tests.
        known: Cases that are not asked again, by id.
    """
    choices = {spec.label: choice_of(spec) for spec in plan.models if spec.kind in TEXT_KINDS}
    if not choices:
        return
    writing = {name for name, loop in plan.loops.loops.items() if isinstance(loop, FirstMessages)}
    cases = {case.id: case for setting in get_args(Setting) for case in plan.cases(setting)}
    make = partial(_request, plan, schema, shot_encoder())
    for node_id in node_ids:
        case = cases.get(node_id.partition("[")[2].removesuffix("]"))
        if case is None or case.id in known or case.loop in writing:
            continue
        if case.model in choices:
            yield choices[case.model], partial(make, case, choices[case.model])


def _request(plan: Plan, schema: str, encoder: Encoder, case: Case, choice: ModelChoice) -> Asked:
    question = case.question
    exemplar = choose_exemplar(case.shot, question, plan.banks[question.setting], plan.options.seed, encoder)
    messages = build_messages(plan.prompts[case.prompt], schema, question.text, exemplar, plan.addendum)
    return Asked(choice, messages, case.id, case_repeat=case.repeat)
