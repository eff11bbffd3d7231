"""
Find unusual rows without labels
================================

**What you learn:** the settings of a one-class SVM decide everything, and they can be chosen without a single
label.

The data are two clusters of usual rows, with a few strange rows between and around them. scikit-learn's
one-class SVM with its default settings calls half of the rows strange. `TunedOneClassSVM` chooses the width
and ν itself and draws its line around both clusters.
"""

# %%
# The rows
# --------
import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import OneClassSVM

from kernelwise import TunedOneClassSVM

random = np.random.default_rng(0)
usual = np.vstack([random.normal((-2, 0), 0.6, size=(150, 2)), random.normal((2.5, 1), 0.4, size=(100, 2))])
strange = random.uniform(-5, 5, size=(10, 2))
X = np.vstack([usual, strange])

# %%
# Two models
# ----------
# The second model gets the share of strange rows, one in twenty-five, and sets its threshold accordingly.
machines = {
    "scikit-learn's defaults": OneClassSVM().fit(X),
    "chosen without labels": TunedOneClassSVM(contamination=0.04).fit(X),
}
for name, machine in machines.items():
    labels = machine.predict(X)
    found, wrong = (labels[250:] == -1).sum(), (labels[:250] == -1).sum()
    print(f"{name}: {found} of 10 strange rows found, {wrong} of 250 usual rows called strange")

# %%
# The lines that they draw
# ------------------------
a, b = np.meshgrid(np.linspace(-6, 6, 120), np.linspace(-6, 6, 120))
plane = np.column_stack([a.ravel(), b.ravel()])
figure, axes = plt.subplots(1, 2, figsize=(10, 4.5), sharex=True, sharey=True)
for ax, (name, machine) in zip(axes, machines.items(), strict=True):
    values = machine.decision_function(plane).reshape(a.shape)
    ax.contourf(a, b, values >= 0, levels=[0.5, 1.5], colors=["#cfe3f5"])
    ax.contour(a, b, values, levels=[0], colors="k", linewidths=1)
    ax.plot(*usual.T, ".", color="#0072b2", markersize=4, label="usual")
    ax.plot(*strange.T, "x", color="#d55e00", label="strange")
    ax.set_title(name)
axes[0].legend()
plt.show()
