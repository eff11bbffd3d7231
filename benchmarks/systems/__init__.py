"""One file per system, each with some of the jobs.

``cpath(task)`` returns held-out labels of shape (n_Cs, n_samples). ``grid(task)`` returns how many held-out
samples are labelled correctly, of shape (n_gammas · n_Cs, n_folds), widths increasing, C fastest; so may
``cpath`` when a system keeps no labels, and None stands for nothing to compare. ``fit(task)`` returns a
machine for ``predict(machine, X)``. ``select(task)`` chooses width and C its own way, trains with them and
returns None; scikit-learn's way is the whole grid. A file that lacks a job takes no part in it. A file with
``share(task)`` does that part of the job, and its seconds are divided by it.
"""

DEFAULT = ("scikit_learn", "kernelwise", "intelex", "libsvm_official", "liquidsvm")
# On request: scikit-learn once more, for what GridSearchCV costs on top of the plain loop, and by two of the
# folds alone; and halving.
SYSTEMS = (*DEFAULT, "grid_search_cv", "grid_search_part", "halving")
