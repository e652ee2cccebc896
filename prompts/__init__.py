"""The model: prompts, exemplars, model calls, extraction, loops, validation and written answers."""
