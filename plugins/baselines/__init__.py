"""Runs that later ones are measured against: small, committed, each under a name."""

from plugins.baselines._files import known_baselines
from plugins.baselines._find import HOME, find_side
from plugins.baselines._read import read_baseline, read_page
from plugins.baselines._save import Saved, save

__all__ = ["HOME", "Saved", "find_side", "known_baselines", "read_baseline", "read_page", "save"]
