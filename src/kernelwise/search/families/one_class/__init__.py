"""How a one-class machine is chosen: rows of one kind, and maybe a few labels.

The steps are those of the other searches where they apply (samples, folds, candidates, a held-out score, the
final machine), but a path of C, classes and their criteria have no place here::

    candidates.py   kernels at widths that follow the median distance
    validator.py    a held-out score for every candidate: against artificial outliers, or by a few labels
    choose.py       which candidate is taken, and why
    tail.py         thresholds and probabilities from held-out scores
    doubts.py       when not to trust the answer
"""
