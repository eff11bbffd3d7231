"""scikit-learn: the reference for speed and answers."""

from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks.cold import EstimatorSystem
from benchmarks.jobs import Task


def select(task: Task) -> None:
    """The whole grid; its best setting is trained on all samples."""
    GridSearchCV(SVC(), {"gamma": task.gammas, "C": task.Cs}, cv=task.folds).fit(task.X, task.y)


_system = EstimatorSystem(SVC)
cpath, grid, fit, predict = _system.cpath, _system.grid, _system.fit, _system.predict
