"""scikit-learn's successive halving over the same grid, with its own defaults."""

from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV
from sklearn.svm import SVC

from benchmarks.jobs import Task


def select(task: Task) -> None:
    grid = {"gamma": task.gammas, "C": task.Cs}
    HalvingGridSearchCV(SVC(), grid, random_state=0).fit(task.X, task.y)
