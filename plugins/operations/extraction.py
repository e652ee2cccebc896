"""Has a model list the claims of written answers from any source."""

import logging
from collections.abc import Sequence
from functools import partial

from rdkit import rdBase

from retrocypher.kg.claims.extracted import claims_form
from retrocypher.kg.claims.sentences import sentences_of
from retrocypher.plugins.formatting.progress import throttled
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.prompts.answering.writing import StatedClaims, claims_messages, read_stated
from retrocypher.prompts.extraction.candidates import visible_text
from retrocypher.prompts.models.calls import GatewaySettings
from retrocypher.prompts.models.gateway_client import GatewayModel, choice_of
from retrocypher.prompts.models.interface import Chat, ModelError
from retrocypher.prompts.models.pool import UnfinishedError, open_pool
from retrocypher.prompts.models.spec import ModelSpec

_logger = logging.getLogger(__name__)


def extract_claims(
    answers: Sequence[str], spec: ModelSpec, settings: GatewaySettings
) -> dict[str, StatedClaims]:
    """Return the claims of each answer as a model lists them; what was answered before is in the cache.

    Raises InputError if the model cannot be started, RefusedError if its API refuses the key or the name,
    UnfinishedError if the model could not be asked about an answer.
    """
    todo = list(dict.fromkeys(answers))
    found: dict[str, StatedClaims] = {}
    errors: list[ModelError] = []
    log = throttled(_logger)
    # RDKit's log is one for all threads: where one of them lets it go on, the others would be heard.
    with rdBase.BlockLogs(), open_pool(spec, settings) as pool:
        model = GatewayModel(choice_of(spec, form=claims_form()), pool.connections)
        for answer, stated in pool.run(partial(_asked, model), todo):
            if isinstance(stated, ModelError):
                errors.append(stated)
            else:
                found[answer] = stated
            log(f"claims listed of {len(found):,} of {counted(len(todo), 'answer')}")
    if errors:
        raise UnfinishedError(
            f"{spec.label} could not be asked about {counted(len(errors), 'answer')}. Repeat the command to "
            f"ask again. The first reason: {one_line(str(errors[0]))}"
        )
    return found


def _asked(model: GatewayModel, answer: str) -> tuple[str, StatedClaims | ModelError]:
    sentences = sentences_of(answer)
    if not sentences.all:
        return answer, StatedClaims()
    try:
        completion = model.answer(Chat(claims_messages(sentences), "claims"))
    except ModelError as error:
        return answer, error
    return answer, read_stated(visible_text(completion.text), len(sentences.all))
