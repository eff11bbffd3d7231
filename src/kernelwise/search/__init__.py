"""The choice of a machine in seven steps, one file each, data going down once.

::

    1  Samples           data/samples.py        checked, without repetitions, scaled, in an order of their own
    2  Folds             data/folds.py          which fold holds out which row
    3  Candidates        propose/candidates.py  a few kernel widths, each named by a rule
    4  Range of C        propose/c_range.py     values of C that follow the kernel
    5  Cross-validation  engine/validator.py    a held-out score for every kernel and C
    6  Climb             propose/climb.py       neighbouring widths, uphill from the best
    7  Final model       final/machine.py       exact; approximate.py: a part of the rows, or Nyström

`fit.run` puts all steps together and `choose.choose` steps 3 to 6; `result` is what comes out. What differs
from case to case is an argument: the family says what is learned (families/), the runner where paths of C are
run (engine/runner.py: here; `kernelwise.distributed.dask_runner`: on dask), the context what accompanies a
fit (engine/context.py: deadline, journal, watchers, findings). A room imports those above it in this list,
and its docstring names its files::

    wording.py   numbers, kernels and scores as people write them
    data/        what is scored on: samples, their order and scale, folds
    scoring/     what is maximised: scores of held-out answers
    settings.py  what a fit is told: the parameters of an estimator, checked once
    engine/      how a kernel is scored: the validator, the runner, the journal
    result.py    a choice while it is made, and what a search returns
    propose/     what is tried: widths, values of C, forms, metrics, ε
    families/    what differs: classes, numbers, one class
    verdict/     what people are told: reasons, a baseline, luck, leaks, doubts
    choose.py    steps 3 to 6 put together; what a rule of the user's takes instead
    table.py     ``cv_results_``, and the row of it that is chosen
    final/       step 7: the machine that is trained in the end, and what its answers go by
    fit.py       all steps put together

Estimators take what they need from here, and from no file of a room.
"""

from kernelwise.search.data.folds import FoldRows, folds_for_sigmoids
from kernelwise.search.data.given_folds import check_kind_of_folds, read_splits
from kernelwise.search.data.samples import prepare
from kernelwise.search.data.scaling import apply_scaler, as_scaler, fit_transformer
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.runner import FoldProblem
from kernelwise.search.families.classification import Classification
from kernelwise.search.families.one_class import OneClass
from kernelwise.search.families.regression import Regression
from kernelwise.search.final.one_class import Tail
from kernelwise.search.fit import Found, TrainingData, metric_by_gradients, new_context, run
from kernelwise.search.propose.landmarks import NystroemSearch, Rows, ordered_landmarks
from kernelwise.search.propose.metric_learner import MetricLearner
from kernelwise.search.result import FitRecord
from kernelwise.search.scoring.held_out_answers import ClassAnswers
from kernelwise.search.scoring.scorers import PathScorer, make_scorers
from kernelwise.search.settings import FitSettings
from kernelwise.search.table import cv_results
from kernelwise.search.wording import kernel_text

__all__ = [
    "ClassAnswers",
    "Classification",
    "FitContext",
    "FitRecord",
    "FitSettings",
    "FoldProblem",
    "FoldRows",
    "Found",
    "MetricLearner",
    "NystroemSearch",
    "OneClass",
    "PathScorer",
    "Regression",
    "Rows",
    "Tail",
    "TrainingData",
    "apply_scaler",
    "as_scaler",
    "check_kind_of_folds",
    "cv_results",
    "fit_transformer",
    "folds_for_sigmoids",
    "kernel_text",
    "make_scorers",
    "metric_by_gradients",
    "new_context",
    "ordered_landmarks",
    "prepare",
    "read_splits",
    "run",
]
