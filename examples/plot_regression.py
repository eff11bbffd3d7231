"""
Regression
==========

**What you learn:** how `TunedSVR` chooses kernel, C and ε of a support vector regression, and what the tube
is.

Samples inside the tube are no further than ε from the curve. They cost nothing and are not support vectors.
The right width of the tube depends on the noise, which the search estimates from held-out errors.
"""

import numpy as np
from matplotlib import pyplot as plt

from kernelwise import TunedSVR

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 150))
truth = np.sin(x) * np.exp(-x / 8)
y = truth + 0.15 * rng.normal(size=len(x))
model = TunedSVR().fit(x[:, None], y)
tube = model.epsilon_ * model.target_scale_
print(*model.result_.why, sep="\n")
print(f"ε = {tube:.3f} in the units of y")
print(f"{len(model.best_estimator_.support_)} of {len(x)} samples are support vectors")

# %%
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
curve = model.predict(x[:, None])
ax.fill_between(x, curve - tube, curve + tube, color="#0072b2", alpha=0.15, label="tube, ± ε")
ax.plot(x, curve, color="#0072b2", label="TunedSVR")
ax.plot(x, truth, color="#1f2a33", linestyle=":", label="without noise")
ax.scatter(x, y, s=8, color="#5c6873")
ax.set(xlabel="x", ylabel="y")
ax.legend()
plt.show()
