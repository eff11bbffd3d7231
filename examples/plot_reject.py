"""
Rejecting doubtful points
=========================

**One learns:** two ways to say "I do not know", and what each of them costs.

With ``multiclass="ovo-reject"`` a class is given only where all of its pairwise machines agree on it (N. E.
Ayat and others). That rejects few points, and there is nothing to set. With probabilities you draw the line
yourself.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from kernelwise import TunedSVC

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = X[:600], X[600:], y[:600], y[600:]

model = TunedSVC(multiclass="ovo-reject", reject_label=-1).fit(X, y)
labels = model.predict(X_test)
kept = labels != model.reject_label_
print(f"rejected by disagreement: {100 * (1 - kept.mean()):.1f} % of new digits")
print(f"right: {100 * (labels == y_test)[kept].mean():.1f} % of those kept")

# %%
# The same machines have probabilities, too. Digits in the order of their largest probability, the surest
# first: how many of them are right?
p = model.predict_proba(X_test)
order = np.argsort(-p.max(axis=1))
is_right = (model.classes_[p.argmax(axis=1)] == y_test)[order]
n_kept = np.arange(1, len(order) + 1)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(
    100 * n_kept / len(order), 100 * np.cumsum(is_right) / n_kept, color="#0072b2", label="by probability"
)
ax.plot(
    100 * kept.mean(), 100 * (labels == y_test)[kept].mean(), "o", color="#d55e00", label="by disagreement"
)
ax.set(xlabel="digits kept, %", ylabel="right among them, %")
ax.legend()
plt.show()

# %%
# Some that were rejected, with their true class:
figure, axes = plt.subplots(1, 8, figsize=(9, 1.6), layout="constrained")
for ax, k in zip(axes, np.flatnonzero(~kept), strict=False):
    ax.imshow(X_test[k].reshape(8, 8), cmap="gray_r")
    ax.set(title=str(y_test[k]), xticks=[], yticks=[])
plt.show()
