"""What the controller hands to the workers of its session."""

from dataclasses import asdict, dataclass
from typing import Any

from kg.server import Endpoint


@dataclass(frozen=True, slots=True)
class Context:
    """What a worker needs besides the options, as plain values.

    Attributes:
        endpoint: The server.
        schema: Schema text of the live graph.
        coordination: Folder of the locks that all workers share.
        models: What the controller started for models (see ``prompts.models.SharedModels``).
        allure: Folder of the Allure results; None where Allure is off.
    """

    endpoint: Endpoint
    schema: str
    coordination: str
    models: dict[str, Any]
    allure: str | None

    def to_json(self) -> dict[str, Any]:
        """Return plain values that survive the way to a worker."""
        return {**asdict(self), "endpoint": self.endpoint.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Context":
        """Read what `to_json` wrote."""
        return cls(**{**value, "endpoint": Endpoint.from_json(value["endpoint"])})
