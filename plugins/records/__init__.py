"""The record of a case and the files of a run directory."""

from plugins.records._asked import (
    JUDGE_STAGE,
    answer_fault,
    asked_a_model,
    is_of_answer,
    is_of_judge,
    is_whole,
    was_run,
)
from plugins.records._cases import locate_cases, read_case_at
from plugins.records._files import ALLURE, MANIFEST, MESSAGES, QUESTIONS, RECORDS
from plugins.records._json_line import json_line, json_page
from plugins.records._line_file import LineFile, mend
from plugins.records._lock import is_held
from plugins.records._manifest import code_facts, manifest
from plugins.records._model import SCHEMA_VERSION, Record, Round
from plugins.records._no_run import no_run
from plugins.records._read import (
    locate_messages,
    locate_records,
    read_manifest,
    read_messages,
    read_questions,
    read_record_at,
    read_records,
    read_summary,
    read_targets,
    record_of_line,
)
from plugins.records._run_directory import RunDirectory, holds_records, new_run_path
from plugins.records._whole import (
    INCOMPLETE_ENDING,
    RunFacts,
    lacks_aside,
    read_facts,
    unpriced_players,
)

__all__ = [
    "ALLURE",
    "INCOMPLETE_ENDING",
    "JUDGE_STAGE",
    "MANIFEST",
    "MESSAGES",
    "QUESTIONS",
    "RECORDS",
    "SCHEMA_VERSION",
    "LineFile",
    "Record",
    "Round",
    "RunDirectory",
    "RunFacts",
    "answer_fault",
    "asked_a_model",
    "code_facts",
    "holds_records",
    "is_held",
    "is_of_answer",
    "is_of_judge",
    "is_whole",
    "json_line",
    "json_page",
    "lacks_aside",
    "locate_cases",
    "locate_messages",
    "locate_records",
    "manifest",
    "mend",
    "new_run_path",
    "no_run",
    "read_case_at",
    "read_facts",
    "read_manifest",
    "read_messages",
    "read_questions",
    "read_record_at",
    "read_records",
    "read_summary",
    "read_targets",
    "record_of_line",
    "unpriced_players",
    "was_run",
]
