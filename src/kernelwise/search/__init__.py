"""The choice of a machine in seven steps, one file each, data going down once.

::

    1  Samples           data/samples.py        checked, without repetitions, scaled, in an order of their own
    2  Folds             data/folds.py          which fold holds out which row
    3  Candidates        propose/candidates.py  a few kernel widths, each named by a rule
    4  Range of C        propose/c_range.py     values of C that follow the kernel
    5  Cross-validation  engine/validator.py    a held-out score for every kernel and C
    6  Climb             propose/climb.py       neighbouring widths, uphill from the best
    7  Final model       (estimators/_finish.py, propose/landmarks.py)

`choose.choose` puts steps 3 to 6 together, and `result` is what comes out. What differs from case to case is
an argument: the family says what is learned (families/), the runner where paths of C are run
(engine/runner.py: here; `kernelwise.distributed.dask_runner`: on dask), the context what accompanies a fit
(engine/context.py: deadline, journal, watchers, findings). A room imports those above it in this list, and
its docstring names its files::

    data/      what is scored on: samples, their order and scale, folds
    scoring/   what is maximised: scores of held-out answers
    engine/    how a kernel is scored: the validator, the runner, the journal
    result.py  a choice while it is made, and what a search returns
    propose/   what is tried: widths, values of C, forms, metrics, ε
    families/  what differs: classes, numbers, one class
    verdict/   what people are told: reasons, a baseline, luck, leaks, doubts
    choose.py  the steps put together; what a rule of the user's takes instead
"""
