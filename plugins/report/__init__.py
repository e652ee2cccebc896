"""The report: one self-contained HTML page of runs, from their records."""

from plugins.report._build import Report, build_report

__all__ = ["Report", "build_report"]
