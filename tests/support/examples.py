"""How many examples a property test draws."""

from hypothesis import settings


def examples(count: int) -> settings:
    """Return settings with so many examples per 100 of the profile: that number in ``make test``."""
    return settings(max_examples=count * settings.default.max_examples // 100)
