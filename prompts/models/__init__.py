"""Models and the response cache; what a model of a user's own needs is importable from here."""

from retrocypher.prompts.models.interface import Answer, Chat, Model, ModelError, Request, TextModel

__all__ = ["Answer", "Chat", "Model", "ModelError", "Request", "TextModel"]
