"""
An honest comparison
====================

**One learns:** how to compare ways of tuning so that none of them is scored on what it has seen.

The best score of a search is the best of many, and so too good. `compare` lets every method make all of its
choices on the training part of an outer fold, and scores it on the rest. It also says where the first
method loses.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelwise import TunedSVC, compare

X, y = load_breast_cancer(return_X_y=True)
machine = make_pipeline(StandardScaler(), SVC())
coarse = {"svc__gamma": 2.0 ** np.arange(-12, 1, 3), "svc__C": 2.0 ** np.arange(-2, 11, 3)}
methods = {
    "TunedSVC": TunedSVC(),
    "SVC as it is": machine,
    "GridSearchCV, 5 × 5": GridSearchCV(machine, coarse, cv=3),
}
table = compare(X, y, methods, n_splits=3)
print(table)
print(*table.losses() or ["No method was better than TunedSVC here."], sep="\n")

# %%
# Dots are the outer folds. The folds differ more than the methods do: look at differences on the same fold
# (``table.rows()`` has their standard error), not at the means alone. The last row of the table is the most
# frequent class, an answer that ignores the features: it is far below, and not in the picture.
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for k, (name, colour) in enumerate(zip(methods, ("#0072b2", "#d55e00", "#009e73"), strict=True)):
    ax.scatter(table.cpu_seconds[k], 100 * table.scores[k], color=colour, s=14)
    ax.scatter(
        table.cpu_seconds[k].mean(), 100 * table.scores[k].mean(), color=colour, s=120, marker="D", label=name
    )
ax.set(xscale="log", xlabel="CPU seconds of choosing and training", ylabel="right on the outer test part, %")
ax.legend()
plt.show()
