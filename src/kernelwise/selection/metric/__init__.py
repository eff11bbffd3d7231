"""Metrics of increasing freedom, compared by cross-validation."""

from kernelwise.selection.metric.procedure import learn_metric
from kernelwise.selection.metric.result import MetricResult

__all__ = ["MetricResult", "learn_metric"]
