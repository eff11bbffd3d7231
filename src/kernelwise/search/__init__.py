"""How a machine is chosen: seven steps, one file each, data going down once.

::

    1  Samples           samples.py         checked, without repetitions, scaled, in an order of their own
    2  Folds             folds.py           which fold holds out which row
    3  Candidates        candidates.py      a few kernel widths, each named by a rule
    4  Range of C        c_range.py         values of C that follow the kernel
    5  Cross-validation  cross_validate.py  a held-out score for every kernel and C
    6  Climb             climb.py           neighbouring widths, uphill from the best
    7  Final machine     (estimators/_finish.py, landmarks.py)

`choose.choose` puts steps 3 to 6 together. What differs from case to case is an argument: the family says
what is learned (families.py: classes, numbers), the runner where paths of C are run (runner.py: here;
`kernelwise.distributed.runner`: on dask), the context what accompanies a fit (context.py: deadline, journal,
watchers, findings). Beside step 5 stand what a score is (scores.py, scoring.py) and the rules by which scores
are compared (rules.py); beside step 6 learned metrics (learned_metrics.py) and ε (epsilon.py).
"""
