"""The C path by scikit-learn's GridSearchCV itself, a third dearer than a plain loop on small data."""

from benchmarks.systems import scikit_learn

cpath = scikit_learn.grid
