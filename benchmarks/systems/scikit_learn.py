"""scikit-learn: the reference for speed and answers."""

from sklearn.svm import SVC

from benchmarks.cold import EstimatorSystem

_system = EstimatorSystem(SVC)
cpath, grid, fit, predict = _system.cpath, _system.grid, _system.fit, _system.predict
