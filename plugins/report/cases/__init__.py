"""One page a case: what was asked and answered, and what differs from what was expected."""

from plugins.report.cases._folder import CaseFolder, file_of
from plugins.report.cases._page import CasePages
from plugins.report.cases._reactions import Reactions
from plugins.report.cases._work import Job, PageWriter, parts_of

__all__ = ["CaseFolder", "CasePages", "Job", "PageWriter", "Reactions", "file_of", "parts_of"]
