"""scikit-learn-intelex: scikit-learn's interface over oneDAL, whose threads no variable limits."""

import daal4py
from sklearnex.svm import SVC

from benchmarks.cold import EstimatorSystem

daal4py.daalinit(nthreads=1)
_system = EstimatorSystem(SVC)
cpath, grid, fit, predict = _system.cpath, _system.grid, _system.fit, _system.predict
