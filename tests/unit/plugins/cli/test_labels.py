"""The labels on the command line."""

from click.testing import CliRunner

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.cli.main import cli


def test_every_label_is_listed() -> None:
    result = CliRunner().invoke(cli, ["labels", "list"])
    assert all(f" {label} " in result.output for label in LABELS)
