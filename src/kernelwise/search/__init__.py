"""How a machine is chosen: seven steps, one file each, data going down once.

::

    1  Samples           data/samples.py  checked, without repetitions, scaled, in an order of their own
    2  Folds             data/folds.py  which fold holds out which row
    3  Candidates        propose/candidates.py  a few kernel widths, each named by a rule
    4  Range of C        propose/c_range.py  values of C that follow the kernel
    5  Cross-validation  engine/validator.py  a held-out score for every kernel and C
    6  Climb             propose/climb.py  neighbouring widths, uphill from the best
    7  Final model       (estimators/_finish.py, landmarks.py)

`choose.choose` puts steps 3 to 6 together. What differs from case to case is an argument: the family says
what is learned (families.py: classes, numbers), the runner where paths of C are run (runner.py: here;
`kernelwise.distributed.dask_runner`: on dask), the context what accompanies a fit (context.py: deadline,
journal, watchers, findings). The other files serve a step::

    1  canonical.py        the order of rows; scaling.py; settings.py: checks of parameters
    5  scored_kernel.py    one kernel with its scores; fold_kernels.py: a kernel for each fold
       scores.py           what a score is; scoring.py, held_out_scorer.py, held_out_answers.py: its asking
       score_names.py      which scores by name can be gone by
       rules.py            how scores are compared; kernel_journal.py: scores that are kept in a file
       accuracy.py         cross-validation at its plainest, for the papers
    6  by_criterion.py     a criterion chooses alone; learned_metrics.py, metric_learner.py; epsilon.py
       result.py           what comes out; announce.py: how good the final model is, as people are told
"""
