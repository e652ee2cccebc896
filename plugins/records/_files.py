"""The names of the files of a run."""

RECORDS = "records.jsonl"
MESSAGES = "messages.jsonl"
QUESTIONS = "questions.jsonl"
MANIFEST = "manifest.json"
SUMMARY = "summary.json"
ALLURE = "allure-results"
LOCK = "run.lock"
