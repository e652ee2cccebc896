"""Names the plugin and the fixture modules."""

pytest_plugins = (
    "plugins.pytest_plugin",
    "fixtures.answer",
    "fixtures.case",
    "fixtures.graph",
    "fixtures.judge",
    "fixtures.model",
    "fixtures.prompt",
)
