"""How a server is reached, and what may be done to it."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A Neo4j server that answers.

    Attributes:
        uri: Bolt URI without credentials.
        user: User name.
        password: Password; never shown in a repr.
        database: Database to query.
        kind: How the server came to be.
        owned: Whether this project started it, and so may load, restart and replace it.
        control: Path of the supervisor's control socket; None where the server is not ours.
        version: Server version, e.g. ``5.26.30``.
        notes: What cannot be enforced on this server, one sentence each, for header and manifest.
    """

    uri: str
    user: str
    password: str = field(repr=False)
    database: str = "neo4j"
    kind: Literal["local", "docker", "uri"] = "local"
    owned: bool = False
    control: str | None = None
    version: str = ""
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values, the password among them: for workers of this session only."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Endpoint":
        """Read what `to_json` wrote."""
        return cls(**{**value, "notes": tuple(value["notes"])})
