"""What a CI service shows of a run: properties of a JUnit file, and the summary of a GitHub job."""

from plugins.publishing._facts import Facts, facts_of
from plugins.publishing._job_summary import append_job_summary, job_summary_file
from plugins.publishing._junit import add_junit_properties, writes_junit
from plugins.publishing._markdown import job_summary

__all__ = [
    "Facts",
    "add_junit_properties",
    "append_job_summary",
    "facts_of",
    "job_summary",
    "job_summary_file",
    "writes_junit",
]
