"""Estimators that keep scikit-learn's contract."""

from kernelwise.estimators.grid_search import GridSearchSVC
from kernelwise.estimators.metric_transformer import MetricTransformer
from kernelwise.estimators.svc import SVC
from kernelwise.estimators.tuned_svc import TunedSVC

__all__ = ["SVC", "GridSearchSVC", "MetricTransformer", "TunedSVC"]
