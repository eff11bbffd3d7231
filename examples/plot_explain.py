"""
Which columns the model goes by
===============================

**One learns:** what a trained machine looks at, over all rows, and to find a column that should not be there.

A machine that is to tell malignant from benign lumps was trained on measurements and, by mistake, on the
number of follow-up visits, which doctors arrange *because* a lump is malignant. The score is excellent, as it
always is with such a column.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

from kernelwise import ExplanationDisplay, TunedSVC, explain

data = load_breast_cancer(as_frame=True)
X = data.data[["mean texture", "mean area", "mean smoothness", "mean concavity", "mean symmetry"]].copy()
y = np.where(data.target == 0, "malignant", "benign")
random = np.random.default_rng(0)
X["follow-up visits"] = random.poisson(np.where(y == "malignant", 5.0, 1.0))

train, test = slice(None, None, 2), slice(1, None, 2)
model = TunedSVC("rbf").fit(X[train], y[train])
print(f"{100 * model.score(X[test], y[test]):.1f} % right on new rows")

# %%
# Shapley values of the new rows, exact: what every column added to the decision value, compared with rows
# that have the column from the training rows. Left: their mean size. Right: the values of one column over the
# column.
found = explain(model, X[test], background=X[train][::4])
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
ExplanationDisplay.from_explanation(found, ax=axes[0])
visits, values = found.dependence("follow-up visits")
axes[1].scatter(visits + random.uniform(-0.2, 0.2, len(visits)), values, s=9, color="#0072b2", alpha=0.6)
axes[1].axhline(0.0, color="#5c6873", linewidth=0.8)
axes[1].set(xlabel="follow-up visits", ylabel="value, towards malignant")
plt.show()

# %%
# **The decision:** nobody knows the number of visits when the question is asked. The column goes out, and the
# score that remains is the one to report.
order = np.argsort(-found.importance())
share = found.importance() / found.importance().sum()
for k in order[:3]:
    print(f"{found.feature_names[k]:18s} {100 * share[k]:.0f} % of the values")
honest = TunedSVC("rbf").fit(X[train].drop(columns="follow-up visits"), y[train])
print(f"{100 * honest.score(X[test].drop(columns='follow-up visits'), y[test]):.1f} % right without it")
