"""
Probabilities
=============

**What you learn:** probabilities need no further training, and you can check whether they are reliable.

The search has already computed decision values of held-out samples. kernelwise fits Platt's sigmoid to those
of the chosen model. With decision values of the training samples themselves the model would look too certain.
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
print(f"log-loss on new points: {log_loss(y_test, p):.3f}")
print(f"of always answering one half: {log_loss(y_test, np.full_like(p, 0.5)):.3f}")

# %%
# The left picture checks the probabilities: of all points with a probability of 80 %, about 80 % should
# belong to the class. The right picture shows where the model is certain.
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
CalibrationDisplay.from_predictions(y_test, p[:, 1], n_bins=10, name="TunedSVC", ax=axes[0])
grid = np.stack(np.meshgrid(np.linspace(-2, 3, 100), np.linspace(-1.5, 2, 100)), axis=-1)
surface = model.predict_proba(grid.reshape(-1, 2))[:, 1].reshape(grid.shape[:2])
mesh = axes[1].contourf(*np.moveaxis(grid, -1, 0), surface, levels=np.linspace(0, 1, 11), cmap="RdBu_r")
axes[1].scatter(*X.T, c=np.where(y, "#7f1d1d", "#0b3d66"), s=5)
axes[1].set(xticks=[], yticks=[])
figure.colorbar(mesh, label="probability of class 1")
plt.show()
