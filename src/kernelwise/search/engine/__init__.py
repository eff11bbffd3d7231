"""How a kernel is scored: cross-validation along a path of C, and what accompanies it.

::

    validator.py       step 5: `CrossValidator`, a held-out score for every kernel and C
    runner.py          where paths of C are run: here, in threads; `FoldProblem`
    scored_kernel.py   one kernel with its scores, and what they cost; a kernel learned without each fold
    kernel_journal.py  scored kernels in a file, from which a search goes on
    context.py         what accompanies a fit: deadline, journal, watchers, findings
    rules.py           how scores are compared: one standard error, and what is within it
    gram_accuracy.py   accuracies of one Gram matrix: cross-validation at its plainest, for the papers
"""
