"""What people are told of a choice: reasons, numbers beside it, and when not to trust it.

::

    summary.py    how good the chosen model is: a score, its error, the reasons
    reasons.py    why an answer won
    wording.py    numbers, kernels and scores as people write them
    baseline.py   the score of an answer that ignores X
    optimism.py   what the best of many settings owes to luck
    stability.py  whether other rows would have chosen otherwise
    leaks.py      columns and rows that make a score look too good
    one_class.py  the same for one class: why a kernel was chosen, and when not to trust it
    trust.py      when not to trust the answer: ends of ranges, folds, classes, matrices
"""
