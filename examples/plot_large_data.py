"""
Many rows
=========

**What you learn:** how much accuracy a model with a few hundred landmarks loses, and how to see that more
landmarks would not help.

Where classes overlap, the time of an exact SVM grows faster than the square of the number of rows.
`NystroemSVC` approximates the kernel by comparing rows with a few landmarks, so its time grows in proportion
to the number of rows. `TunedSVC` chooses it automatically for very many rows (``solver="auto"``). This
example uses it directly.
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
# First we choose a width. A sample of the pairs of rows is enough for that, and its standard error confirms
# it.
sketch = DistanceSketch.from_data(X, y, n_blocks=20)
best = sketch.maximize("dbtc")
print(f"γ = {best.gamma:.3f}")

# %%
# How many landmarks are enough? ``n_components="auto"`` starts with 250 and doubles the number, up to 2000,
# as long as the score of held-out rows rises by a thousandth. Here we set the numbers ourselves to see the
# curve.
numbers = (15, 30, 60, 120, 240)
models = [NystroemSVC(RBF(best.gamma), n_components=m).fit(X, y) for m in numbers]
held_out = [100 * model.held_out_score_ for model in models]
new = [100 * model.score(X_test, y_test) for model in models]
print(f"{numbers[-1]} landmarks: {new[-1]:.2f} % accuracy on new points")

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(numbers, held_out, "o-", color="#0072b2", label="held-out rows, which choose C")
ax.plot(numbers, new, "s--", color="#d55e00", label="new points")
ax.set(xscale="log", xticks=numbers, xticklabels=numbers, xlabel="landmarks", ylabel="accuracy, %")
ax.minorticks_off()
ax.legend()
plt.show()
