"""One page a case: what was asked and answered, and what differs from what was expected."""

from plugins.report.cases._folder import CaseFolder, file_of
from plugins.report.cases._page import CasePages
from plugins.report.cases._reactions import Reactions

__all__ = ["CaseFolder", "CasePages", "Reactions", "file_of"]
