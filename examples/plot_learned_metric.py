"""
Learning a metric
=================

**What you learn:** what a full metric can learn that one width for each feature cannot.

The classes differ along one oblique direction and spread along the other. A round kernel has to be narrow
enough for the short direction, so it ignores most of the rows that are near in the long direction. The
learned kernel is narrow across the stripes and long along them.
"""

import numpy as np
from matplotlib import pyplot as plt

from kernelwise import TunedSVC

rng = np.random.default_rng(0)


def stripes(n_samples):
    """Three stripes of alternating class, turned by 45 degrees."""
    stripe = rng.integers(0, 3, n_samples)
    across, along = stripe + 0.22 * rng.normal(size=n_samples), 4.0 * rng.normal(size=n_samples)
    turn = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2.0)
    return np.column_stack([across, along]) @ turn, stripe % 2


(X, y), (X_test, y_test) = stripes(70), stripes(1000)
models = {name: TunedSVC(name).fit(X, y) for name in ("rbf", "diagonal", "gaussian")}
for name, model in models.items():
    print(f"{name:9s} {100 * model.score(X_test, y_test):.1f} % accuracy on new points")

# %%
# The lines show how far the similarity to the point in the middle reaches. On them the kernel is 0.9, 0.5 and
# 0.1.
grid = np.stack(np.meshgrid(np.linspace(-8, 8, 120), np.linspace(-8, 8, 120)), axis=-1)
middle = X[[np.abs(X).sum(axis=1).argmin()]]
figure, axes = plt.subplots(1, 3, figsize=(10, 4), layout="constrained", sharex=True, sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    similarity = model.kernel_(model.scaler_.transform(grid.reshape(-1, 2)), model.scaler_.transform(middle))
    ax.contour(
        *np.moveaxis(grid, -1, 0),
        similarity.reshape(grid.shape[:2]),
        levels=[0.1, 0.5, 0.9],
        colors="#1f2a33",
    )
    for label, colour in enumerate(("#0072b2", "#d55e00")):
        ax.scatter(*X[y == label].T, color=colour, s=10)
    ax.set(
        title=name,
        xlabel=f"{100 * model.score(X_test, y_test):.1f} % accuracy",
        aspect="equal",
        xlim=(-8, 8),
        ylim=(-8, 8),
    )
plt.show()
