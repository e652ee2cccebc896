"""The LLM judge and its calibration."""
