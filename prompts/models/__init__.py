"""Models and the response cache; what a model of a user's own needs is importable from here."""

from retrocypher.prompts.models.interface import Chat, Completion, Model, ModelError, Request, TextModel

__all__ = ["Chat", "Completion", "Model", "ModelError", "Request", "TextModel"]
