"""What kernels are scored on: samples without repetitions, scaled, and their folds.

::

    samples.py      step 1: rows of X, y and weights, as the search sees them
    canonical.py    the order of rows and columns by what is in them; samples that keep the classes
    scaling.py      the scaling of features inside an estimator
    folds.py        step 2: rows assigned to folds; `FoldRows`: who trains on a row and who holds it out
    together.py     rows that stay in one fold: near copies, and folds of whole groups
    given_folds.py  folds that come from the user: what ``cv`` stands for, and folds that never part a group
"""
