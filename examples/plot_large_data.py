"""
Many rows
=========

**One learns:** what a machine with a few hundred landmarks gives away, and how to see that more would not
help.

An exact machine takes time that grows faster than the square of the number of rows where the classes
overlap. `NystroemSVC` replaces the kernel by that of a few landmarks; its time grows like the number of
rows. `TunedSVC` takes it by itself for very many rows (``solver="auto"``); here it is used directly.
"""

import numpy as np
from matplotlib import pyplot as plt

from kernelwise import DistanceSketch, NystroemSVC
from kernelwise.kernels import RBF

rng = np.random.default_rng(0)
X = rng.uniform(0, 6, size=(15_000, 2))
y = (X + 0.1 * rng.normal(size=X.shape)).astype(int).sum(axis=1) % 2  # a chessboard with frayed edges
X, X_test, y, y_test = X[:10_000], X[10_000:], y[:10_000], y[10_000:]

# %%
# A width first: a sample of blocks of pairs is enough, and its standard error says so.
sketch = DistanceSketch.from_data(X, y, n_blocks=20)
best = sketch.maximize("dbtc")
print(f"γ = {best.gamma:.3f}")

# %%
# How many landmarks? ``n_components="auto"`` doubles them from 250 to 2000 while the score of held-out rows
# gains a thousandth. Here they are given, to see the curve that it climbs.
numbers = (15, 30, 60, 120, 240)
models = [NystroemSVC(RBF(best.gamma), n_components=m).fit(X, y) for m in numbers]
held_out = [100 * model.held_out_score_ for model in models]
new = [100 * model.score(X_test, y_test) for model in models]
print(f"{numbers[-1]} landmarks: {new[-1]:.2f} % right on new points")

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(numbers, held_out, "o-", color="#0072b2", label="held-out rows, which choose C")
ax.plot(numbers, new, "s--", color="#d55e00", label="new points")
ax.set(xscale="log", xticks=numbers, xticklabels=numbers, xlabel="landmarks", ylabel="right, %")
ax.minorticks_off()
ax.legend()
plt.show()
