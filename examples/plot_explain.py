"""
Which columns the model uses
============================

**What you learn:** which columns matter to a trained model over all rows, and how to find a column that
should not be there.

This model separates malignant from benign lumps. It was trained on measurements and, by mistake, on the
number of follow-up visits. Doctors arrange these visits *because* a lump is malignant. The score is
excellent, as it always is with such a column.
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
print(f"{100 * model.score(X[test], y[test]):.1f} % accuracy on new rows")

# %%
# `explain` computes exact Shapley values of the new rows. A Shapley value says how much a column added to the
# decision value, compared with training rows. The left picture shows their mean size for each column. The
# right picture shows the values of one column against the column itself.
found = explain(model, X[test], background=X[train][::4])
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
ExplanationDisplay.from_explanation(found, ax=axes[0])
visits, values = found.dependence("follow-up visits")
axes[1].scatter(visits + random.uniform(-0.2, 0.2, len(visits)), values, s=9, color="#0072b2", alpha=0.6)
axes[1].axhline(0.0, color="#5c6873", linewidth=0.8)
axes[1].set(xlabel="follow-up visits", ylabel="Shapley value, towards malignant")
plt.show()

# %%
# **The decision:** nobody knows the number of visits when the prediction is needed. So we remove the column,
# and we report the score of the model without it.
order = np.argsort(-found.importance())
share = found.importance() / found.importance().sum()
for k in order[:3]:
    print(f"{found.feature_names[k]:18s} {100 * share[k]:.0f} % of the values")
honest = TunedSVC("rbf").fit(X[train].drop(columns="follow-up visits"), y[train])
print(f"{100 * honest.score(X[test].drop(columns='follow-up visits'), y[test]):.1f} % accuracy without it")
