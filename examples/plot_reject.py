"""
Rejecting doubtful points
=========================

**What you learn:** two ways in which a model can answer "I do not know", and what each of them costs.

With ``multiclass="ovo-reject"`` the model predicts a class only if all pairwise classifiers of that class
agree on it (N. E. Ayat and others). This rejects few points, and it has no setting. With probabilities you
choose the threshold yourself.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from kernelwise import TunedSVC

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=600, random_state=1)

model = TunedSVC(multiclass="ovo-reject", reject_label=-1).fit(X, y)
labels = model.predict(X_test)
kept = labels != model.reject_label_
print(f"rejected because of disagreement: {100 * (1 - kept.mean()):.1f} % of new digits")
print(f"accuracy among the digits kept: {100 * (labels == y_test)[kept].mean():.1f} %")

# %%
# The same model gives probabilities, too. We sort the digits by their largest probability, with the most
# certain first, and count how many of them are right.
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
ax.set(xlabel="digits kept, %", ylabel="accuracy among them, %")
ax.legend()
plt.show()

# %%
# These are some of the rejected digits, with their true class:
figure, axes = plt.subplots(1, 8, figsize=(9, 1.6), layout="constrained")
for ax, k in zip(axes, np.flatnonzero(~kept), strict=False):
    ax.imshow(X_test[k].reshape(8, 8), cmap="gray_r")
    ax.set(title=str(y_test[k]), xticks=[], yticks=[])
plt.show()
