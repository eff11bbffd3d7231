"""Estimators that keep scikit-learn's contract."""

from kernelwise.estimators.grid_search import GridSearchSVC
from kernelwise.estimators.metric_transformer import MetricTransformer
from kernelwise.estimators.nystroem_machines import NystroemOneClassSVM, NystroemSVC, NystroemSVR
from kernelwise.estimators.one_class_svm import OneClassSVM
from kernelwise.estimators.svc import SVC
from kernelwise.estimators.svr import SVR
from kernelwise.estimators.tuned_one_class import TunedOneClassSVM
from kernelwise.estimators.tuned_svc import TunedSVC
from kernelwise.estimators.tuned_svr import TunedSVR

__all__ = [
    "SVC",
    "SVR",
    "GridSearchSVC",
    "MetricTransformer",
    "NystroemOneClassSVM",
    "NystroemSVC",
    "NystroemSVR",
    "OneClassSVM",
    "TunedOneClassSVM",
    "TunedSVC",
    "TunedSVR",
]
