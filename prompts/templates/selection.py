"""Former place of names that are now in `exemplars`."""

from retrocypher.prompts.templates.exemplars import ENCODER as ENCODER
from retrocypher.prompts.templates.exemplars import SHOTS as SHOTS
from retrocypher.prompts.templates.exemplars import canonical_shot as canonical_shot
from retrocypher.prompts.templates.exemplars import choose as choose
from retrocypher.prompts.templates.exemplars import require_vectors as require_vectors
from retrocypher.prompts.templates.exemplars import shot_encoder as shot_encoder
from retrocypher.prompts.templates.exemplars import texts_to_encode as texts_to_encode
