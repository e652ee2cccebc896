"""What is said of a written answer, wherever cases are told of; it is made in ``answer_checks``."""

from plugins.answering._checked import CHECK_ROLE, Checked, Checker
from plugins.answering._lines import claim_line, verification_lines

__all__ = ["CHECK_ROLE", "Checked", "Checker", "claim_line", "verification_lines"]
