"""
An honest comparison
====================

**What you learn:** how to compare tuning methods so that each is scored only on rows that it has not seen.

The best score of a search is the best of many scores, and so it is too optimistic. `compare` lets every
method make all of its choices on the training part of an outer fold, and scores the method on the rest.
``table.losses()`` lists every method that was better than the first one.
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
    "default SVC": machine,
    "GridSearchCV, 5 × 5": GridSearchCV(machine, coarse, cv=3),
}
table = compare(X, y, methods, n_splits=3)
print(table)
print(*table.losses() or ["No method was better than TunedSVC here."], sep="\n")

# %%
# Each dot is an outer fold. The folds differ more than the methods do. So look at the differences on the same
# fold, not only at the means; ``table.rows()`` has their standard errors. The last row of the table is the
# score of always answering the most frequent class. It is far below the others and not in the picture.
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for k, (name, colour) in enumerate(zip(methods, ("#0072b2", "#d55e00", "#009e73"), strict=True)):
    ax.scatter(table.cpu_seconds[k], 100 * table.scores[k], color=colour, s=14)
    ax.scatter(
        table.cpu_seconds[k].mean(), 100 * table.scores[k].mean(), color=colour, s=120, marker="D", label=name
    )
ax.set(xscale="log", xlabel="CPU seconds for tuning and training", ylabel="accuracy on the test part, %")
ax.legend()
plt.show()
