"""What people are told of a choice: reasons, numbers beside it, and when not to trust it.

::

    summary.py    how good the chosen model is: a score, its error, the reasons
    reasons.py    why an answer won
    baseline.py   the score of an answer that ignores X
    claim.py      error and luck of a share of right answers, from the outcomes of held-out rows
    optimism.py   what the best of many settings owes to luck, and whether other rows would choose otherwise
    leaks.py      columns and rows that make a score look too good
    one_class.py  the same for one class: why a kernel was chosen, and when not to trust it
    trust.py      findings of a finished fit: when not to trust its answer, what its search left out
"""
