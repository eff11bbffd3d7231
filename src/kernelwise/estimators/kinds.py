"""Kinds of estimators, for the signatures of the rooms that take a model."""

from __future__ import annotations

from kernelwise.estimators.nystroem_machines import NystroemOneClassSVM, NystroemSVC, NystroemSVR
from kernelwise.estimators.one_class_svm import OneClassSVM
from kernelwise.estimators.svc import SVC
from kernelwise.estimators.svr import SVR
from kernelwise.estimators.tuned_one_class import TunedOneClassSVM
from kernelwise.estimators.tuned_svc import TunedSVC
from kernelwise.estimators.tuned_svr import TunedSVR

#: A machine with the kernel and the C, or ν, that it is given.
Machine = SVC | SVR | OneClassSVM | NystroemSVC | NystroemSVR | NystroemOneClassSVM
#: An estimator that chooses them.
Tuned = TunedSVC | TunedSVR | TunedOneClassSVM
#: One or the other.
Model = Machine | Tuned
