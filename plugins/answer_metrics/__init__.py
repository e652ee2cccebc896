"""DeepEval's metrics of a written answer: is it faithful to what it was written from, and to the question."""

from plugins.answer_metrics._metrics import METRICS, AnswerMetrics, Measured

__all__ = ["METRICS", "AnswerMetrics", "Measured"]
