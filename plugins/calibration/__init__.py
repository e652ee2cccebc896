"""How far a judge can be believed: queries of which it is known whether they are right."""

from plugins.calibration._bill import Bill
from plugins.calibration._calibrate import Calibrated, calibrate
from plugins.calibration._calibration import PRIMARY, Calibration
from plugins.calibration._figures import Measured, Rate, Sensitivity, TestRetest
from plugins.calibration._filed import (
    HOME,
    Filed,
    FiledRates,
    filed,
    keep,
    name_for,
    newest_of,
    of_model,
    require_name,
)
from plugins.calibration._identity import judge_identity
from plugins.calibration._measured import Verdict, measure
from plugins.calibration._run import Asked, ask_all, sizes
from plugins.calibration._sample import Probe, draw_sample, neutral_groups
from plugins.calibration._table import calibration_table, estimate_text

__all__ = [
    "HOME",
    "PRIMARY",
    "Asked",
    "Bill",
    "Calibrated",
    "Calibration",
    "Filed",
    "FiledRates",
    "Measured",
    "Probe",
    "Rate",
    "Sensitivity",
    "TestRetest",
    "Verdict",
    "ask_all",
    "calibrate",
    "calibration_table",
    "draw_sample",
    "estimate_text",
    "filed",
    "judge_identity",
    "keep",
    "measure",
    "name_for",
    "neutral_groups",
    "newest_of",
    "of_model",
    "require_name",
    "sizes",
]
