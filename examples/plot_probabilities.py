"""
Probabilities
=============

**One learns:** that probabilities come without further training, and how to check that they mean what they
say.

The search has decision values of samples that were held out already; Platt's sigmoid is fitted to those of
the chosen machine. Decision values of the training samples themselves would make the machine look too sure.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss

from kernelwise import TunedSVC

X, y = make_moons(4500, noise=0.35, random_state=0)
X, X_test, y, y_test = X[:500], X[500:], y[:500], y[500:]
model = TunedSVC().fit(X, y)
p = model.predict_proba(X_test)
print(f"log loss on new points: {log_loss(y_test, p):.3f}")
print(f"of always saying one half: {log_loss(y_test, np.full_like(p, 0.5)):.3f}")

# %%
# Left: of the points that are given 80 %, about 80 % should belong to the class. Right: where the machine
# is sure.
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
CalibrationDisplay.from_predictions(y_test, p[:, 1], n_bins=10, name="TunedSVC", ax=axes[0])
grid = np.stack(np.meshgrid(np.linspace(-2, 3, 100), np.linspace(-1.5, 2, 100)), axis=-1)
surface = model.predict_proba(grid.reshape(-1, 2))[:, 1].reshape(grid.shape[:2])
mesh = axes[1].contourf(*np.moveaxis(grid, -1, 0), surface, levels=np.linspace(0, 1, 11), cmap="RdBu_r")
axes[1].scatter(*X.T, c=np.where(y, "#7f1d1d", "#0b3d66"), s=5)
axes[1].set(xticks=[], yticks=[])
figure.colorbar(mesh, label="probability of class 1")
plt.show()
