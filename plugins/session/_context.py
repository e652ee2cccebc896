"""What the controller hands to the workers of its session."""

from dataclasses import asdict, dataclass, field
from typing import Any

from kg.server import Endpoint


@dataclass(frozen=True, slots=True)
class Context:
    """What a worker needs besides the options, as plain values.

    Attributes:
        endpoint: The server; None where rows come from runs that were.
        schema: Schema text of the graph.
        coordination: Folder of the locks that all workers share.
        models: What the controller started for models (see ``prompts.models.SharedModels``).
        allure: Folder of the Allure results; None where Allure is off.
        taken: What there is to tell of each case that an earlier part of the run has, by its id (`Taken`).
    """

    endpoint: Endpoint | None
    schema: str
    coordination: str
    models: dict[str, Any]
    allure: str | None
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def passwords(self) -> list[str]:
        """The server's password, if there is one."""
        return [self.endpoint.password] if self.endpoint else []

    def to_json(self) -> dict[str, Any]:
        """Return plain values that survive the way to a worker."""
        return {**asdict(self), "endpoint": self.endpoint and self.endpoint.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Context":
        """Read what `to_json` wrote."""
        endpoint = value["endpoint"]
        return cls(**{**value, "endpoint": endpoint and Endpoint.from_json(endpoint)})
