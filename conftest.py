"""Names the plugin."""

pytest_plugins = ("retrocypher.pytest_plugin",)
