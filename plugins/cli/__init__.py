"""The `retrocypher` command."""
