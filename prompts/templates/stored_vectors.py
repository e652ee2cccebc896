"""Former place of names that are now in `encoder`."""

from retrocypher.prompts.templates.encoder import build_vectors as build_vectors
