"""
All widths from one pass
========================

**What you learn:** how histograms of distances give the class separability for every width, and how accurate
a sample of the pairs is.

The sum of exp(−γD) over pairs of samples is a Laplace transform of the distribution of their squared
distances D. A `DistanceSketch` stores that distribution for each pair of classes. It never stores a matrix of
all pairs of samples.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

from kernelwise import DistanceSketch

X, y = load_digits(return_X_y=True)
X = StandardScaler().fit_transform(X)
sketch = DistanceSketch.from_data(X, y)
print(f"{len(y)} samples, {len(y) * (len(y) - 1) // 2} pairs, kept as {sketch.moments.size} numbers")

gammas = np.geomspace(1e-5, 1, 80)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, colour in (("dbtc", "#0072b2"), ("esdr", "#d55e00"), ("j4", "#009e73"), ("kta", "#cc79a7")):
    values = sketch.curve(name, gammas, strategy="ovr")
    ax.plot(gammas, (values - values.min()) / np.ptp(values), color=colour, label=name)
    print(f"{name:5s} largest at γ = {gammas[values.argmax()]:.2g}")
ax.set(xscale="log", xlabel="γ", ylabel="criterion, scaled", title="ten classes, each against the rest")
ax.legend()
plt.show()

# %%
# A few random blocks of pairs are enough for an estimate with standard errors.
sampled = DistanceSketch.from_data(X, y > 4, n_blocks=4, random_state=0)
exact = DistanceSketch.from_data(X, y > 4)
values, errors = sampled.curve("dbtc", gammas, return_std=True)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.fill_between(
    gammas, values - 2 * errors, values + 2 * errors, color="#0072b2", alpha=0.2, label="± 2 standard errors"
)
ax.plot(gammas, values, color="#0072b2", label="4 blocks of every two classes")
ax.plot(gammas, exact.curve("dbtc", gammas), color="#1f2a33", linestyle=":", label="all pairs")
ax.set(xscale="log", xlabel="γ", ylabel="dbtc")
ax.legend()
plt.show()
