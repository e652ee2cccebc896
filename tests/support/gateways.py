"""Gateways to models, and models that ask them."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from retrocypher.prompts.models.calls import GatewaySettings
from retrocypher.prompts.models.gateway import Gateway
from retrocypher.prompts.models.gateway_client import GatewayConnections, GatewayModel, choice_of
from retrocypher.prompts.models.spec import ModelSpec


def settings_of(environment: Mapping[str, str] = MappingProxyType({}), **fields: Any) -> GatewaySettings:
    """Return settings with 8 calls in flight and the seed 7."""
    values = {"concurrency": 8, "seed": 7, "environment": environment}
    return GatewaySettings(**{**values, **fields})


def start_gateway(folder: Path, *arguments: Any, specs: Sequence[ModelSpec] = (), **fields: Any) -> Gateway:
    """Start a gateway that listens within the folder of a test; other arguments as for `settings_of`."""
    return Gateway(specs, settings_of(*arguments, **fields), Path(tempfile.mkdtemp(dir=folder)))


def model_of(gateway: Gateway, spec: ModelSpec, **choice: Any) -> GatewayModel:
    """Return a model behind a connection of its own, as a worker has it; `choice` as in `choice_of`."""
    return GatewayModel(choice_of(spec, **choice), GatewayConnections(gateway.address))
