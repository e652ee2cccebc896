"""What a query is worth: scores, labels and whether it passes."""

from plugins.assessment._assessor import Assessment, Assessor

__all__ = ["Assessment", "Assessor"]
