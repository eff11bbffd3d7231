"""
Why a prediction is doubtful
============================

**What you learn:** how to read the reasons for a single prediction, and which cases a person should check.

A model sorts the wines of three growers. If the model is unsure, a chemist repeats a measurement. Which one?
The Shapley values of that row say which columns speak for the class and which speak against it.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_wine

from kernelwise import ExplanationDisplay, TunedSVC, explain

data = load_wine(as_frame=True)
X, y = data.data.drop(columns=["total_phenols"]), data.target
train, test = slice(None, None, 2), slice(1, None, 2)
model = TunedSVC("rbf").fit(X[train], y[train])
P = model.predict_proba(X[test])
doubtful = int(np.argmin(P.max(axis=1)))
label = model.predict(X[test])[doubtful]
print(f"row {doubtful}: grower {label} with a probability of {P[doubtful].max():.2f}")

# %%
# The bars explain the log odds of that grower, averaged over the two others and compared with training rows.
# Bars to the right speak for the grower, and bars to the left speak against it. The values add up to the
# difference from the average row.
found = explain(model, X[test], background=X[train], output="probability-log-odds").of_output(str(label))
sure = int(np.argmax(np.where(model.predict(X[test]) == label, P[:, label], 0.0)))
figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
ExplanationDisplay.from_explanation(found, row=sure, max_shown=7, ax=axes[0])
ExplanationDisplay.from_explanation(found, row=doubtful, max_shown=7, ax=axes[1])
axes[0].set(title="a sure row")
axes[1].set(title="the doubtful row")
plt.show()

# %%
# **The decision:** the chemist repeats the measurement that speaks most strongly against the answer. If the
# new number confirms the old one, the bottle is set aside. If the old number was an error, the model predicts
# again.
against = int(np.argmin(found.values[doubtful]))
print(f"measure again: {found.feature_names[against]} = {found.data[doubtful, against]:g}", end="; ")
typical = X[train].to_numpy()[y[train] == label].mean(axis=0)[against]
print(f"wines of this grower have {typical:.3g} on average")
slip = X[test].iloc[[doubtful]].copy()
slip.iloc[0, against] = typical
print(f"with that number the probability would be {model.predict_proba(slip)[0, label]:.2f}")
